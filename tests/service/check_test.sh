# check_test.sh - lotor check and lotor backup from the shell: what they refuse, with which
# messages.
. "$(dirname "$0")/../cli/lib.sh"

for name in check backup; do
    run "$name" --help
    status 0
    out "^Usage: lotor $name FILE"
    out '^Examples$'
    out '^  --json '
    same "widest line of help $name" "$(awk 'length > 80' "$folder/out")" ""
    run "$name"
    status 2
    no_out
    err "expected (one|a) store"
done

# A file that does not exist is not made.
run check "$folder/none.db"
status 1
no_out
err "can't be opened: No such file"
run backup "$folder/none.db" "$folder/copy.db"
status 1
err "can't be opened: No such file"
[ -e "$folder/none.db" ] && blame "a store was made"
[ -e "$folder/copy.db" ] && blame "a copy was made of nothing"

# A text file is not a store.
for i in 1 2 3 4 5 6 7 8 9; do echo "This is a letter, and not a database."; done > "$folder/letter"
run check "$folder/letter"
status 1
err 'not a store'
run check "$folder/letter" --json
status 1
json
out '"fine": false, "finding": ".*not a store'
run backup "$folder/letter" "$folder/copy.db" --json
status 1
json
out '^\{"error": ".*not a store'
[ -e "$folder/copy.db" ] && blame "a copy was made of a letter"

# A copy is one file, of a server that runs and of one that was stopped.
"$lotor" serve --store "$folder/s.db" --port 0 --port-file "$folder/port" 2> "$folder/log" &
server=$!
servers="$servers $server"
await 10 test -s "$folder/port"
run backup "$folder/s.db" "$folder/running.db"
status 0
kill "$server"
wait "$server"
run backup "$folder/s.db" "$folder/stopped.db"
status 0
for copy in running stopped; do
    same "the files of a copy" "$(cd "$folder" && echo $copy.db*)" $copy.db
    run check "$folder/$copy.db" --key "$folder/s.db.key"
    status 0
    same "the files of a checked copy" "$(cd "$folder" && echo $copy.db*)" $copy.db
done

# A key file that is named must exist, and only its owner may be able to read it.
run check "$folder/letter" --key "$folder/none.key"
status 1
err 'key file .* No such file'
: > "$folder/open.key"
chmod 644 "$folder/open.key"
run check "$folder/letter" --key "$folder/open.key"
status 1
err 'has mode 0644'
finish
