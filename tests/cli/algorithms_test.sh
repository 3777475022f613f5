# algorithms_test.sh - lotor algorithms: the catalog, for people and for programs.
. "$(dirname "$0")/lib.sh"

any='batch-klucb lik-imed rr-imed rr-klucb adap-ucb'
finite='ucb klucb imed ts moss exp3 se dp-ucb dp-se dp-se2 dp-se2-modified dp-ucb-tight dp-se-acc
    dp-klucb dp-imed adap-klucb lazy-dp-ts ldp-ucb-l ldp-ucb-b'
sets='omm cts cts-beta dpucb-mat dpts-mat cucb cucb-ldp1 cucb-ldp2 cucb-dp cucb-dp2 cucb-ldp-gauss
    cascade-ucb cascade-dp cascade-ldp-laplace cascade-ldp-gauss cascade-ldp-composed
    cucb-dp-lazy cucb-ldp-box cascade-dp-lazy cascade-ldp-rr'
linear='linucb lints jdp-linucb-gauss jdp-linucb-wishart jdp-linucb-wishart-shifted jdp-linucb jdp-batch
    jdp-bayes'
leaking='cucb-ldp-gauss cascade-dp cascade-ldp-laplace cascade-ldp-gauss cascade-ldp-composed'
ids="$any $finite $sets $linear"

run algorithms
status 0
no_err
out '^  id +trust +paper$'
for problem in any finite matroid semi-bandit cascade linear; do
    out "^$problem: [a-z]"
done
for id in $ids; do
    out "^  $id +(none|central|local|joint) +[A-Z]"
done
same "ids" "$(grep -Ec '^  [a-z0-9-]+ +(none|central|local|joint) ' "$folder/out")" \
    "$(echo $ids | wc -w | tr -d ' ')"
out '^  dp-se +central +Sajed 2019, Algorithm 9$'
out '^  cucb-ldp2 +local +Chen et al\. 2020, Algorithm 2$'
out '^  jdp-linucb-gauss +joint +Shariff and Sheffet 2018, section 4\.2$'
out '^      epsilon-DP; regret'
out '^      \(epsilon, delta\)-DP; regret'
same "lines wider than 80" "$(awk 'length > 80' "$folder/out")" ""
same "blanks at ends of lines" "$(grep -c ' $' "$folder/out")" 0
# The text after an id, up to the next id, in one line.
tr -s ' \n' ' ' < "$folder/out" > "$folder/words"
run algorithms --json
for id in $leaking; do
    reason=$(grep "\"id\": \"$id\"" "$folder/out" | sed 's/.*"not_private": "\([^"]*\)".*/\1/')
    last="the row of $id"
    if grep -Fq "not private: $reason; regret" "$folder/words" && [ ${#reason} -gt 40 ]; then pass
    else blame "the whole reason is missing: $reason"; fi
done
same "rows that leak" "$(grep -o 'not private: ' "$folder/words" | wc -l | tr -d ' ')" 5
same "rows without an exact sampler" \
    "$(grep -o 'simulations only' "$folder/words" | wc -l | tr -d ' ')" 2

run algorithms --json
status 0
json
no_err
for id in $ids; do
    out "\"id\": \"$id\""
done
for key in id summary problem model private not_private theorem regret paper has_delta \
    simulation_only needs_horizon parts learner statistic rule feedback oracle; do
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
row=$(grep '"id": "jdp-bayes"' "$folder/out")
case $row in
*'experimental'*'"regret": "measured, not proved, and only for '*) pass ;;
*) blame "the row of jdp-bayes: $row" ;;
esac
row=$(grep '"id": "jdp-linucb-wishart"' "$folder/out")
case $row in
*'"problem": "linear", "model": "joint", "private": true'*'"simulation_only": true'*'"learner": "linear"'*) pass ;;
*) blame "the row of jdp-linucb-wishart: $row" ;;
esac
for id in $leaking; do
    row=$(grep "\"id\": \"$id\"" "$folder/out")
    case $row in
    *'"private": false, "not_private": "'[a-z]*'"theorem": null'*) pass ;;
    *) blame "the row of $id: $row" ;;
    esac
done

# Every id can be played.
for id in $any $finite $sets; do
    run run "$id" --instance c1 --horizon 200 --runs 2 --json
    status 0
    out "\"algorithm\": \"$id\""
done
for id in $linear; do
    run run "$id" --dimension 2 --horizon 200 --runs 2 --json
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
