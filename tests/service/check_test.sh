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
