# run_sets_test.sh - lotor run on sets that an oracle finds, and on lists with a click. Seeds are fixed,
# so the results never change.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/run_lib.sh"
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
graph=graph:$examples/graph.txt
coverage=coverage:$examples/coverage.txt
sets='cucb cucb-ldp1 cucb-ldp2 cucb-dp cucb-dp2 cucb-ldp-gauss cucb-dp-lazy cucb-ldp-box'
lists='cascade-ucb cascade-dp cascade-ldp-laplace cascade-ldp-gauss cascade-ldp-composed
    cascade-dp-lazy cascade-ldp-rr'
commas() { echo "$*" | tr ' ' ','; }

# --- the cheapest path: learnt, and shown ---
run run cucb --instance grid:5x5 --horizon 1e4
status 0
no_err
narrow
out '^grid:5x5, 40 arms, shortest-path, 10 runs, seed 1$'
out '^Most often shown in the last 1000 rounds of the first run:$'
out '^cucb: 0-1-2-7-8-13-18-23-24, [0-9.]+% of the time; cost 2\.58, the cheapest$'
run run cucb --instance grid:5x5 --oracle shortest-path --horizon 1e4 --json
json
out '"oracle": "shortest-path"'
near "what regret is against" "$(inside regret_against per_round)" -2.58 1e-9
near "the bound of a path" "$(inside lower_bound per_log_t)" 3.26789 1e-4
out '"most_shown": \{"arms": \[0, 2, 5, 13, 16, 25, 34, 39\], "vertices": \[0, 1, 2, 7, 8, 13, 18, 23, 24\], .*"is_best": true, "rounds": [0-9]+, "of_last_rounds": 1000\}'
out "one arm of a path at a time: Lotor's own proof"
# 0-2-4-5-6-7 costs 0.7 + 0.4 + 0.55 + 0.3 + 0.85.
run run cucb --instance "$graph" --horizon 1e4
out '^cucb: 0-2-4-5-6-7, [0-9.]+% of the time; cost 2\.8, the cheapest$'
run run cucb --instance grid:5x5 --oracle shortest-path:6-13 --horizon 1e4
out '^cucb: 6-.*-13, [0-9.]+% of the time; cost [0-9.]+, the cheapest$'
run run cucb --instance grid:5x5 --horizon 5 # a tenth of five rounds is less than one round
out '^Most often shown in the last round of the first run:$'
words 'cucb: 0-.*-24, 100% of the time; cost [0-9.]+, (where the|the) cheapest'
# With this much noise, nothing is learnt, and the output says so.
run run cucb-dp --instance grid:5x5 --horizon 1000 --epsilon 0.01
words 'cucb-dp: 0-.*-24, [0-9.]+% of the time; cost [0-9.]+, where the cheapest costs 2\.58'

# --- trees, coverage, influence ---
run run cucb,omm --instance "$graph" --oracle spanning-tree --horizon 1e4
status 0
words 'graph\.txt, 10 arms, spanning-tree, 10 runs'
out '^cucb: edges [0-9]+-[0-9]+, '
out '^Lower bound: '
narrow
run run omm --instance "$graph" --oracle spanning-tree --horizon 100 --json
out '"oracle": "spanning-tree"'
# Pages 0 and 3 reach 0.8 + 0.7 + 0.6 + 0.5 + 0.6 + 0.4 = 3.6 readers; regret is against 1 - 1/e of it.
run run cucb --instance "$coverage" --slots 2 --horizon 1e4
status 0
no_err
narrow
words 'coverage by 2 vertices'
out '^cucb: vertices (0, 3|3, 0), [0-9.]+% of the time; worth 3\.6, the best$'
out '^Regret is against 2\.27563 a round: 0\.6321 of the optimum'
run run cucb --instance "$coverage" --slots 2 --horizon 1e4 --json
json
near "against 3.6 (1 - 1/e)" "$(inside regret_against per_round)" 2.275634 1e-6
out '"vertices": \[(0, 3|3, 0)\], "value": 3\.6, "best_value": 3\.6, "is_best": true'
below "regret against a share" "$(inside regret mean)" 0
run run cucb --instance "$coverage" --horizon 100
words 'coverage by 1 vertex,'
run run cucb,cucb-ldp2 --instance "$graph" --oracle influence --slots 2 --horizon 500 --runs 2
status 0
narrow
words 'influence by 2 vertices'
out '^cucb: vertices [0-7], [0-7], '
# There are too many sets of 12 of 25 vertices to search for the best one.
run run cucb --instance grid:5x5 --oracle influence --slots 12 --horizon 3 --runs 1
out '^Regret is against .* a round\. The oracle finds this value'
run run cucb --instance grid:5x5 --oracle influence --slots 12 --horizon 3 --runs 1 --json
out '"is_bound": true'
out '"best_value": null, "is_best": null'

# --- every id; text, JSON and CSV; threads, and every single round ---
for id in $sets; do
    run run "$id" --instance grid:3x3 --horizon 500 --runs 2 --json
    status 0
    json
    out "\"algorithm\": \"$id\".*\"oracle\": \"shortest-path\""
    one=$(timeless)
    run run "$id" --instance grid:3x3 --horizon 500 --runs 2 --threads 1 --json
    same "threads and $id" "$(timeless)" "$one"
    run run "$id" --instance grid:3x3 --horizon 500 --runs 2 --exact-rounds --json
    status 0
    out '"exact_rounds": true'
done
run run "$(commas $sets)" --instance grid:5x5 --horizon 1000 --runs 3
status 0
narrow
out '^cucb-ldp2: private: epsilon = 1, local model'
out '^cucb-dp: private: epsilon = 1, central model'
out '^cucb-ldp-gauss: not private: it starts with one answer for every arm without'
out '^cucb-dp-lazy: private: epsilon = 1, central model'
out '^cucb-ldp-box: private: epsilon = 1, local model'
run run cucb-ldp-box --instance c1 --arms 70 --slots 65 --horizon 100
status 2
err '65 rewards in one report: a report on the cube takes from 1 to 64'
run run "$(commas $sets)" --means 0.2,0.5,0.8 --slots 2 --rewards beta --horizon 300 --runs 2 --csv
status 0
same "curves" "$(sed 1d "$folder/out" | cut -d, -f1 | sort -u | wc -l | tr -d ' ')" 8
for id in $lists; do
    run run "$id" --means 0.2,0.2,0.05,0.05,0.05 --slots 2 --horizon 500 --runs 2 --json
    status 0
    json
    out "\"algorithm\": \"$id\".*\"slots\": 2, \"oracle\": \"top\", \"feedback\": \"cascade\""
done
run run "$(commas $lists)" --means 0.2,0.2,0.05,0.05,0.05 --slots 2 --horizon 1000 --runs 3
status 0
no_err
narrow
out '^given means, 5 arms, 2 shown, epsilon 1, 3 runs, seed 1$'
for id in cascade-dp cascade-ldp-laplace cascade-ldp-gauss cascade-ldp-composed; do
    out "^$id: not private: "
done
out '^cascade-dp-lazy: private: epsilon = 1, central model'
out '^cascade-ldp-rr: private: epsilon = 1, local model'
# 3 x 0.8 x 0.15 / kl(0.05, 0.2) (see tests/test_bounds.c), whatever the noise
run run cascade-ldp-laplace --means 0.2,0.2,0.05,0.05,0.05 --slots 2 --horizon 1e4 --json
near "the bound of a list" "$(inside lower_bound per_log_t)" 3.8321099 1e-6
near "a click's chance" "$(inside regret_against per_round)" 0.36 1e-12
run run cascade-ucb --means 0.2,0.2,0.1,0.05 --slots 2 --horizon 100 --json
# 0.8 (0.1 / kl(0.1, 0.2) + 0.15 / kl(0.05, 0.2))
near "the bound of a list of many means" "$(inside lower_bound per_log_t)" 3.457800 1e-5
# All items on the list: nothing can be lost, not even by rounding.
run run cascade-ucb --means 0.2,0.2,0.1 --slots 3 --horizon 1000
out '^cascade-ucb +0 \+- 0 +0\.424 \+- 0 '

# --- results of learning: differences of many standard errors ---
regret_of cascade-ucb --means 0.3,0.3,0.05,0.05,0.05,0.05 --slots 2 --horizon 2e4
list=$regret
regret_of cascade-ldp-laplace --means 0.3,0.3,0.05,0.05,0.05,0.05 --slots 2 --horizon 2e4
noisy=$regret
below "noise costs" "$list" "$noisy"
regret_of cascade-ldp-laplace --means 0.3,0.3,0.05,0.05,0.05,0.05 --slots 2 --horizon 2e4 \
    --noise-scale 0.01
below "a hundredth of the noise costs less" "$regret" "$noisy"
out '"private": false, "reason": "only the positions up to the click report'
regret_of cucb-ldp-gauss --instance grid:3x3 --horizon 2e4 --delta 1e-9
noisy=$regret
out '"delta": 1e-09|"delta": 1e-9'
regret_of cucb-ldp-gauss --instance grid:3x3 --horizon 2e4 --delta 0.5
below "a larger delta costs less" "$regret" "$noisy"
regret_of cucb --means 0.2,0.5,0.8 --slots 2 --horizon 1000
free=$regret
regret_of cucb --means 0.2,0.5,0.8 --slots 2 --horizon 1000 --clip
out '"clip": true'
if [ "$regret" = "$free" ]; then blame "--clip changes nothing"; else pass; fi

# --- options without an effect ---
run run cucb --instance grid:3x3 --slots 3 --horizon 100
status 0
err 'note: --slots is ignored: the instance decides .*--oracle top'
run run cucb-ldp1,cucb-ldp-gauss --means 0.1,0.2 --delta 0.01 --horizon 100
status 0
err '^lotor run: note: cucb-ldp1 has no use for --delta, which is ignored \(delta is 0\)$'
run run cucb --instance grid:3x3 --dimension 4 --gap 0.1 --horizon 100
status 0
err 'cucb has no use for --dimension, .*\(the algorithm does not play in a linear world\)'
err 'cucb has no use for --gap, '

# --- refusals ---
refused 'slots "0": expected at least 1' cucb --instance "$coverage" --slots 0 --horizon 100
refused 'slots "9": expected 1 to 5, because the world has 5 vertices' cucb --instance "$coverage" --slots 9 --horizon 100
refused 'oracle "influence" needs a graph: the instances grid:5x5 and graph:FILE' cucb --instance "$coverage" --oracle influence --horizon 100
refused 'oracle "coverage" needs a graph: the instance coverage:FILE' cucb --instance "$graph" --oracle coverage --horizon 100
refused 'oracle "shortest-path" needs a graph' cucb --means 0.1,0.2 --oracle shortest-path --horizon 100
refused '"shortest-path:3-99": expected .*from 0 to 24' cucb --instance grid:5x5 --oracle shortest-path:3-99 --horizon 100
refused '"shortest-path:": expected' cucb --instance grid:5x5 --oracle shortest-path: --horizon 100
refused '"shortest-path:3": expected' cucb --instance grid:5x5 --oracle shortest-path:3 --horizon 100
refused 'no path leads from .*vertex 3, to .*vertex 2' cucb --instance grid:5x5 --oracle shortest-path:3-2 --horizon 100
refused 'give two vertices' cucb --instance grid:5x5 --oracle shortest-path:2-2 --horizon 100
refused 'nothing may follow spanning-tree' cucb --instance grid:5x5 --oracle spanning-tree:1 --horizon 100
refused '"5" is not a grid: expected rows x columns' cucb --instance grid:5 --horizon 100
refused 'has 40 edges.*leave their number out' cucb --instance grid:5x5 --arms 3 --horizon 100
refused 'use cucb or cucb-dp, or --oracle top' dp-se --instance grid:5x5 --horizon 100
refused 'omm plays on matroids.*use a cucb algorithm' omm --instance grid:5x5 --horizon 100
refused 'a list of any K items, but "grid:5x5".*--oracle top --slots K' cascade-ucb --instance grid:5x5 --horizon 100
refused 'a list of any K items, but "partition:0,1"' cascade-ucb --means 0.1,0.2 --oracle partition:0,1 --horizon 100
refused 'learns from clicks.*leave --rewards at bernoulli' cascade-ucb --means 0.1,0.2 --rewards beta --horizon 100
refused 'delta "0": the noise of cucb-ldp-gauss needs a delta above 0' cucb-ldp-gauss --means 0.1,0.2 --delta 0 --horizon 100
refused 'delta "1": it must be below 1' cucb-ldp-gauss --means 0.1,0.2 --delta 1 --horizon 100
run run cucb --instance graph:/nowhere/graph.txt --horizon 100
status 2
err '/nowhere/graph\.txt.*No such file'
printf '0,0.5\n1,0.5\n1,0.25\n' > "$folder/log.csv"
refused 'rewards here are replay: use --means' cascade-ucb --replay "$folder/log.csv" --horizon 100

# --- pictures of regret below zero ---
run run cucb --instance "$coverage" --slots 2 --horizon 1e3 --plot "$folder/below.svg"
status 0
no_err
if grep -q '</svg>' "$folder/below.svg"; then pass; else blame "no picture"; fi
# Algorithms for any problem: finite with one slot, otherwise semi-bandits, or the problem that
# --problem names.
means=0.4,0.3,0.1,0.1
for id in batch-klucb rr-klucb; do
    run run $id --means $means --horizon 300 --runs 2 --json
    status 0
    out '"slots": 1, "oracle": "top", "feedback": "least-shown"'
    run run $id --means $means --slots 2 --horizon 300 --runs 2 --problem cascade --json
    status 0
    out '"slots": 2, "oracle": "top", "feedback": "first-slot"'
    run run $id --means $means --slots 2 --horizon 300 --runs 2 --feedback cascade --json
    status 0
    no_err
    out '"feedback": "first-slot"'
    run run $id --instance grid:3x3 --horizon 300 --runs 2 --problem semi-bandit --json
    status 0
    out '"oracle": "shortest-path"'
    run run $id --instance table-6.1 --horizon 300 --runs 2 --problem matroid --epsilon inf --json
    status 0
    out '"oracle": "linear"'
done
run run rr-klucb --means $means --horizon 300 --runs 2 --json
out 'randomized response \(scale: chance of a lie\) as noise", "scale": 0.26894'
run run batch-klucb,cascade-ucb --means $means --slots 2 --horizon 300 --runs 2 --problem cascade
status 0
run run batch-klucb,dp-se --means $means --horizon 300 --problem cascade
status 2
err '--problem cascade: dp-se plays only finite problems'
run run batch-klucb --means $means --slots 2 --horizon 300 --problem finite
status 2
err 'several arms are shown together'
run run batch-klucb --instance grid:3x3 --horizon 300 --problem matroid
status 2
err "the oracle is not a matroid"
run run batch-klucb --instance grid:3x3 --horizon 300 --problem cascade
status 2
err 'shows a list of any K items'
run run batch-klucb --means $means --slots 2 --horizon 300 --problem semi-bandit --feedback cascade
status 2
err 'contradict each other'
run run batch-klucb --means $means --slots 2 --horizon 300 --problem lists
status 2
finish
