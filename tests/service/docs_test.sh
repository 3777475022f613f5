# docs_test.sh - every command of docs/service.md and of the README's section on the service, run as it
# stands there against a real server, and its output compared with what stands below it.
#
# A command is an indented line that begins with "$ "; it goes on where it ends in a backslash, a bar, or
# inside quotes. "..." in an output stands for anything. Other here: the
# port, which may be taken, the folder, and where the command is.
. "$(dirname "$0")/../cli/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)

# Splits a text into numbered commands and expected outputs: $folder/N.command, $folder/N.expected.
split()
{
    awk -v folder="$folder" '
        function add(line) {
            print line > command
            quotes += gsub(/\047/, "\047", line)
            open = quotes % 2 == 1 || line ~ /[\\|]$/
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
        inside && /^    / {
            if (open) add(substr($0, 5))
            else print substr($0, 5) > expected
            next
        }
        { inside = 0 }
        END { print number + 0 }'
}

# One shell runs them all, as a reader would, and ends what the page left running; each command writes to
# files of its own.
run_all()
{
    port=$1
    count=$2
    {
        echo "lotor='$lotor'"
        echo "cd '$folder' || exit 1"
        echo 'trap "kill \$(jobs -p) 2> /dev/null; wait" EXIT'
        i=1
        while [ "$i" -le "$count" ]; do
            echo "{"
            sed -e "s#/tmp/#$folder/place/#g" -e "s#127.0.0.1:8080#127.0.0.1:$port#g" \
                -e "s#build/lotor serve#build/lotor serve --port $port#" \
                -e 's#build/lotor#"$lotor"#g' -e 's#--retry 9#--retry 9 --retry-delay 1#' \
                "$folder/$i.command"
            echo "} > '$folder/$i.out' 2> '$folder/$i.err' < /dev/null"
            echo "echo \$? | tee '$folder/$i.code' | grep -qx 0 || exit 1"
            i=$((i + 1))
        done
    } > "$folder/script"
    timeout 60 bash "$folder/script" > "$folder/rest" 2>&1
}

compare_all()
{
    i=1
    while [ "$i" -le "$2" ]; do
        last="$1: $(head -1 "$folder/$i.command")"
        if [ ! -f "$folder/$i.code" ]; then
            blame "not run, after what failed before"
            return
        fi
        cp "$folder/$i.err" "$folder/err"
        same "exit status" "$(cat "$folder/$i.code")" 0
        pattern=$(sed -e 's/[][*?\\]/\\&/g' -e 's/\.\.\./*/g' "$folder/$i.expected")
        got=$(sed "s#$folder/place/#/tmp/#g" "$folder/$i.out" 2> /dev/null)
        # shellcheck disable=SC2254 # it is meant as a pattern
        case $got in
        $pattern) pass ;;
        *) blame "printed '$(printf '%s' "$got" | head -c 400)', expected '$(cat "$folder/$i.expected")'" ;;
        esac
        i=$((i + 1))
    done
}

# A port that nobody listens on; the page's own is for people.
free_port()
{
    port=$((20000 + ($$ * 7 + $1 * 1013) % 20000))
    while curl -s -o /dev/null "127.0.0.1:$port/"; do
        port=$((port + 1))
    done
    echo "$port"
}

try_page()
{
    rm -rf "$folder"/[0-9]* "$folder/place"
    mkdir "$folder/place"
    count=$(split)
    if [ "$count" -lt "$3" ]; then
        blame "$1 has $count commands, expected at least $3"
    fi
    run_all "$(free_port "$2")" "$count"
    compare_all "$1" "$count"
}

try_page docs/service.md 1 15 < "$root/docs/service.md"
awk '/^## / { inside = /^## A decision service/ } inside' "$root/README.md" > "$folder/section"
try_page README.md 2 6 < "$folder/section"
finish
