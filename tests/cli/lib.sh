# lib.sh - a few words for testing a command from the shell. Sourced, with the binary as $1.
#
#   run ARGUMENTS...      runs it on the input in $input; keeps what it wrote and its status
#   status N              it must have ended with N
#   out PATTERN           a line of its output must match (grep -E); no_out: none may
#   err PATTERN           the same for standard error; no_err
#   json                  its output must be JSON
#   same WHAT A B         two texts must be equal
#
# finish prints the verdict and ends the script with it.
set -u
LC_ALL=C
export LC_ALL
lotor=$1
folder=$(mktemp -d "${TMPDIR:-/tmp}/lotor-test.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
input=$folder/input
: > "$input"
checks=0
failures=0
last=

run()
{
    last="lotor $*"
    "$lotor" "$@" < "$input" > "$folder/out" 2> "$folder/err"
    code=$?
}

pass()
{
    checks=$((checks + 1))
}

blame()
{
    checks=$((checks + 1))
    failures=$((failures + 1))
    echo "FAILED: $*"
    echo "  after: $last"
    if [ -s "$folder/err" ]; then
        sed 's/^/  stderr: /' "$folder/err" | head -5
    fi
}

status()
{
    if [ "$code" -eq "$1" ]; then pass; else blame "exit status $code, not $1"; fi
}

out()
{
    if grep -Eq -e "$1" "$folder/out"; then pass; else blame "the output lacks: $1"; fi
}

no_out()
{
    if [ ! -s "$folder/out" ]; then pass; else blame "output where none was expected"; fi
}

err()
{
    if grep -Eq -e "$1" "$folder/err"; then pass; else blame "standard error lacks: $1"; fi
}

no_err()
{
    if [ ! -s "$folder/err" ]; then pass; else blame "standard error is not empty"; fi
}

# With python3 the real thing; without it, brackets must at least match outside strings.
json()
{
    if [ -x /usr/bin/python3 ]; then
        if /usr/bin/python3 -m json.tool < "$folder/out" > /dev/null 2>&1; then
            pass
        else
            blame "not JSON: $(head -c 300 "$folder/out")"
        fi
    elif sed 's/\\.//g; s/"[^"]*"//g' "$folder/out" |
        awk '{ opened += gsub(/[[{]/, ""); closed += gsub(/[]}]/, "") }
             END { exit !(opened > 0 && opened == closed) }'; then
        pass
    else
        blame "brackets do not match: $(head -c 300 "$folder/out")"
    fi
}

same()
{
    if [ "$2" = "$3" ]; then pass; else blame "$1: got '$2', expected '$3'"; fi
}

# near WHAT VALUE EXPECTED TOLERANCE
near()
{
    if awk -v value="$2" -v expected="$3" -v tolerance="$4" 'BEGIN {
        off = value - expected; if (off < 0) off = -off; exit !(value != "" && off <= tolerance) }'
    then pass; else blame "$1: got $2, expected $3 within $4"; fi
}

finish()
{
    echo "$checks checks, $failures failed"
    [ "$failures" -eq 0 ]
    exit
}
