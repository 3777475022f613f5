# page_test.sh LOTOR quick|long PAGE... - runs every command of a document, and compares the output with the text
# below the command. All commands of a page run in one shell, from top to bottom, as a reader would type them.
#
# A command is an indented line that begins with "$ ". It continues on the next line if it ends in a backslash, a
# bar, an operator, or inside quotes. "..." in an output matches anything. Standard error may come before or after
# the output. The test replaces the port, which may be in use, the folder /tmp, and the path of the command. `rules`
# says which commands run only in the long test, which run in a smaller form, which never run, and why.
. "$(dirname "$0")/../cli/lib.sh"
how=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
lotor=$(cd "$(dirname "$lotor")" && pwd)/$(basename "$lotor")

# Splits a page into numbered commands and expected outputs: $folder/N.command, $folder/N.expected.
split()
{
    awk -v folder="$folder" '
        function add(line) {
            print line > command
            sub(/ +# .*/, "", line)
            quotes += gsub(/\047/, "\047", line)
            open = quotes % 2 == 1 || line ~ /(\\|\||&&)$/
        }
        /^    \$ / {
            number++
            inside = 1
            quotes = 0
            command = folder "/" number ".command"
            expected = folder "/" number ".expected"
            printf "" > expected
            add(substr($0, 7))
            next
        }
        inside && (/^    / || open) {
            if (open) add(substr($0, 5))
            else print substr($0, 5) > expected
            next
        }
        inside && /^$/ { blank = NR; print "" > expected; next } # outputs may have empty lines
        { inside = 0 }
        END { print number + 0 }'
}

# The rules of a page, as "KIND :: PART :: REASON".
rules_of() { sed -n "s#^$1 :: ##p" "$here/rules"; }

# Applies the rules to command $2 of page $1. Prints "run" or "leave". May change the command to a smaller form.
decide()
{
    verdict=run
    fails=0
    while IFS= read -r rule; do
        kind=${rule%% :: *}
        rest=${rule#* :: }
        part=${rest%% :: *}
        from=${part%% => *}
        grep -qF -e "$from" "$folder/$2.command" || continue
        echo "$rule" >> "$folder/used"
        case $kind in
        never) verdict=leave ;;
        fails) fails=1 ;;
        long) [ "$how" = long ] || verdict=leave ;;
        instead)
            awk -v from="$from" -v to="${part#* => }" '
                (at = index($0, from)) > 0 { $0 = substr($0, 1, at - 1) to substr($0, at + length(from)) }
                { print }' "$folder/$2.command" > "$folder/changed"
            mv "$folder/changed" "$folder/$2.command"
            ;;
        *) blame "tests/docs/rules: '$kind' is no rule" ;;
        esac
    done < "$folder/rules"
    echo "$verdict" > "$folder/$2.verdict"
    echo "$fails" > "$folder/$2.status"
}

# A free port, since the port on the page may be in use. It is below 32768: from there on, the kernel gives ports to
# clients, and a server could not start on one of those.
free_port()
{
    port=$((20000 + ($$ * 7 + $1 * 1013) % 12000))
    while curl -s -o /dev/null "127.0.0.1:$port/"; do
        port=$((port + 1))
    done
    echo "$port"
}

# The shell that runs a page: it ends processes that the page left running.
write_script()
{
    port=$1
    cat << END
cd '$folder/tree' || exit 1
PATH='$folder/tree/build':\$PATH
trap 'kill \$(jobs -p) 2> /dev/null; wait' EXIT
await() # a server needs a moment; curl would wait a whole second
{
    for try in \$(seq $(seconds 100)); do
        curl -s -o '$folder/place/.ready' 127.0.0.1:$port/healthz && return
        sleep 0.05
    done
}
END
    i=1
    while [ "$i" -le "$2" ]; do
        if grep -qx run "$folder/$i.verdict"; then
            grep -q -e --retry "$folder/$i.command" && echo await
            echo "{"
            sed -e "s#/tmp/#$folder/place/#g" -e "s#127.0.0.1:8080#127.0.0.1:$port#g" \
                -e "/--port/!s#lotor serve#lotor serve --port $port#" "$folder/$i.command"
            echo "} > '$folder/$i.out' 2> '$folder/$i.err' < /dev/null"
            echo "echo \$? | tee '$folder/$i.code' | grep -qxf '$folder/$i.status' || exit 1"
        fi
        i=$((i + 1))
    done
}

run_all()
{
    write_script "$(free_port "$2")" "$3" > "$folder/script"
    most=$(seconds 60)
    [ "$how" = quick ] || most=$(seconds 1800)
    timeout "$most" bash "$folder/script" > "$folder/rest" 2>&1
}

# Prints a file. Paths of this machine are replaced by those on the page, and empty lines at the end are
# removed.
as_on_page() { sed "s#$folder/place/#/tmp/#g; s#$folder/tree/##g" "$@" 2> /dev/null | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'; }

fits()
{
    # shellcheck disable=SC2254 # this is a pattern
    case $1 in
    $pattern) return 0 ;;
    *) return 1 ;;
    esac
}

# A page shows what `lotor advise` recommended when the page was written. A better algorithm may have been added since.
# So if the command recommends an algorithm of the catalog in the catalog's words, that line replaces the one on the
# page. Which algorithms it must recommend is the business of tests/cli/choosing_test.sh.
newer_advice()
{
    taken=$(grep '^Take [a-z0-9-]*: .*\.$' "$folder/$1.out" | head -1)
    id=$(expr "$taken" : 'Take \([a-z0-9-]*\):') || return 0
    grep -q '^Take [a-z0-9-]*: .*\.$' "$folder/$1.expected" || return 0
    "$lotor" algorithms --json | grep -F "\"id\": \"$id\"" | grep -qF "\"summary\": \"$(expr "$taken" : '.*: \(.*\)\.$')\"" || return 0
    awk -v line="$taken" '/^Take [a-z0-9-]*: .*\.$/ { $0 = line } { print }' "$folder/$1.expected" > "$folder/changed"
    mv "$folder/changed" "$folder/$1.expected"
}

compare_one()
{
    if [ ! -f "$folder/$2.code" ]; then
        blame "not run, after what failed before: $(tail -n 3 "$folder/rest")"
        return 1
    fi
    cp "$folder/$2.err" "$folder/err"
    same "exit status" "$(cat "$folder/$2.code")" "$(cat "$folder/$2.status")"
    newer_advice "$2"
    pattern=$(as_on_page "$folder/$2.expected" | sed -e 's/[][*?\\]/\\&/g' -e 's/\.\.\./*/g')
    got=$(as_on_page "$folder/$2.out")
    # On a terminal, a message may come before or after the output.
    if fits "$got" || fits "$(as_on_page "$folder/$2.out" "$folder/$2.err")" ||
        fits "$(as_on_page "$folder/$2.err" "$folder/$2.out")"; then
        pass
    else
        blame "printed '$(printf '%s' "$got" | head -c 1500)', expected '$(cat "$folder/$2.expected")'"
    fi
}

compare_all()
{
    i=1
    while [ "$i" -le "$2" ]; do
        last="$1: $(head -1 "$folder/$i.command")"
        if grep -qx run "$folder/$i.verdict"; then
            compare_one "$1" "$i" || return
        fi
        i=$((i + 1))
    done
}

# Finds commands that lack the "$ ", since they would not be run. The synopsis of a manual page is
# not a command.
find_hidden()
{
    awk '
        /^# / { synopsis = $0 == "# SYNOPSIS" }
        /^```/ { fenced = !fenced; before = "" }
        # the first line of an indented block, or any line of a fenced one
        (/^    [^ ]/ && before !~ /^    / || fenced) && !synopsis {
            line = $0
            sub(/^ +/, "", line)
            if (line ~ /^(lotor|build\/lotor|\.\/build\/lotor|make|curl|cc|pip|python3|v\/bin|\/usr\/bin\/python3|npm|node|git|sudo|seq|printf|echo|man|export) /)
                print FNR ": " line
        }
        { if (NF > 0) before = $0; else if (before !~ /^    /) before = "" }' "$1"
}

try_page()
{
    rm -rf "$folder"/[0-9]* "$folder/place" "$folder/tree" "$folder/used"
    mkdir "$folder/place" "$folder/tree" "$folder/tree/build"
    for name in lotor liblotor.so liblotor.so.1 clients man; do # the files of a build that the pages use
        ln -s "$(dirname "$lotor")/$name" "$folder/tree/build/$name"
    done
    for name in README.md Makefile clients docs examples include man scripts src tests; do
        [ ! -e "$root/$name" ] || ln -s "$root/$name" "$folder/tree/$name"
    done
    : > "$folder/used"
    last=$1
    same "commands without a dollar sign" "$(find_hidden "$root/$1")" ""
    count=$(split < "$root/$1")
    rules_of "$1" > "$folder/rules"
    i=1
    while [ "$i" -le "$count" ]; do
        decide "$1" "$i"
        i=$((i + 1))
    done
    last="tests/docs/rules"
    same "rules for $1 that fit no command" "$(sort -u "$folder/used" | comm -13 - "$(sort "$folder/rules" > "$folder/sorted"; echo "$folder/sorted")")" ""
    [ "$count" -eq 0 ] || run_all "$1" "$2" "$count"
    compare_all "$1" "$count"
}

# Every rule must be about an existing page. A rule with "never" must name the test that covers the
# command.
check_rules()
{
    last="tests/docs/rules"
    grep -v '^#\|^$' "$here/rules" > "$folder/all-rules"
    while IFS= read -r rule; do
        [ -f "$root/${rule%% :: *}" ] || blame "there is no such page: $rule"
        case $rule in
        *" :: never :: "*)
            named=$(echo "${rule##* :: }" | grep -o '\(tests\|scripts\|clients\)/[A-Za-z0-9_./-]*[A-Za-z0-9_]' | head -1)
            [ -n "$named" ] && [ -e "$root/$named" ] || blame "what covers it? $rule"
            ;;
        esac
    done < "$folder/all-rules"
    pass
}

check_rules
number=1
for page in "$@"; do
    case $page in
    /*) page=${page#"$root"/} ;;
    esac
    try_page "$page" "$number"
    number=$((number + 1))
done
finish
