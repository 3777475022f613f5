# algorithms_test.sh - lotor algorithms: the catalog, for people and for programs.
. "$(dirname "$0")/lib.sh"

ids='ucb se dp-ucb dp-se dp-se2 dp-se2-modified omm cts cts-beta dpucb-mat dpts-mat'

run algorithms
status 0
no_err
out '^id +problem +trust +what is proved +paper$'
for id in $ids; do
    out "^$id +(finite|matroid) +(none|central) +[a-z]"
done
out '^dp-se +finite +central +epsilon-DP'
out 'Algorithm 10'
same "lines wider than 80" "$(awk 'length > 80' "$folder/out")" ""
same "blanks at ends of lines" "$(grep -c ' $' "$folder/out")" 0
words=$(tr -s ' \n' ' ' < "$folder/out")
case $words in
*"Sajed 2019, "*"Algorithm 9"*) pass ;;
*) blame "papers are missing: $words" ;;
esac

run algorithms --json
status 0
json
no_err
for id in $ids; do
    out "\"id\": \"$id\""
done
for key in id summary problem model private not_private theorem regret paper needs_horizon parts \
    learner statistic rule feedback oracle; do
    same "rows with $key" "$(grep -c "\"$key\": " "$folder/out")" "$(grep -c '"id": ' "$folder/out")"
done
row=$(grep '"id": "dp-ucb"' "$folder/out")
case $row in
*'"model": "central"'*'"not_private": null'*'"needs_horizon": true'*'"statistic": "tree"'*) pass ;;
*) blame "the row of dp-ucb: $row" ;;
esac
row=$(grep '"id": "omm"' "$folder/out")
case $row in
*'"private": false, "not_private": "'[a-z]*'"rule": "mean + sqrt(2 log t / n)"'*'"oracle": "matroid"'*) pass ;;
*) blame "the row of omm: $row" ;;
esac

# Every id can be played.
for id in $ids; do
    run run "$id" --instance c1 --horizon 200 --runs 2 --json
    status 0
    out "\"algorithm\": \"$id\""
done

run algorithms extra
status 2
err '"extra" is one argument too many'
run help algorithms
status 0
same "lines of help wider than 80" "$(awk 'length > 80' "$folder/out")" ""
finish
