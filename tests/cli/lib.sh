# lib.sh - functions for testing a command from the shell. Sourced, with the binary as $1.
#
#   run ARGUMENTS...      runs the command on the input in $input; keeps its output and its status
#   status N              its exit status must be N
#   out PATTERN           a line of its output must match (grep -E); no_out: none may
#   err PATTERN           the same for standard error; no_err
#   json                  its output must be JSON
#   same WHAT A B         two texts must be equal
#   start_server NAME OPTIONS...   lotor serve on a free port, which is then in $port and in $folder/NAME.port; its
#                                  process is in $server, what it writes in $folder/NAME.log
#   need TOOL             fails the test, and returns 1, if a command is not installed
#   seconds, await        as in tests/support/patience.sh
#
# finish prints the verdict and ends the script with it.
set -u
LC_ALL=C
export LC_ALL
lotor=$1
folder=$(mktemp -d "${TMPDIR:-/tmp}/lotor-test.XXXXXX") || exit 1
servers=
end_all() # whatever happens, no server runs longer than the test
{
    # shellcheck disable=SC2086 # a list of processes
    [ -z "$servers" ] || kill -9 $servers 2> /dev/null
    rm -rf "$folder"
}
trap end_all EXIT
trap 'exit 1' HUP INT TERM
for support in "$(dirname "$0")/../support" "$(dirname "$0")/../../support"; do
    # shellcheck source=/dev/null
    if [ -f "$support/patience.sh" ]; then . "$support/patience.sh"; fi
done
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

server_is_up_or_ended()
{
    [ -s "$folder/$name.port" ] || ! kill -0 "$server" 2> /dev/null
}

start_server()
{
    name=$1
    shift
    rm -f "$folder/$name.port"
    "$lotor" serve --port 0 --port-file "$folder/$name.port" "$@" >> "$folder/$name.log" 2>&1 &
    server=$!
    servers="$servers $server"
    await 10 server_is_up_or_ended
    port=$(cat "$folder/$name.port" 2> /dev/null) ||
        blame "the server does not start: $(tail -n 3 "$folder/$name.log")"
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

need()
{
    if command -v "$1" > /dev/null 2>&1; then
        return 0
    fi
    blame "$1 is not installed: run scripts/deps check"
    return 1
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

# With python3, the text is parsed. Without it, brackets outside strings must match.
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
