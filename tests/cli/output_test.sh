# output_test.sh - an output that can't be written and an input that can't be read are failures.
. "$(dirname "$0")/lib.sh"

echo 1 > "$input"
if [ -c /dev/full ]; then
    for arguments in --help '--version' 'sample laplace --scale 1 --count 100000' \
        'count --mechanism hybrid --epsilon 1' 'account --epsilon 1 --json'; do
        last="lotor $arguments > /dev/full"
        # shellcheck disable=SC2086
        "$lotor" $arguments < "$input" > /dev/full 2> "$folder/err"
        code=$?
        status 1
        err 'the output could not be written'
    done
fi

last='lotor --version >&-'
"$lotor" --version >&- 2> "$folder/err"
code=$?
status 1

last='lotor count < folder'
"$lotor" count --mechanism hybrid --epsilon 1 < "$folder" > "$folder/out" 2> "$folder/err"
code=$?
status 1
err 'standard input could not be read'
"$lotor" stop --rule nas --alpha 0.1 --beta 0.1 < "$folder" > "$folder/out" 2> "$folder/err"
code=$?
status 1
err 'standard input could not be read'
for arguments in 'count --mechanism hybrid --epsilon 1' 'stop --rule nas --alpha 0.1 --beta 0.1'; do
    last="lotor $arguments --json < folder"
    # shellcheck disable=SC2086
    "$lotor" $arguments --json < "$folder" > "$folder/out" 2> "$folder/err"
    code=$?
    status 1
    json
    out '"error": "standard input could not be read'
    err 'standard input could not be read'
done

# If the reader closes the pipe, the command ends without a message.
last='endless sample | head -1'
line=$("$lotor" sample laplace --scale 1 --count 1e18 --seed 1 2> "$folder/err" | head -1)
[ -n "$line" ] && pass || blame "no first line"
no_err

# The command prints each sum before it reads the next line, so a program with pipes in both
# directions does not hang.
last='lotor count as a coprocess'
mkfifo "$folder/questions" "$folder/answers"
"$lotor" count --mechanism hybrid --epsilon inf < "$folder/questions" > "$folder/answers" \
    2> "$folder/err" &
child=$!
exec 3> "$folder/questions" 4< "$folder/answers"
echo 1 >&3
read -r first <&4
echo 0.5 >&3
read -r second <&4
exec 3>&- 4<&-
wait "$child"
code=$?
status 0
same "first answer" "$first" 1
same "second answer" "$second" 1.5
finish
