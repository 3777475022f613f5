# serve_test.sh - lotor serve and lotor key from the shell: options, the files next to the store,
# signals, a second server.
. "$(dirname "$0")/../cli/lib.sh"

store=$folder/s.db
start()
{
    rm -f "$folder/s.log"
    start_server s --store "$store"
}
# stop SIGNAL: its exit status in $code
stop()
{
    kill "-$1" "$server"
    wait "$server"
    code=$?
}
log() # PATTERN: what the server writes must match, now or soon
{
    if await 10 grep -Eq -e "$1" "$folder/s.log"; then pass; else blame "the log lacks: $1: $(cat "$folder/s.log")"; fi
}
# call KEY PATH [BODY]: the HTTP status in $http, the reply in $folder/out
call()
{
    http=$(curl -s -m "$(seconds 10)" -o "$folder/out" -w '%{http_code}' -H "Authorization: Bearer $1" \
        ${3:+-d "$3"} "http://127.0.0.1:$port$2")
    case $2 in
    /v1/* | /healthz | /readyz) # ends with a newline
        [ "$http" = 000 ] || [ "$(tail -c 1 "$folder/out" | tr '\n' N)" = N ] || blame "the reply to $2 does not end its line"
        ;;
    esac
}

# --- the command line
run serve
status 2
err 'store'
run serve --store "$store" --port 70000
status 2
err '0 to 65535'
run serve --store "$store" --threads 0
status 2
run serve --store "$store" --listen nowhere --port 0
status 2
err 'such as 127.0.0.1'
run serve --store "$folder/none/s.db" --port 0
status 1
run key --store "$store"
status 2
err 'role'
run key --role admin
status 2
err '\-\-store FILE'
run key --store "$store" --role king
status 2
err 'rank'
run key --store "$store" --role rank --name 'two words'
status 2
run key --store "$folder/none/s.db" --role rank
status 1
rm -f "$folder"/s.db*

# --- options from the environment and from a file
run serve
err 'LOTOR_STORE'
LOTOR_STORE=$store LOTOR_PORT=70000 "$lotor" serve 2> "$folder/err"
same "a port of the environment" "$?" 2
err '0 to 65535'
printf '{"store": "%s",\n "pord": 1}\n' "$store" > "$folder/config.json"
run serve --config "$folder/config.json"
status 2
err 'config.json., line 2: there is no option .pord.: did you mean .port.'
run serve --config "$folder/none.json"
status 1
err 'none.json.*No such file'
# Each option of the help has a variable that is noticed: a value that can't be right names the variable or the option.
for option in $("$lotor" help serve | sed -n 's/^  --\([a-z-]*\) .*/\1/p'); do
    case $option in
    port | threads | patience)
        env "LOTOR_$(echo "$option" | tr a-z- A-Z_)=x" "$lotor" serve --store "$store" 2> "$folder/err"
        same "LOTOR_ variable of --$option" "$?" 2
        err "LOTOR_$(echo "$option" | tr a-z- A-Z_)"
        ;;
    esac
done
printf '{"store": "%s", "port": 0, "port-file": "%s", "threads": 2}\n' "$store" "$folder/file.port" > "$folder/config.json"
LOTOR_PORT_FILE=$folder/env.port "$lotor" serve --config "$folder/config.json" 2> "$folder/config.log" &
server=$!
servers="$servers $server"
await 10 test -s "$folder/env.port"
same "the environment comes before the file" "$(ls "$folder/file.port" 2> /dev/null)" ""
same "a server without a command line" \
    "$(curl -s -m "$(seconds 10)" "http://127.0.0.1:$(cat "$folder/env.port")/healthz")" '{"status": "ok"}'
kill "$server"
wait "$server"
rm -f "$folder"/s.db*

# --- the first start prints the next steps, and these work, also with a file of keys that is not next to the store
"$lotor" serve --store "$store" --keys "$folder/my.keys" --port 0 --port-file "$folder/keys.port" 2> "$folder/keys.log" &
server=$!
servers="$servers $server"
await 10 grep -q 'Stop with' "$folder/keys.log"
hint=$(sed -n 's/.*Make one:  KEY=$(lotor \(.*\))$/\1/p' "$folder/keys.log")
same "the hint has --keys" "$hint" "key --keys $folder/my.keys --role admin"
# shellcheck disable=SC2086 # words
"$lotor" $hint > "$folder/my.key" 2> /dev/null
same "the key of the hint" "$(curl -s -o /dev/null -w '%{http_code}' -m "$(seconds 10)" \
    -H "Authorization: Bearer $(cat "$folder/my.key")" "http://127.0.0.1:$(cat "$folder/keys.port")/v1/campaigns")" 200
kill "$server"
wait "$server"
rm -f "$folder"/s.db*

start
same "it runs" "$(kill -0 "$server" && echo yes)" yes
log "serving $store on http://127.0.0.1:$port"
log 'There is no key yet.*lotor key --store .* --role admin'
log "curl -H .Authorization: Bearer .KEY. http://127.0.0.1:$port/v1/campaigns"
key=$("$lotor" key --store "$store" --role admin --name me 2> "$folder/err")
err 'shown once'
same "a key's length" "${#key}" 49
call "$key" /v1/campaigns
same "a new key works at once" "$http" 200
for file in key keys; do
    same "the mode of s.db.$file" "$(stat -c %a "$store.$file")" 600
done
same "the mode of the store" "$(stat -c %a "$store")" 600

# --- a second server on the store is refused, and so is a port that is in use
run serve --store "$store" --port 0 --port-file "$folder/s.port"
status 1
err 'server'
same "the first one's port file" "$(cat "$folder/s.port")" "$port"
run serve --store "$folder/other.db" --port "$port"
status 1
err 'can.t listen'

# --- SIGHUP: a broken line in the file of keys is skipped and named, the others count
cp "$store.keys" "$folder/saved"
echo nonsense | cat - "$folder/saved" > "$store.keys"
kill -HUP "$server"
log 'bad lines are ignored: line 1 '
call "$key" /v1/campaigns
same "a key beside a broken line" "$http" 200
chmod 644 "$store.keys"
kill -HUP "$server"
log 'no key is valid until the file of keys can be read: '
call "$key" /v1/campaigns
same "a file of keys that others may read" "$http" 503
chmod 600 "$store.keys"
: > "$store.keys"
kill -HUP "$server"
log '0 keys read'
call "$key" /v1/campaigns
same "a key that was taken back" "$http" 401
cat "$folder/saved" > "$store.keys"
call "$key" /v1/campaigns
same "and given again" "$http" 200

# --- campaigns after a clean stop, and acknowledged rewards after kill -9
call "$key" /v1/campaigns '{"name": "shop", "algorithm": "batch-klucb", "arms": ["a", "b"], "epsilon": 1}'
same "a campaign" "$http" 201
stop TERM
same "the exit status after SIGTERM" "$code" 0
log 'stopped'
same "the port file is gone" "$(ls "$folder/s.port" 2> /dev/null)" ""
start
call "$key" /v1/campaigns/shop/rank '{}'
same "rank after a restart" "$http" 200
event=$(sed -n 's/.*"event": "\([^"]*\)".*/\1/p' "$folder/out")
call "$key" "/v1/events/$event/reward" '{"rewards": [1]}'
same "a reward" "$http" 200
stop KILL
start
call "$key" "/v1/events/$event/reward" '{"rewards": [1]}'
same "the same reward after kill -9" "$http" 200
stop INT
same "the exit status after Ctrl-C" "$code" 0

# --- a database that is not there: the server waits, says why, and ends when it is told to
"$lotor" serve --store postgres://nobody:secret@127.0.0.1:1/none --keys "$store.keys" --key-file "$store.key" --port 0 \
    > "$folder/s.log" 2>&1 &
server=$!
servers="$servers $server"
log 'waiting for the database 127.0.0.1:1/none, and trying again each second: .*refused'
stop TERM
same "the exit status of a server that waited" "$code" 0
log 'stopped while waiting for the database'
if grep -q secret "$folder/s.log"; then blame "the log has the password"; else pass; fi

# --- files that others could read are refused
chmod 644 "$store.keys"
run serve --store "$store" --port 0
status 2
err '0600'
chmod 600 "$store.keys"
chmod 644 "$store.key"
run serve --store "$store" --port 0
[ "$code" -ne 0 ] && pass || blame "a key file that others may read was taken"

# --- a server without its key file asks for it, and does not make a new key
rm "$store.key"
run serve --store "$store" --port 0
status 1
err 'secret key .*s.db.key. of the store is missing: put it back'
same "a new key" "$(ls "$store.key" 2> /dev/null)" ""
finish
