# pages_test.sh - compares the manual with the command and the headers. Every command has a page. The page has
# exactly the options that --help prints. Exit codes and prototypes agree. References lead to pages.
. "$(dirname "$0")/../cli/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
man="$root/man"

commands=$("$lotor" help | awk '/^Commands$/ { inside = 1; next } /^$/ { inside = 0 }
                               inside && /^  [a-z]/ { print $1 }')

# Prints a section of a page: the text between its heading and the next heading of the same level.
section()
{
    awk -v heading="# $2" '/^# / { inside = $0 == heading; next } inside' "$1"
}

# The options in the help, one on each line: --name VALUE [default].
options_of_help()
{
    "$lotor" help "$1" | awk '
        function tell() { if (name != "") print name, standing(text) }
        function standing(text) { return match(text, /\(default [^)]*\)/) ? substr(text, RSTART, RLENGTH) : "" }
        /^Options$/ { inside = 1; next }
        /^Examples$/ { tell(); exit }
        !inside || NF == 0 { next }
        /^  --/ {
            tell()
            value = $2
            if (match($0, /^  --[a-z-]+ [^ ]+/) == 0) value = ""
            name = $1 (value == "" ? "" : " " value)
            text = $0
            next
        }
        { sub(/^ +/, ""); text = text " " $0 }' | sort
}

options_of_page()
{
    section "$1" OPTIONS | tr -d '`' | awk '
        function tell() { if (name != "" && name != "--help") print name, standing(text) }
        function standing(text) { return match(text, /\(default [^)]*\)/) ? substr(text, RSTART, RLENGTH) : "" }
        /^\*\*--/ {
            tell()
            gsub(/\*/, "")
            name = $0
            text = ""
            next
        }
        { sub(/^ +/, ""); text = text " " $0 }
        END { tell() }' | sort
}

exit_codes() { section "$1" "EXIT STATUS" | sed -n 's/^\*\*\([0-9]*\)\*\*$/\1/p' | sort -n; }

test_command()
{
    page="$man/lotor-$1.1.md"
    last="man/lotor-$1.1.md"
    if [ ! -f "$page" ]; then
        blame "there is no page for lotor $1"
        return
    fi
    summary=$("$lotor" help "$1" | awk 'NF == 0 { exit } { printf "%s%s", gap, $0; gap = " " }' | sed "s/^lotor $1 - //")
    same "title" "$(sed -n 's/^title: //p' "$page")" "LOTOR-$(echo "$1" | tr a-z A-Z)"
    same "NAME" "$(section "$page" NAME | grep .)" "lotor-$1 - $summary"
    same "options and defaults" "$(options_of_page "$page")" "$(options_of_help "$1")"
    for heading in SYNOPSIS DESCRIPTION EXAMPLES "EXIT STATUS" "SEE ALSO"; do
        [ -n "$(section "$page" "$heading")" ] || blame "there is no section $heading"
    done
    section "$page" EXAMPLES | grep -q "^    .*lotor $1" || blame "no example runs lotor $1"
    grep -q "^\*\*lotor-$1\*\*(1)$" "$man/lotor.1.md" || blame "man/lotor.1.md does not list it"
    "$lotor" "$1" --no-such-option > /dev/null 2>&1
    exit_codes "$page" | grep -qx $? || blame "a wrong option's exit status is not in the page"
    for code in $(exit_codes "$page"); do
        echo " $all_codes " | grep -q " $code " || blame "no command ends with $code"
    done
}

# The exit codes of the sources must be in the page of the command and in its help.
last="exit codes"
all_codes=$(sed -n 's/^ *LOTOR_EXIT_[A-Z]* = \([0-9]*\).*/\1/p' "$root/src/cli/command.h" | tr '\n' ' ' | sed 's/ $//')
same "of man/lotor.1.md" "$(exit_codes "$man/lotor.1.md" | tr '\n' ' ' | sed 's/ $//')" "$all_codes"
same "of lotor --help" "$("$lotor" --help | sed -n '/Exit status:/,$p' | tr '\n' ' ' |
    grep -o '[ ;:] *[0-9][0-9]* ' | tr -dc '0-9\n' | tr '\n' ' ' | sed 's/ $//')" "$all_codes"

for command in $commands; do
    test_command "$command"
done

# Finds pages without a command. Without the service, some commands do not exist.
if echo "$commands" | grep -qx backup; then
    last="pages"
    same "the commands that have pages" "$(cd "$man" && ls lotor-*.1.md | sed 's/lotor-\(.*\)\.1\.md/\1/' | sort)" \
        "$(echo "$commands" | sort)"
fi

# Prototypes, without spaces: one on each line, in the order of their names.
in_headers()
{
    cat "$root"/include/lotor/*.h "$root"/include/lotor/experimental/*.h | sed 's#/\*.*\*/##' | awk '
        /^LOTOR_API/ { inside = 1; line = "" }
        inside { line = line $0 }
        inside && /;/ { sub(/^LOTOR_API/, "", line); gsub(/[ \t]/, "", line); print line; inside = 0 }' | sort
}

in_page()
{
    section "$man/liblotor.3.md" "THE LADDER" | awk '
        /^    [a-z]/ { inside = 1; line = "" }
        inside { line = line $0 }
        inside && /;$/ { gsub(/[ \t]/, "", line); print line; inside = 0 }' | sort
}

last="man/liblotor.3.md"
same "prototypes" "$(in_page)" "$(in_headers)"
[ "$(in_page | wc -l)" -gt 50 ] || blame "few prototypes were found"
same "status codes" \
    "$(section "$man/liblotor.3.md" "STATUS CODES" | sed -n 's/^\*\*\(LOTOR_[A-Z]*\)\*\* (\([0-9]*\))$/\1 \2/p')" \
    "$(sed -n 's/^    \(LOTOR_[A-Z]*\) = \([0-9]*\).*/\1 \2/p' "$root/include/lotor/status.h")"
for header in "$root"/include/lotor/*.h "$root"/include/lotor/experimental/*.h; do
    name=${header#"$root/include/lotor/"}
    [ "$name" = lotor.h ] || grep -q "^## lotor/$name - " "$man/liblotor.3.md" || blame "$name has no place in it"
done

# Every reference to a page of this manual leads to a page.
for page in "$man"/*.[0-9].md; do
    last="man/$(basename "$page")"
    for reference in $(grep -o '\*\*[a-z0-9-]*\*\*([0-9])' "$page" | sed 's/\*\*\(.*\)\*\*(\([0-9]\))/\1.\2/' | sort -u); do
        case $reference in
        fork.2 | snprintf.3) ;;
        *) [ -f "$man/$reference.md" ] || blame "it refers to $reference, which is not there" ;;
        esac
    done
    pass
done
finish
