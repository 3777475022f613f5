# two_servers.sh - two servers on one database, 1 and 2; sourced after cli/lib.sh. Their ports are in $folder/port1
# and $folder/port2, an admin's key is in $key. They are killed at the end.
pids=""
trap '[ -z "$pids" ] || kill -9 $pids 2>/dev/null; rm -rf "$folder"' EXIT
key=$("$lotor" key --keys "$folder/keys" --role admin 2>/dev/null)
for i in 1 2; do
    "$lotor" serve --store "$LOTOR_TEST_POSTGRES" --key-file "$folder/key" --keys "$folder/keys" --port 0 \
        --port-file "$folder/port$i" 2>"$folder/log$i" &
    pids="$pids $!"
done
for i in 1 2; do
    tries=0
    until [ -s "$folder/port$i" ]; do
        tries=$((tries + 1))
        [ "$tries" -lt 100 ] || { blame "server $i does not start: $(cat "$folder/log$i")"; finish; }
        sleep 0.1
    done
done
