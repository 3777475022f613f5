# run_linear_test.sh - lotor run in linear worlds, with new actions in every round. Seeds are fixed, so
# the results never change.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/run_lib.sh"
ids='linucb jdp-linucb-gauss jdp-linucb-wishart jdp-linucb-wishart-shifted jdp-linucb jdp-batch jdp-bayes'
all=$(echo "$ids" | tr ' ' ',')

# --- every id ---
for id in $ids; do
    run run "$id" --dimension 3 --arms 4 --horizon 300 --runs 2 --json
    status 0
    json
    no_err
    out "\"algorithm\": \"$id\".*\"indefinite_rounds\": [0-9]"
    out '"arms": 4, .*"oracle": null, .*"dimension": 3, "gap": null'
    out '"lower_bound": null'
    one=$(timeless)
    run run "$id" --dimension 3 --arms 4 --horizon 300 --runs 2 --threads 1 --json
    same "threads and $id" "$(timeless)" "$one"
done
run run "$all" --dimension 5 --horizon 1000
status 0
no_err
narrow
out '^linear world, 5 dimensions, 20 actions, epsilon 1, 10 runs, seed 1$'
out '^algorithm +regret at 1000 +return per round +rounds/s +seconds$'
out '^jdp-linucb-wishart-shifted +[0-9.]+ \+- [0-9.]+ +-?[0-9.]+ \+- [0-9.]+ +[0-9.e]+ +[0-9.e]+$'
out '^linucb: not private: it adds no noise'
out '^jdp-linucb-gauss: private: epsilon = 1, delta = 1e-05, joint model'
words 'jdp-linucb-wishart: private: .*no exact sampler, so it is for simulations only\)'
# A title that is longer than a line is broken.
run run linucb,jdp-linucb-gauss --gap 0.1 --horizon 200 --runs 2 --epsilon 0.5 --noise-scale 0.01 --seed 123456789
status 0
narrow
out '^linear world, 5 dimensions, gap 0\.1, 25 actions, epsilon 0\.5, noise x 0\.01,$'
out '^jdp-linucb-gauss: not private: the noise was multiplied'
run run linucb --gap 0 --dimension 4 --horizon 200 --runs 2 --json
out '"arms": 16, .*"dimension": 4, "gap": 0'
run run linucb --horizon 200 --runs 2 --csv
status 0
same "first line" "$(head -1 "$folder/out")" "algorithm,t,mean,stderr"
same "the last round" "$(grep -c '^linucb,200,' "$folder/out")" 1

# --- results of learning: differences of many standard errors ---
regret_of linucb --dimension 5 --horizon 5000
free=$regret
# At random, an action pays 0, and the best of 20 about 0.66 (measured): 3300.
below "linucb and blind choice" "$free" 1000
regret_of jdp-linucb-gauss --dimension 5 --horizon 5000 --epsilon 1
noisy=$regret
below "privacy costs" "$free" "$noisy"
regret_of jdp-linucb-gauss --dimension 5 --horizon 5000 --epsilon 1000
below "more epsilon, less regret" "$regret" "$noisy"
regret_of jdp-linucb-gauss --dimension 5 --horizon 5000 --epsilon 1 --noise-scale 0.001
below "less noise, less regret" "$regret" "$noisy"
regret_of jdp-linucb-gauss --dimension 5 --horizon 5000 --epsilon inf
out '"epsilon": null'
out '"private": false'
below "no noise, less regret" "$regret" "$noisy"
regret_of jdp-linucb-gauss --dimension 5 --horizon 2000 --delta 0.1
out '"delta": 0\.1'

regret_of jdp-linucb --dimension 5 --horizon 20000 --epsilon 1
tree=$regret
regret_of jdp-linucb-gauss --dimension 5 --horizon 20000 --epsilon 1
below "no more noise than is proved" "$tree" "$regret"
regret_of jdp-batch --dimension 5 --horizon 20000 --epsilon 1
batch=$regret
below "one noise a batch" "$batch" "$tree"
regret_of jdp-batch --dimension 5 --horizon 20000 --epsilon 1 --noise-scale 0.1
below "less noise, less regret in batches" "$regret" "$batch"
regret_of jdp-bayes --dimension 5 --horizon 20000 --epsilon 1
below "every batch for what it is worth" "$regret" "$batch"
# n0 is 256 here.
run run linucb,jdp-batch --dimension 5 --horizon 255 --runs 2
status 0
narrow
words 'jdp-batch: its first release comes after round 256, which this horizon does not reach: it has learnt nothing'
run run linucb,jdp-batch --dimension 5 --horizon 256 --runs 2
status 0
same "remarks" "$(grep -c 'first release' "$folder/out")" 0

run run jdp-bayes --dimension 5 --horizon 127 --runs 2 --beta 0.1
status 0
err '^lotor run: note: jdp-bayes has no use for --beta, '
words 'jdp-bayes: its first release comes after round 128, which this horizon does not reach: it has learnt nothing'

# --- options without an effect ---
run run linucb --slots 3 --oracle top --rewards beta --exact-rounds --clip --feedback semi --horizon 100
status 0
for option in slots oracle rewards exact-rounds clip feedback; do
    err "^lotor run: note: linucb has no use for --$option, which is ignored \\("
done
run run linucb,jdp-linucb-gauss --epsilon 2 --delta 0.01 --beta 0.1 --horizon 100
status 0
err '^lotor run: note: linucb has no use for --epsilon, '
err '^lotor run: note: linucb has no use for --delta, '
run run jdp-linucb-gauss --epsilon 2 --delta 0.01 --beta 0.1 --horizon 100
no_err

# --- refusals ---
refused "ucb and linucb can't be compared: one chooses among arms" ucb,linucb --means 0.1,0.2 --horizon 100
refused "linucb and ucb can't be compared: one chooses among" linucb,ucb --dimension 5 --horizon 100
refused 'linucb plays in a linear world, which has no --means: give --dimension D' linucb --means 0.1,0.2 --horizon 100
refused 'has no --instance' linucb --instance c1 --horizon 100
refused 'has no --replay' linucb --replay x.csv --horizon 100
refused 'horizon T is missing' linucb --dimension 5
refused 'dimension "0": expected at least 1' linucb --dimension 0 --horizon 100
refused 'from 1 to 1024 dimensions, not 1025' linucb --dimension 1025 --horizon 100
refused 'from 2 to 1024 dimensions, not 1' linucb --dimension 1 --gap 0.1 --horizon 100
refused 'from 2 to [0-9]+ actions, not 1' linucb --dimension 5 --arms 1 --horizon 100
refused 'actions, not 1000000000000000000' linucb --dimension 5 --arms 1e18 --horizon 100
refused 'the gap is 1\.5; it lies in \[0, 1\.5\)' linucb --gap 1.5 --horizon 100
refused 'the gap is -1' linucb --gap -1 --horizon 100
refused 'gap: "wide" is not a number' linucb --gap wide --horizon 100
refused 'delta "0": the noise of jdp-linucb-gauss needs' jdp-linucb-gauss --delta 0 --horizon 100
refused 'beta "1"' linucb --beta 1 --horizon 100
refused 'a larger epsilon' jdp-linucb-gauss --epsilon 1e-9 --horizon 100

# --- pictures ---
run run linucb,jdp-linucb-gauss,jdp-batch --dimension 3 --horizon 200 --runs 2 --plot "$folder/x.svg"
status 0
for word in '<svg' 'linear world, 3 dimensions' 'jdp-linucb-gauss' 'jdp-batch' '</svg>'; do
    if grep -q "$word" "$folder/x.svg"; then pass; else blame "the picture lacks $word"; fi
done
finish
