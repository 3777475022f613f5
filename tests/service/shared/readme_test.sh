# readme_test.sh - runs the commands of docs/operations.md that move a store from SQLite to PostgreSQL. Only the
# database's address, the folder and the ports differ. The learned state moves along, and both
# servers continue with it.
#
# Run by tests/service/shared/postgres.sh with sh tests/service/shared/readme_test.sh PATH-OF-LOTOR.
. "$(dirname "$0")/../../cli/lib.sh"
root=$(cd "$(dirname "$0")/../../.." && pwd)
store="$folder/x.db"
pids=""

is_ready() { curl -sf -m 5 -o /dev/null "127.0.0.1:$1/readyz"; }
ask() { # PORT PATH [BODY]
    curl -s -m "$(seconds 20)" -H "Authorization: Bearer $key" "127.0.0.1:$1$2" ${3:+-d "$3"}
}
number() { sed 's/.*"'"$1"'": \([0-9.]*\).*/\1/'; }
free_port() {
    port=$((20000 + ($$ * 7 + $1 * 1013) % 20000))
    while curl -s -o /dev/null "127.0.0.1:$port/"; do port=$((port + 1)); done
    echo "$port"
}
first=$(free_port 1)
second=$(free_port 2)

# A campaign on SQLite, with a release and an open round whose reward comes after the move.
key=$("$lotor" key --store "$store" --role admin 2>/dev/null)
"$lotor" serve --store "$store" --port "$first" --allow-weak-epsilon 2>"$folder/log" &
old=$!
await 10 is_ready "$first" || blame "the server on the file does not start"
ask "$first" /v1/campaigns '{"name": "news", "algorithm": "batch-klucb", "epsilon": 1000000,
    "arms": ["a"], "max_arms": 1, "wait_seconds": 3}' >/dev/null
event_of() { ask "$1" /v1/campaigns/news/rank '{}' | sed 's/.*"event": "\([^"]*\)".*/\1/'; }
early=$(event_of "$first")
ask "$first" "/v1/events/$early/reward" '{"rewards": [1]}' >/dev/null
sleep 3.5
open=$(event_of "$first")
releases=$(ask "$first" /v1/campaigns/news | number releases)
last="before the move"
same "releases" "$releases" 1

# A store in use is not moved.
"$lotor" move "$store" "$LOTOR_TEST_POSTGRES" >/dev/null 2>&1 && blame "a store in use was moved"
kill "$old"
wait "$old"

awk '/^## / { inside = /^## Several servers/ } inside && /^    \$ / { print substr($0, 7) }' \
    "$root/docs/operations.md" >"$folder/lines"
same "lines in docs/operations.md" "$(wc -l <"$folder/lines" | tr -d ' ')" 3
sed -i -e "s#/tmp/#$folder/#g" -e "s#postgres://[^ ]*#'$LOTOR_TEST_POSTGRES'#" \
    -e "s#--port 8081#--port $second#" -e "/--port/!s#lotor serve#lotor serve --port $first#" \
    -e "s#build/lotor#'$lotor'#" -e 's#&$#2>>"$folder/log" \& pids="$pids $!"#' "$folder/lines"
last="the lines of docs/operations.md"
. "$folder/lines" >"$folder/said" 2>&1 || blame "$(cat "$folder/said")"
await 10 is_ready "$first" && await 10 is_ready "$second" || blame "the servers do not start: $(tail -n 3 "$folder/log")"

last="after the move"
same "releases on the first" "$(ask "$first" /v1/campaigns/news | number releases)" 1
same "releases on the second" "$(ask "$second" /v1/campaigns/news | number releases)" 1
case $(ask "$second" "/v1/events/$open/reward" '{"rewards": [1]}') in
*acknowledged*) pass ;;
*) blame "an event of before the move is not known" ;;
esac
for port in "$first" "$second" "$first" "$second"; do
    ask "$port" "/v1/events/$(event_of "$port")/reward" '{"rewards": [1]}' >/dev/null
done
sleep 8
one=$(ask "$first" /v1/campaigns/news | sed 's/.*"decisions"\(.*\)"guarantee".*/\1/')
two=$(ask "$second" /v1/campaigns/news | sed 's/.*"decisions"\(.*\)"guarantee".*/\1/')
same "what both servers say" "$one" "$two"
[ "$(ask "$first" /v1/campaigns/news | number releases)" -gt 1 ] || blame "nothing more was released"
# shellcheck disable=SC2086 # a list of processes
kill $pids
# shellcheck disable=SC2086
wait $pids

# The file is older than the later releases, so it is not served again.
"$lotor" serve --store "$store" --port "$first" >"$folder/said" 2>&1 && blame "the old file was served"
grep -q 'older copy' "$folder/said" || blame "$(cat "$folder/said")"
pass
finish
