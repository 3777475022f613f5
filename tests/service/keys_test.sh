# keys_test.sh - lotor key list and revoke, keys for one campaign, and lotor audit-log, with a running server.
. "$(dirname "$0")/../cli/lib.sh"
store=$folder/s.db

# --- mistakes in the command line
wrong() # PATTERN ARGUMENTS...
{
    pattern=$1
    shift
    run key "$@" --store "$store"
    status 2
    err "$pattern"
}
wrong '--role ROLES is missing'
wrong '--role is "rank,root": expected some of rank, reward, read, metrics and admin' --role rank,root
wrong '--expires is "soon": expected' --role rank --expires soon
wrong '--expires is "2020-01-01", which is in the past' --role rank --expires 2020-01-01
wrong '"a b" is not the name of a campaign' --role rank --campaign "a b"
wrong '"lists" is not an action: expected list, revoke NAME' lists
wrong 'expected one name or id' revoke
wrong 'are for new keys' list --role rank
wrong 'the key file .* does not exist' revoke nobody
run key list --store "$store"
status 0
out "^There are no keys: the key file $store\.keys does not exist\.$"
run audit-log "$store"
status 1

# --- lists
make() { "$lotor" key --store "$store" "$@" 2> /dev/null; }
admin=$(make --role admin --name me)
web=$(make --role rank,reward --name web-1 --campaign home --expires 2099-12-31)
make --role read --name twin > /dev/null
make --role metrics --name twin --expires 90d > /dev/null
echo "nonsense" >> "$store.keys"
run key list --store "$store"
status 0
out '^[0-9a-f]{8}  admin  +\(all\)  +never  +me$'
out '^[0-9a-f]{8}  rank,reward  +home  +2099-12-31T00:00:00Z  web-1$'
err '^1 line of .* is not a key and counts for nothing: 5$'
if grep -q lotor_ "$folder/out"; then blame 'a key is in the list'; else pass; fi
run key list --store "$store" --json
status 0
json
out '"roles": "rank,reward", "name": "web-1", "campaign": "home", "expires": "2099-12-31T00:00:00Z", "expired": false'
out '"bad_lines": \[5\]'
run serve --store "$store" --port 0 # a server that starts refuses a bad line, and names it
err 'line 5 of the key file'
wrong 'several keys have the name "twin": give the id' revoke twin
i=0
while [ $i -lt 99 ]; do # the list has all bad lines, however many there are
    echo "nonsense" >> "$store.keys"
    i=$((i + 1))
done
run key list --store "$store" --json
json
out '"bad_lines": \[5, 6, .*, 102, 103, 104\]'
same "bad lines" "$(grep -o '"bad_lines": .*' "$folder/out" | tr -cd , | wc -c)" 99
sed -i '/nonsense/d' "$store.keys"

# A file that was edited on Windows has lines that end in CR and LF.
sed -i 's/$/\r/' "$store.keys"
printf '\r\n' >> "$store.keys"
run key list --store "$store"
status 0
out '  web-1$'
no_err

# --- a running server
start_server s --store "$store"
code() # KEY METHOD PATH [BODY]
{
    last="$2 $3"
    curl -s -m "$(seconds 10)" -o "$folder/out" -w '%{http_code}' -X "$2" -H "Authorization: Bearer $1" \
        ${4:+-d "$4"} "http://127.0.0.1:$port$3"
}
for name in home other; do
    same "$name" "$(code "$admin" POST /v1/campaigns "{\"name\": \"$name\", \"arms\": [\"a\", \"b\"], \"epsilon\": 1}")" 201
done
same "its own campaign" "$(code "$web" POST /v1/campaigns/home/rank '{}')" 200
same "another campaign" "$(code "$web" POST /v1/campaigns/other/rank '{}')" 403
out 'this key is for the campaign home only: expected a key with the role rank or admin for that campaign'
same "another role" "$(code "$web" GET /v1/campaigns/home)" 403
out 'expected a key with the role read or admin'

# A bad line does not keep a deleted key alive, and is in the log with its number.
echo "rank;expires=tomorrow 00 x" >> "$store.keys"
run key revoke web-1 --store "$store"
status 0
out '^The key web-1 \([0-9a-f]{8}, rank,reward\) is revoked\.'
is_gone() { [ "$(code "$web" POST /v1/campaigns/home/rank '{}')" = 401 ]; }
await 10 is_gone || blame "the revoked key still works"
is_told() { grep -q 'bad lines are ignored: line 5 of the key file' "$folder/s.log"; }
await 10 is_told || blame "the log does not name the line: $(cat "$folder/s.log")"
same "other keys" "$(code "$admin" GET /metrics)" 200
out '^lotor_key_file_bad_lines 1$'
out '^lotor_keys 3$'

# --- the audit log, while the server runs
same "arms" "$(code "$admin" POST /v1/campaigns/other/arms '{"pause": ["a"], "add": ["c"]}')" 200
same "close" "$(code "$admin" POST /v1/campaigns/home/close '{}')" 200
run audit-log "$store"
status 0
tab=$(printf '\t')
out "^1${tab}20..-..-..T..:..:..Z${tab}me${tab}[0-9a-f]{8}${tab}home${tab}create${tab}algorithm lik-imed, epsilon 1, 2 arms, 1 slot; arms a, b; "
out '; wait_seconds 3600'
out '; feedback "rewards"'
out "^3${tab}.*${tab}other${tab}arms${tab}add c; pause a\$"
out "^4${tab}.*${tab}home${tab}close${tab}\$"
same "lines" "$(wc -l < "$folder/out")" 4
run audit-log "$store" --after 3 --json
status 0
json
out '^\{"number": 4, "time": [0-9]+\.[0-9]{3}, "key": "me", "key_id": "[0-9a-f]{8}", "campaign": "home", "act": "close", "change": ""\}$'
same "lines" "$(wc -l < "$folder/out")" 1
same "the log over HTTP" "$(code "$admin" GET '/v1/audit?after=3')" 200
out '"key": "me"'
run check "$store"
status 0
kill "$server"
wait "$server"

# A start that accepts a rollback has a line, and an edited line is noticed.
sed -i '/tomorrow/d' "$store.keys"
start_server s --store "$store" --accept-rollback
kill "$server"
wait "$server"
run audit-log "$store" --after 4
out "^5${tab}.*${tab}-${tab}-${tab}-${tab}accept-rollback${tab}"
if need sqlite3; then
    sqlite3 "$store" "UPDATE audit SET key = 'you' WHERE number = 2"
    run audit-log "$store"
    status 1
    err 'line 2 of the audit log is missing or was changed'
    run check "$store"
    status 1
    sqlite3 "$store" "UPDATE audit SET key = 'me' WHERE number = 2; DELETE FROM audit WHERE number = 5"
    for after in 0 3 4; do
        run audit-log "$store" --after $after
        status 1
        err 'the audit log ends with line 4, and its last line was 5'
    done
    run check "$store"
    status 1
    err 'the audit log ends with line 4, and its last line was 5'
fi
finish
