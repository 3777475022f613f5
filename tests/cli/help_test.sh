# help_test.sh - help, version, and the messages about unknown commands.
. "$(dirname "$0")/lib.sh"

run --version
status 0
out '^lotor [0-9]+\.[0-9]+\.[0-9]+$'
no_err

for way in --help -h help; do
    run $way
    status 0
    for name in advise run audit algorithms reproduce movielens sample count stop account; do
        out "^  $name +[a-z]"
    done
    no_err
done

run
status 2
no_out
err 'Usage: lotor COMMAND'

for name in advise run audit algorithms reproduce movielens sample count stop account; do
    run help "$name"
    status 0
    help=$(cat "$folder/out")
    run "$name" --help
    status 0
    same "both ways to ask for help on $name" "$(cat "$folder/out")" "$help"
    out "^Usage: lotor $name "
    out '^Examples$'
    out '^  --json '
    no_err
    same "widest line of help $name" "$(awk 'length > 80' "$folder/out")" ""

    # Every example in the help must run, those that simulate with fewer rounds. Continued lines are joined.
    sed -n '/^Examples$/,$p' "$folder/out" | sed -e 1d -e 's/\(--horizon\|--rounds\) 1e[5-9]/\1 1e4/' |
        awk '/\|$/ { printf "%s ", $0; next } sub(/\\$/, "") { printf "%s", $0; next } { print }' > "$folder/examples"
    [ -s "$folder/examples" ] || blame "no examples in help $name"
    PATH="$(dirname "$lotor"):$PATH"
    while read -r example; do
        last=$example
        (cd "$folder" && sh -c "$example") > "$folder/out" 2> "$folder/err" < /dev/null
        code=$?
        status 0
        out '.'
    done < "$folder/examples"
done

run cuont
status 2
err '"cuont": did you mean count\?'
run zzzzzzzzzz
status 2
err '"zzzzzzzzzz"'
run help smaple
status 2
err 'did you mean sample\?'
run --jsno
status 2
err '"--jsno"'
run "$(printf 'a\033[2Jb')"
status 2
err 'a\\x1b\[2Jb'
run count --epsilno 1
status 2
err '"--epsilno": did you mean --epsilon\?'
err 'lotor count --help'
run account extra --epsilon 1
status 2
err '"extra" is one argument too many'
finish
