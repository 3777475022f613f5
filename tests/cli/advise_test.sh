# advise_test.sh - which algorithm lotor advise recommends, and what it prints.
. "$(dirname "$0")/lib.sh"

# value KEY: the first number under that key.
field()
{
    sed -n "s/.*\"$1\": \([0-9.e+-]*\).*/\1/p" "$folder/out"
}

# Prints a line for each candidate: rounds, regret.
candidates()
{
    sed 's/.*"candidates": \[//; s/\].*//' "$folder/out" | tr '}' '\n' |
        sed -n 's/.*"regret": \([^,]*\).*"rounds": \([0-9]*\).*/\2 \1/p'
}

run advise --problem cascade --trust local --epsilon 1 --arms 20 --slots 4 --rounds 1e5 --seconds "$(seconds 1)"
status 0
out '^Take [a-z0-9-]+: '
out 'cascade-ucb, a usual'
out '^See its curve:$'
out '^Lower bound for this trust and epsilon: [0-9,]+\. In the long'
out ' 114\.28[0-9] times the'
no_err

# The printed command runs when a user copies it to a shell without a change.
mkdir "$folder/path"
ln -s "$(cd "$(dirname "$lotor")" && pwd)/$(basename "$lotor")" "$folder/path/lotor"
sed -n '/^See its curve:$/,$p' "$folder/out" | sed 1d > "$folder/command"
last="the command that lotor advise prints"
PATH=$folder/path:$PATH sh -e "$folder/command" > "$folder/out" 2> "$folder/err"
code=$?
status 0
out '^given means, 20 arms, '

# Choosing at random, computed by hand: 3 items, lists of 2, misses 0.25, 0.45, 0.45; the best list
# is clicked with 0.75, a random one with 1 - 1.15/3.
run advise --problem cascade --trust central --epsilon 1 --means 0.5,0.5,0.1 --slots 2 \
    --rounds 3000 --seconds "$(seconds 6)" --json
status 0
json
near "regret of random lists" "$(field random_regret)" 400 0.001
same "rounds" "$(field rounds_played)" 3000

# Semi-bandit: 4 of 20, 0.7 against 0.3: 1.28 a round.
run advise --problem semi-bandit --trust local --epsilon 1 --arms 20 --slots 4 --rounds 1000 \
    --seconds "$(seconds 6)" --json
status 0
near "regret of random sets" "$(field random_regret)" 1280 0.001
same "only local ones" "$(grep -c '"model": "central"' "$folder/out")" 0

# All algorithms that fit are listed, and the best is first.
run advise --problem finite --trust central --epsilon 1 --arms 5 --rounds 2e4 --seconds "$(seconds 2)" --json
status 0
json
same "sorted" "$(candidates | sort -k1,1nr -k2,2g)" "$(candidates)"
same "all of them" "$(candidates | awk 'END { print (NR > 4) }')" 1

# Algorithms that are here for comparison only are not played: few runs can miss those in which dp-imed loses most. They are
# in the catalog and are private, so nothing else leaves them out.
compared='dp-klucb dp-imed adap-klucb lazy-dp-ts ldp-ucb-l ldp-ucb-b'
for trust in central local; do
    run advise --problem finite --trust $trust --epsilon 0.1 --arms 5 --rounds 2000 --seconds "$(seconds 1)" --json
    status 0
    cp "$folder/out" "$folder/$trust.json"
done
run algorithms --json
status 0
for id in $compared; do
    out "^ *\{\"id\": \"$id\", .*\"private\": true"
    same "advice with $id" "$(cat "$folder/central.json" "$folder/local.json" | grep -c "\"$id\"")" 0
done

run advise --problem linear --trust joint --epsilon 1 --arms 10 --dimension 3 --rounds 1000 \
    --seconds "$(seconds 1)"
status 0
out '^  linucb '

# On any machine: an algorithm that refuses very long horizons is still tried with short ones.
run advise --problem finite --trust central --epsilon 1 --arms 5 --rounds 1e12 --seconds "$(seconds 2)" --json
status 0
out '"recommended": "lik-imed"'

# There is never enough time for so many rounds, and the output says so.
run advise --problem cascade --trust local --epsilon 1 --arms 20 --slots 4 --rounds 1e12 \
    --seconds "$(seconds 1)" --json
status 0
out 'Only the first part of'

for wrong in '' '--problem finite' '--problem nonsense' \
    '--problem finite --trust central --epsilon 1 --arms 1 --rounds 100' \
    '--problem finite --trust central --epsilon 0 --arms 5 --rounds 100' \
    '--problem finite --trust central --epsilon inf --arms 5 --rounds 100' \
    '--problem finite --trust joint --epsilon 1 --arms 5 --rounds 100' \
    '--problem finite --trust central --epsilon 1 --arms 5 --slots 2 --rounds 100' \
    '--problem cascade --trust central --epsilon 1 --arms 5 --rounds 100' \
    '--problem cascade --trust central --epsilon 1 --arms 5 --slots 5 --rounds 100' \
    '--problem linear --trust local --epsilon 1 --arms 5 --rounds 100' \
    '--problem linear --trust joint --epsilon 1 --means 0.1,0.2 --rounds 100' \
    '--problem finite --trust central --epsilon 1 --arms 3 --means 0.1,0.2 --rounds 100' \
    '--problem finite --trust central --epsilon 1 --arms 5 --rounds 1' \
    '--problem finite --trust central --epsilon 1 --arms 5 --rounds 1e15' \
    '--problem finite --trust central --epsilon 1 --arms 1e6 --rounds 100' \
    '--problem finite --trust central --epsilon 1 --arms 5 --rounds 100 --seconds 0'; do
    # shellcheck disable=SC2086 # words
    run advise $wrong
    status 2
    err '^lotor advise: '
done
run advise --problem finite --trust central --epsilon 1 --arms 5 --json
status 2
err -- '--rounds is missing'
json

finish
