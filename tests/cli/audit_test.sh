# audit_test.sh - lotor audit: claims that hold, claims that do not, and what the command prints
# about them.
. "$(dirname "$0")/lib.sh"

# A claim that holds. The same seed gives the same output.
run audit dpucb-mat --epsilon 2 --trials 2e4 --seed 1
status 0
no_err
out '^dpucb-mat: no violation found$'
out '^  claimed   epsilon 2 \(central\)$'
out '^  found     epsilon at least 1\.[0-9]+, with confidence 0\.999999'
out '^  event     [a-z]'
out '^  played    Table 6\.1 \(7 vectors, 3 shown\), 32 rounds; view: board; 20000'
out 'simulated'
tr -s ' \n' ' ' < "$folder/out" > "$folder/words"
last="what was exercised"
if grep -q 'exercised the first round replaced; a round from 5 to 40 replaced; 4 open rounds; the serving path with masks; .* not a reload during a release; the view of decisions; more than 64 rounds' "$folder/words"
then pass; else blame "what was exercised is not said: $(cat "$folder/words")"; fi
same "wide lines" "$(awk 'length > 80' "$folder/out")" ""
without_time() { sed 's/noise, .*//' "$folder/out"; }
first=$(without_time)
run audit dpucb-mat --epsilon 2 --trials 2e4 --seed 1 --threads 3
same "the same seed on more threads" "$(without_time)" "$first"

# Without a seed the noise is exact.
run audit cucb-ldp2 --trials 5000
status 0
out 'exact'

# The leaks of the papers: exit status 1, and one sentence that says why.
run audit cascade-ldp-gauss --epsilon 0.2 --trials 1e4
status 1
no_err
out '^cascade-ldp-gauss: violated, as is known$'
tr -s ' \n' ' ' < "$folder/out" > "$folder/words"
last="the event of cascade-ldp-gauss"
if grep -q 'at most one report comes from the round, so their number tells the click: in 100% of the trials when the first item was clicked in round 1, in 0% when none was' "$folder/words"
then pass; else blame "the event is not said: $(cat "$folder/words")"; fi
for id in cascade-ldp-laplace cascade-dp cascade-ldp-composed cucb-ldp-gauss; do
    run audit "$id" --trials 1e4 --seed 2
    status 1
    out "^$id: violated, as is known$"
done

# Half the noise is found. A trial of dp-se takes eight times as long as one of the others, and needs fewer.
for id in dp-ucb dp-se dpucb-mat cucb-ldp1 cucb-dp; do
    trials=2e4
    [ $id != dp-se ] || trials=5e3
    run audit "$id" --noise-scale 0.5 --trials $trials --seed 3
    status 1
    out "^$id: violated$"
    out 'noise \(multiplied\)'
done

# With too few releases, the audit can't decide.
run audit dp-se --horizon 50 --trials 1000
status 4
out '^dp-se: too little was seen$'
out 'The audit saw fewer than two rounds with a release'
run audit dp-se --horizon 50 --trials 1000 --json
status 4
json
out '"found": null'

# Three facts of one round are one release. The board at the start is not a release.
for id in dpucb-mat cucb-ldp-gauss; do
    run audit "$id" --horizon 1 --trials 1000 --seed 1
    status 4
done
# Without a decision after a release, there is nothing to observe. A claim about constant decisions
# is not called loose.
run audit batch-klucb --view actions --horizon 1 --trials 1000 --seed 1
status 4
run audit dp-se --view actions --trials 1000 --seed 1
status 4
out '^dp-se: nothing could be seen$'
out 'happened always or never'
# An audit that tells nothing apart is not a success.
run audit dp-ucb --epsilon 0.01 --trials 1000 --seed 1
status 4
out '^dp-ucb: nothing could be seen$'
out '^  found     nothing: no event told the two inputs apart'
out 'This says nothing about the claim: give more --trials'
run audit dp-ucb --epsilon 0.01 --trials 1000 --seed 1 --json
status 4
json
out '"verdict": "nothing could be seen", "violated": false'

# For programs: the same keys for every id.
run audit dp-ucb omm cascade-dp jdp-linucb-wishart --trials 4000 --json
status 1
json
no_err
for key in algorithm model claims_privacy verdict violated known_leak epsilon delta found estimated \
    looseness confidence event inputs attack events view setting trials releases noise_scale noise \
    seed seconds exercised not_exercised; do
    same "objects with $key" "$(grep -c "\"$key\": " "$folder/out")" 4
done
out '"algorithm": "omm".*"verdict": "claims nothing", "violated": false.*"epsilon": null'
out '"algorithm": "jdp-linucb-wishart".*"noise": "simulated"'
out '"algorithm": "dp-ucb".*"noise": "exact"'
run audit dpucb-mat --trials 2000 --seed 1 --json
status 0
json
out '^\{"algorithm": "dpucb-mat".*"seed": 1,.*\}$'

# All algorithms, in a table, with a plot. Known leaks do not make the command fail.
# With so few trials, nothing is seen of three loose claims.
run audit all --trials 4000 --seed 4 --plot "$folder/audit.svg"
status 4
no_err
out '^jdp-linucb-wishart +joint +2 +-  nothing could be seen$'
out '^In 3 of [0-9]+ nothing could be seen: give more --trials\.$'
out '^id +trust +claimed +found +verdict$'
out '^dpucb-mat +central +2 +[0-9.]+  '
out '^omm +none +- +[0-9.]+  claims nothing$'
out '^cascade-dp +central +2 +[0-9.]+  violated, as is known$'
out '^Events that tell the inputs apart:$'
out '^No claim that the catalog makes is broken\.$'
same "rows" "$(sed -n '2,/^$/p' "$folder/out" | grep -c '[a-z]')" \
    "$("$lotor" algorithms --json | grep -c '"id": ')"
same "wide lines" "$(awk 'length > 80' "$folder/out")" ""
last="the picture"
if grep -q '^<svg ' "$folder/audit.svg" && grep -q '>dpucb-mat<' "$folder/audit.svg" &&
    [ "$(tail -1 "$folder/audit.svg")" = "</svg>" ]; then pass; else blame "no picture"; fi
run audit dp-ucb cascade-dp --trials 4000 --seed 4
status 1
out '^No claim that the catalog makes is broken, and every known leak was found\.$'
# If no algorithm leaks, the output does not say that leaks were found. A probability is at most 1.
run audit dp-ucb cucb-dp --trials 1000 --seed 4 --confidence 0.5
status 0
out '^No claim that the catalog makes is broken\.$'
out 'probability of at most 1\.'
# A claim that is violated makes it fail.
run audit all --trials 1000 --seed 4 --epsilon 1 --noise-scale 0.25
status 1
out 'not as the catalog says\.$'

# Views.
run audit dpucb-mat --view actions --trials 1e4 --seed 1
status 0
out 'view: actions'
run audit cucb-ldp1 --view board --trials 2000 --seed 1
status 0
out 'view: board'
run audit dpucb-mat --view reports --trials 2000
status 2
err 'dpucb-mat has no reports'

# Usage.
run audit
status 2
no_out
err 'no algorithm is given'
run audit dpucb-mta
status 2
err '"dpucb-mta": did you mean dpucb-mat\?'
run audit dpucb-mat --trials 10
status 2
err '10 trials are too few'
run audit dpucb-mat --epsilon 0
status 2
run audit dpucb-mat --confidence 2
status 2
err 'confidence must lie between 0\.5 and 1'
run audit dpucb-mat --noise-scale 0
status 2
run audit dpucb-mat --horizon 0
status 2
run audit dpucb-mat --delta 0.1
status 2
err 'delta can.t be used with dpucb-mat'
run audit dpucb-mat --plot picture.gif
status 2
err '\.svg'
run audit all dp-ucb
status 2
err 'all means every algorithm'
run audit dpucb-mat --trials 1e9 --plot "$folder/none/x.svg"
status 2
no_out
err "can't be written"

# Coupled worlds: a proof that holds, one that does not, and too little to see.
run audit lik-imed --couple --traces 200
status 0
no_err
out '^lik-imed: holds$'
out '^  played    200 traces from seed 1, '
out '^  telling   [1-9][0-9]*: '
out '^  worst     1\.000 of the distance that the claim allows$'
run audit lik-imed --couple --traces 200 --noise-scale 0.9
status 1
out '^lik-imed: VIOLATED$'
out '^  because   the distance of the exact numbers is 1\.1'
run audit ucb --couple --traces 50
status 1
out '^ucb: violated, as known$'
run audit batch-klucb --couple --traces 1 --seed 2
status 4
out '^batch-klucb: nothing could be seen$'
run audit all --couple --traces 30 --json
status 0
json
no_err
for key in algorithm claims_privacy violated worst traces telling table violations releases decisions \
    violating_trace violation setting seed noise_scale seconds; do
    same "$key for every id" "$(grep -o "\"$key\": " "$folder/out" | wc -l | tr -d ' ')" \
        "$(grep -o '"algorithm": ' "$folder/out" | wc -l | tr -d ' ')"
done
run audit rr-imed batch-klucb --couple --traces 40
status 0
out '^rr-imed +[0-9]+\* +0 +1\.000  holds$'
for wrong in '--traces 0' '--trials 5000' '--epsilon 1' '--plot a.svg' '--seed 0' '--noise-scale 0'; do
    # shellcheck disable=SC2086 # words
    run audit lik-imed --couple $wrong
    status 2
done
run audit lik-imed --traces 5
status 2
err 'is for --couple'

finish
