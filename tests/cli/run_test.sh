# run_test.sh - lotor run, and lotor movielens, which makes files for it. Seeds are fixed, so the
# results never change.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/run_lib.sh"

# --- JSON: one object, or an array in the order given ---
run run dp-se --instance c1 --arms 5 --horizon 1e5 --epsilon 0.5 --runs 4 --seed 7 --json
status 0
json
no_err
out '^\{"algorithm": "dp-se", "horizon": 100000, "runs": 4, "seed": 7, "regret": \{"mean": [0-9.]+, "stderr": [0-9.e-]+\}, "return_per_round": \{"mean": 0\.[0-9]+, "stderr": [0-9.e-]+\}'
for key in seconds rounds_per_second settings lower_bound classical_bound guarantee checkpoints; do
    out "\"$key\": "
done
out '"guarantee": \{"private": true, .*"epsilon": 0\.5, .*"noise": "simulation", "level": "strong", .*\}'
out '"settings": \{"epsilon": 0\.5, .*"arms": 5, "slots": 1, .*"instance": "c1"'
out '"means": \[0\.75, 0\.7, 0\.7, 0\.7, 0\.7\]'
out '\{"t": 100000, "mean": [0-9.]+, "stderr": [^}]*\}\]\}$'
near "beta is 1/T" "$(value beta)" 1e-5 1e-15
# 4 x 0.05 / kl(0.7, 0.75) log T (see tests/test_bounds.c): at epsilon 0.5 privacy costs nothing here
near "lower bound" "$(inside lower_bound regret)" 359.6966 0.001
near "classical bound" "$(inside classical_bound regret)" 359.6966 0.001
same "the bound holds as T grows" "$(inside lower_bound asymptotic)" true
# The shown arms pay 0.75 minus the regret per round.
near "return and regret" "$(inside return_per_round mean)" \
    "$(awk -v r="$(inside regret mean)" 'BEGIN { printf "%.12f", 0.75 - r / 1e5 }')" 1e-9

run run se,ucb --means 0.4,0.6 --horizon 1000 --runs 1 --json
status 0
json
no_err
same "an array, in the order given" "$(grep -o '"algorithm": "[a-z]*"' "$folder/out" | tr -d '\n')" \
    '"algorithm": "se""algorithm": "ucb"'
out '^\[\{.*\}\]$'
same "of one run there is no error" "$(inside regret stderr)" null
out '"epsilon": null'
out '"instance": null'

run run dpucb-mat --instance table-6.1 --horizon 10000 --epsilon 2 --runs 100 --json
near "return on Table 6.1" "$(inside return_per_round mean)" 2.04 0.01
out '"slots": 3, "oracle": "linear", "feedback": "semi"'

# --- the same seed, whatever the number of threads; another seed ---
for way in 'dp-ucb --instance c2 --horizon 2e4' 'dpts-mat --instance table-6.1 --horizon 2000'; do
    # shellcheck disable=SC2086
    run run $way --runs 5 --seed 3 --json --threads 1
    one=$(timeless)
    # shellcheck disable=SC2086
    run run $way --runs 5 --seed 3 --json --threads 2
    same "threads and $way" "$(timeless)" "$one"
    # shellcheck disable=SC2086
    run run $way --runs 5 --seed 4 --json
    if [ "$(timeless | sed 's/"seed": 4/"seed": 3/')" = "$one" ]; then
        blame "another seed gives the same"
    else
        pass
    fi
done

# --- CSV ---
run run ucb,omm --means 0.4,0.6 --horizon 1e4 --runs 3 --checkpoints 10 --csv
status 0
same "first line" "$(head -1 "$folder/out")" "algorithm,t,mean,stderr"
same "lines of another shape" "$(sed 1d "$folder/out" |
    grep -Evc '^(ucb|omm),[0-9]+,[0-9.e-]+,[0-9.e-]+$')" 0
same "last rounds" "$(grep -c ',10000,' "$folder/out")" 2
same "rounds go up" "$(awk -F, 'NR > 2 && $1 == last && $2 <= t { print } { last = $1; t = $2 }' \
    "$folder/out")" ""
run run ucb --means 0.4,0.6 --horizon 100 --runs 1 --csv
same "no error of one run" "$(sed 1d "$folder/out" | grep -vc ',$')" 0

# --- single runs: two rounds of ucb show each arm once ---
run run ucb --means 1,0 --horizon 2 --runs 2 --checkpoints linear:2 --curves --csv
status 0
same "first line" "$(head -1 "$folder/out")" "algorithm,run,t,regret,reward"
same "ends of the runs" "$(grep -cE '^ucb,[12],2,1,1$' "$folder/out")" 2
same "begins of the runs" "$(grep -cE '^ucb,[12],1,(0,1|1,0)$' "$folder/out")" 2
run run ucb --means 1,0 --horizon 2 --runs 2 --checkpoints 1,2 --curves --json
json
out '"curves": \{"regret": \[\[[01], 1\], \[[01], 1\]\], "reward": .*, "shown": \[\[1, 1\], \[1, 1\]\]\}'
run run linucb --horizon 20 --runs 2 --checkpoints 10,20 --curves --json
json
out '"shown": null'

# --- text ---
run run dp-se,ucb --instance c2 --horizon 1e4 --runs 3 --epsilon 2
status 0
out '^c2, 5 arms, epsilon 2, 3 runs, seed 1$'
out '^algorithm +regret at 1e4 +return per round +rounds/s +seconds$'
out '^dp-se +[0-9.]+ \+- [0-9.e-]+ '
# at epsilon 2 only the arm at 0.25 is below z* = 0.289
out '^Lower bound of dp-se: 65\.71[0-9]+, which is 7\.13[0-9]+ log T, as T grows'
out '^Classical bound of dp-se: 65\.65[0-9]+, which is 7\.12[0-9]+ log T, as T grows'
out '^Lower bound of ucb: 65\.65'
run run batch-klucb --instance c2 --horizon 5e7 --runs 1 --epsilon 0.01
words 'Lower bound: 7118\.9, which is 401\.573 log T, as T grows \(Azize, .* 2025, arXiv 2505\.05613\)'
words 'Classical bound: 126\.367, which is 7\.12828 log T, as T grows \(Lai and Robbins 1985; with privacy Shariff'
run run rr-klucb,cucb-ldp2 --instance c1 --horizon 1e4 --runs 1 --epsilon 1
words 'Lower bound: 1644\.69, which is 178\.57 log T, as T grows \(kl of randomized bits, Gajane, .* 2018'
run run dp-se,ucb --instance c2 --horizon 1e4 --runs 3 --epsilon 2
out 'protects nobody'
out '^dp-se: private: epsilon = 2, central model'
out '^ucb: not private: '
same "lines wider than 80" "$(awk 'length > 80' "$folder/out")" ""
run run ucb --means 0.5 --horizon 10 --runs 1
out '^given means, 1 arm, 1 run, seed 1$'

# --- results of learning: differences of many standard errors ---
regret_of ucb --means 0.3,0.7 --horizon 1e4
below "ucb and half of the rounds wrong" "$regret" 1000 # blind guessing: 0.5 x 0.4 x 10000 = 2000
regret_of dp-se --instance c2 --horizon 2e5 --epsilon 0.05 --runs 20
little=$regret
regret_of dp-se --instance c2 --horizon 2e5 --epsilon 1 --runs 20
below "more epsilon, less regret" "$regret" "$little"
regret_of dpucb-mat --means 0.2,0.4,0.6,0.8 --slots 2 --horizon 1e4 --epsilon 0.2
little=$regret
regret_of dpucb-mat --means 0.2,0.4,0.6,0.8 --slots 2 --horizon 1e4 --epsilon inf
below "no noise, less regret" "$regret" "$little"
out '"epsilon": null'
regret_of dpucb-mat --means 0.2,0.4,0.6,0.8 --slots 2 --horizon 1e4 --epsilon 0.2 --noise-scale 0.01
below "less noise, less regret" "$regret" "$little"
out '"private": false, "reason": "the noise was multiplied'

# --- sets of arms ---
# One of each group is 0.6 + 0.5, a spanning tree of the triangle 0.6 + 0.5 too.
for oracle in partition:0,0,1 graphic:0-1,0-1,1-2 graphic:0-1,1-2,0-2; do
    run run omm --means 0.6,0.1,0.5 --oracle $oracle --horizon 2000 --json
    status 0
    out '"slots": 2'
    near "return with $oracle" "$(inside return_per_round mean)" 1.1 0.05
done
run run omm --instance table-6.1 --oracle top --slots 3 --horizon 100 --json
out '"slots": 3, "oracle": "top"'
run run ucb --instance table-6.1 --oracle top --horizon 100 --json
status 0
for law in beta uniform; do
    run run omm --instance table-6.1 --rewards $law --horizon 200 --runs 2 --json
    status 0
    out "\"oracle\": \"linear\".*\"rewards\": \"$law\""
    out '"lower_bound": null'
done
# Clipped rewards: of shape 2, the mean m becomes m - m^2/4, and at most (1/2)^2 of an arm's are clipped.
run run ucb --means 0.5,1 --rewards pareto:2 --horizon 100 --runs 2
status 0
out '^given means, 2 arms, rewards pareto:2, 2 runs, seed 1$'
out '^Rewards are clipped to \[0,1\]: at most 25% of an arm.s\. Regret uses the means$'
out '^  after clipping: 0\.4375, 0\.75\.$'
run run ucb --means 0.5,1 --rewards pareto:2 --horizon 100 --runs 2 --json
json
out '"rewards": "pareto:2", "means": \[0\.4375, 0\.75\], "clipped_share": 0\.25'
run run ucb --means 0.5,1 --rewards beta --horizon 100 --runs 2
if grep -q clipped "$folder/out"; then blame 'beta rewards are not clipped'; else pass; fi
for law in gold gaussian:2 gaussian: pareto:1; do
    run run ucb --means 0.5,1 --rewards $law --horizon 100
    status 2
    err "^lotor run: --rewards \"$law\": "
done
# Arms that come and go: in turn they pay 0.2, 0.5 and 0.8, and there is never a choice.
run run ucb --means 0.2,0.5,0.8 --schedule 11:-0,11:+1,31:-1,31:+2 --horizon 100 --runs 2
status 0
out '^given means, 3 arms, schedule 11:-0,11:\+1,31:-1,31:\+2, 2 runs, seed 1$'
out '^ucb +0 \+- 0 +0\.68 \+- 0 '
out '^  round, which pays 0\.68 a round on average\. There is no lower bound for this\.$'
run run ucb --means 0.2,0.5,0.8 --schedule 11:-0 --horizon 100 --runs 2 --json
json
out '"schedule": "11:-0"'
out '"lower_bound": null'
run run dp-se --means 0.2,0.5,0.8 --schedule 11:-0 --horizon 100
status 2
err '^lotor run: --schedule: dp-se shows its arms in turn'
run run ucb --means 0.2,0.5 --schedule 11:-7 --horizon 100
status 2
err '^lotor run: --schedule "11:-7": there is no arm 7'
run run linucb --schedule 11:-0 --horizon 100
status 2
err '^lotor run: --schedule "11:-0": a linear world'
# Lost feedback: a delay above 2 has the probability 1/8, and 0.2 + 0.8/8 is 0.3.
run run ucb --means 0.5,1 --delay geometric:1 --expiry 2 --missing 0.2 --horizon 100 --runs 2
status 0
out '^given means, 2 arms, delay geometric:1, expiry 2, missing 0\.2, 2 runs, seed 1$'
out '^Every round is final 2 rounds after its display\. By then 30% of the rounds$'
run run ucb --means 0.5,1 --expiry 0 --missing 0.25 --horizon 100 --runs 2 --json
json
out '"expiry": 0, "missing": 0\.25, "lost_share": 0\.25'
run run ucb --means 0.5,1 --missing 0.25 --horizon 100
status 2
err '^lotor run: --missing 0\.25: .* give an expiry'
run run ucb --means 0.5,1 --missing 2 --expiry 1 --horizon 100
status 2
err '^lotor run: --missing 2: '
run run ucb --means 0.5,1 --delay list:0=0.5 --horizon 100
status 2
err '^lotor run: --delay "list:0=0\.5": .*add up to 1'
run run dp-se --instance c1 --horizon 3000 --exact-rounds --runs 2 --json
out '"exact_rounds": true'

# --- recorded worlds ---
printf '# a log\n0,1\n0,0\n1,0.25\n1,0.75\n2,0.9\n' > "$folder/log.csv"
run run ucb --replay "$folder/log.csv" --horizon 500 --json
status 0
out '"means": \[0\.5, 0\.5, 0\.9\]'
# A log may have only 0 and 1.
printf '0,1\n0,0\n1,1\n1,1\n1,0\n' > "$folder/binary.csv"
run run ucb --replay "$folder/binary.csv" --horizon 500 --runs 2 --json
no_err
plain=$(timeless)
for law in beta uniform bernoulli; do
    run run ucb --replay "$folder/binary.csv" --horizon 500 --runs 2 --json --rewards $law
    status 0
    err 'note: --rewards is ignored: .* has recorded rewards'
    out '"rewards": "replay"'
    same "a log with --rewards $law" "$(timeless)" "$plain"
done
run run ucb --replay "$folder/none.csv" --horizon 500
status 2
err 'none\.csv'
# Unbiased replay learns from the events whose arm it chose: here all of them are of arm 0, which pays 1, 0, 1.
printf 'arm,reward,propensity\n0,1,1\n0,0,1\n0,1,1\n' > "$folder/uniform.csv"
run run ucb --replay "$folder/uniform.csv" --unbiased --horizon 500 --runs 2
status 0
no_err
out '^unbiased replay of .*, 1 arm, 2 runs, seed 1$'
out '^ucb  *not known  *0\.67 [+]- 0\.33 '
out '^ucb: 3 of 3 events accepted in a run, the log ended before the horizon\.$'
run run ucb --instance "unbiased-replay:$folder/uniform.csv" --horizon 500 --runs 2 --json
status 0
json
out '"regret": {"mean": null, "stderr": null}, .*"log": {"events": 3, "accepted": 3}.*"rewards": "unbiased-replay", "means": null'
run run ucb --replay "$folder/uniform.csv" --unbiased --horizon 3 --runs 1 --csv --curves --checkpoints 50
status 0
same "curve of an unbiased replay" "$(cat "$folder/out")" "algorithm,run,t,regret,reward
ucb,1,1,,1
ucb,1,2,,1
ucb,1,3,,2"
refused '^lotor run: --unbiased goes through a log: give --replay FILE' ucb --means 0.1,0.2 --horizon 10 --unbiased
refused '^lotor run: --plot draws regret, which an unbiased replay does not know' \
    ucb --replay "$folder/uniform.csv" --unbiased --horizon 10 --plot "$folder/x.svg"
refused '^lotor run: --world "swaps": .*recorded' ucb --replay "$folder/uniform.csv" --unbiased --horizon 10 --world swaps
refused 'leave the delay and the expiry out' ucb --replay "$folder/uniform.csv" --unbiased --horizon 10 --delay 2
run movielens "$folder/ml" --users 300 --movies 120 --seed 5
status 0
out 'ratings\.dat'
run run omm --instance "movielens:$folder/ml" --arms 20 --horizon 300 --runs 2 --json
status 0
json
out '"arms": 20, .*"oracle": "linear"'
run run omm --instance "movielens:$folder/ml" --arms 20 --horizon 30 --rewards beta --slots 4
status 0
err 'note: --rewards is ignored: .* has recorded rewards'
err 'note: --slots is ignored: .*--oracle top'
run movielens "$folder/ml" --users 300 --movies 120 # never overwritten
status 2
run movielens "$folder/other" --users 200 --movies 100 --json
json
out '"users": 200, "movies": 100, "seed": 1\}'
run movielens
status 2
err 'no folder is given'

# --- options without an effect: ignored, with a note ---
run run ucb,se,dp-se --instance c1 --horizon 100 --epsilon 2 --json
status 0
json
err '^lotor run: note: ucb, se have no use for --epsilon, which is ignored'
for option in '--delta 1e-6' '--clip' '--feedback cascade' '--beta 0.1' '--noise-scale 2'; do
    # shellcheck disable=SC2086
    run run omm --instance c1 --horizon 100 $option
    status 0
    err "^lotor run: note: omm has no use for ${option%% *}, which is ignored"
done
run run omm --instance c1 --horizon 100 --feedback semi
no_err
run run dp-se --instance c1 --horizon 100 --beta 0.1 --epsilon 2
no_err

# --- refusals ---
refused '"dp-sse": did you mean dp-se\?' dp-sse
refused '"ucv": did you mean ucb\?' dp-se,ucv
refused 'no algorithm is named: give the id of one' dp-se,
refused 'no algorithm is given'
refused 'epsilon.*is below 0' dp-se --epsilon -1 --instance c1 --horizon 100
refused 'epsilon above 0' dp-se --epsilon 0 --instance c1 --horizon 100
refused 'arm 1 .*is 1\.5' dp-se --means 0.5,1.5 --horizon 100
refused 'slots "9": expected 1 to 2, because the world has 2 arms' dp-se --slots 9 --means 0.1,0.2 --horizon 100
refused 'slots "0"' omm --slots 0 --means 0.1,0.2 --horizon 100
refused 'horizon T is missing' dp-se --means 0.1,0.2
refused 'horizon "0"' ucb --means 0.1,0.2 --horizon 0
refused 'needs a horizon of at least 2' dp-se --means 0.1,0.2 --horizon 1
refused 'shows one arm a round' dp-se --means 0.1,0.2 --slots 2 --horizon 100
refused 'shows one arm a round.*--oracle top' dp-se --instance table-6.1 --horizon 100
refused 'no world is given' dp-se --horizon 100
refused '^lotor run: --dimension is for a linear world, where lik-imed can.t play: give --means' \
    lik-imed --dimension 3 --horizon 100
for option in caution lag window variance; do # 0 is not the default
    refused "^lotor run: --$option \"0\": it must be above 0, or left out" \
        lik-imed --means 0.1,0.2 --horizon 10 --$option 0
done
refused 'caution must be above 0 and at most 10.6, not -1' lik-imed --means 0.1,0.2 --horizon 10 --caution -1
refused 'variance above 0 and at most 0.25, not -1' lik-imed --means 0.1,0.2 --horizon 10 --variance -1
refused 'keep one' dp-se --means 0.1,0.2 --instance c1 --horizon 100
refused 'no instance "c5"' dp-se --instance c5 --horizon 100
refused 'has 7 arms' omm --instance table-6.1 --arms 8 --horizon 100
refused 'c2-printed has 5 arms, not 6: the paper prints no other list; c2 has any number' \
    dp-se --instance c2-printed --arms 6 --horizon 100
refused 'the length of --means is 2, but --arms' ucb --means 0.1,0.2 --arms 3 --horizon 100
refused 'oracle "tpo" is unknown: choose from top' omm --means 0.1,0.2 --oracle tpo --horizon 100
refused 'needs vectors' omm --means 0.1,0.2 --oracle linear --horizon 100
refused 'a group for each' omm --means 0.1,0.2 --oracle partition:0 --horizon 100
refused 'a group for each' omm --means 0.1,0.2 --oracle partition:0,2 --horizon 100
refused 'an edge A-B for each' omm --means 0.1,0.2 --oracle graphic:0-1,1 --horizon 100
refused 'runs "0"' ucb --means 0.1,0.2 --horizon 100 --runs 0
refused 'fewer of either' ucb --means 0.1,0.2 --horizon 100 --runs 1e6 --checkpoints 1e5
refused '^lotor run: --checkpoints "linear:0": expected' ucb --means 0.1,0.2 --horizon 100 --checkpoints linear:0
refused 'checkpoints "5,101": round 101 is past the last' ucb --means 0.1,0.2 --horizon 100 --checkpoints 5,101
refused 'curves needs --json or --csv' ucb --means 0.1,0.2 --horizon 100 --curves
refused 'threads "0"' ucb --means 0.1,0.2 --horizon 100 --threads 0
refused 'beta "1"' dp-se --means 0.1,0.2 --horizon 100 --beta 1
refused 'noise-scale "0"' dp-se --means 0.1,0.2 --horizon 100 --noise-scale 0
refused 'json and --csv' ucb --means 0.1,0.2 --horizon 100 --json --csv
for name in x.pdf x.png x.svg.gz svg; do
    refused "name that ends in \\.svg, not \"$name\"" ucb --means 0.1,0.2 --horizon 100 --plot $name
done

# --- Ctrl-C: complete runs are printed, and the status says that it was stopped ---
if need timeout; then
    last='lotor run ucb (many runs), interrupted'
    timeout --foreground --preserve-status -s INT "$(seconds 1)" "$lotor" run ucb --instance c1 \
        --horizon 1e5 --runs 1e6 --json > "$folder/out" 2> "$folder/err"
    code=$?
    status 130
    json
    err 'stopped: this is what was complete'
    below "runs that were complete" 0 "$(value runs)"
    below "runs that were asked for" "$(value runs)" 1000000
    # Rewards are drawn one by one, in stretches that take hours. Ctrl-C still ends the command
    # within ten seconds. Both wait at the same time.
    for name in dp-se dpucb-mat; do
        {
            timeout --foreground --preserve-status -k "$(seconds 10)" -s INT "$(seconds 1)" "$lotor" run $name \
                --means 0.5,0.5001 --horizon 1e12 --rewards beta --runs 2 --threads 1 \
                > "$folder/$name.out" 2> "$folder/$name.err"
            echo $? > "$folder/$name.code"
        } &
    done
    wait
    for name in dp-se dpucb-mat; do
        last="lotor run $name --rewards beta, interrupted"
        cp "$folder/$name.out" "$folder/out"
        cp "$folder/$name.err" "$folder/err"
        code=$(cat "$folder/$name.code")
        status 130
        no_out
        err 'stopped: not one run was complete'
    done
    # A second Ctrl-C kills the command, here while its output waits for a reader that never reads.
    last='lotor run, interrupted twice'
    {
        timeout --foreground --preserve-status -s INT "$(seconds 2)" timeout --foreground --preserve-status \
            -s INT "$(seconds 1)" "$lotor" run ucb --means 0.4,0.6 --horizon 1e6 --runs 1e4 --checkpoints 5000 \
            --csv 2> "$folder/err"
        echo $? > "$folder/code"
    } | sleep "$(seconds 3)"
    code=$(cat "$folder/code")
    status 130
    no_err # if the output was finished, there would be a message
fi

# --- pictures --- A file name with characters that are special in a shell.
name="$folder/it's \`touch trap\`.svg"
run run dp-se,ucb --instance c2 --horizon 1e4 --runs 3 --plot "$name" --json
status 0
json
[ ! -e trap ] && pass || blame "the picture's name was executed"
for word in '<svg' 'dp-se' 'ucb' 'lower bound of dp-se' 'lower bound of ucb' 'Dashed: lower bounds' 'round t' 'regret' '</svg>'; do
    if grep -q "$word" "$name"; then pass; else blame "the picture lacks $word"; fi
done
# The folder is checked before anything is played, which would take days.
run run dp-ucb --means 0.1,0.2 --horizon 1e12 --plot "$folder/nowhere/x.svg"
status 1
no_out
err 'nowhere/x\.svg'
mkdir "$folder/d.svg"
run run dp-ucb --means 0.1,0.2 --horizon 1e12 --plot "$folder/d.svg"
status 1
no_out
err 'd\.svg.* directory'
if [ -c /dev/full ]; then
    ln -s /dev/full "$folder/full.svg"
    run run ucb --means 0.1,0.2 --horizon 1000 --plot "$folder/full.svg"
    status 1
    err "full\.svg.*can't be written: No space left"
fi

# --- delayed feedback, and worlds that change ---
regret_of batch-klucb --instance c1 --horizon 1e5 --runs 3
plain=$(timeless)
regret_of batch-klucb --instance c1 --horizon 1e5 --runs 3 --delay 0
same "delay 0 changes nothing" "$(timeless | sed 's/, "delay": "0"//')" "$plain"
regret_of batch-klucb --instance c1 --horizon 1e5 --runs 3 --world fixed
same "a fixed world changes nothing" "$(timeless | sed 's/, "world": "fixed"//')" "$plain"
# Delayed feedback costs lik-imed little: 1,000 runs give 496.
regret_of lik-imed --instance c1 --epsilon 1 --horizon 1e6 --runs 100 --delay 1e4
below "regret of lik-imed with a delay of 1e4" "$regret" 600
below "regret of lik-imed without a delay" 400 "$regret"
out '"delay": "1e4"'
regret_of ucb --means 1,0 --horizon 4 --world drift:1 --runs 1
near "what the best pay on average" "$(inside regret_against per_round)" 0.75 1e-12
out '"world": "drift:1"'
out '"lower_bound": null'
out '"is_best": null'
run run ucb --means 0.1,0.2 --horizon 100 --delay geometric:5 --world swaps:2
status 0
narrow
words 'world swaps:2, delay geometric:5, '
words 'best choice of the same round, which pays 0.2 a round'
words 'arrives after the last round is never used'
for delay in soon 1.5 uniform:5-3 1e30; do
    refused "^lotor run: --delay \"$delay\": expected a whole number of rounds such as 1e4, uniform:A-B with A at most B" \
        ucb --means 0.1,0.2 --horizon 10 --delay "$delay"
done
# Means that never change have a lower bound.
for options in '--means 0.1,0.2 --world swaps:1' '--means 0.1 --world swaps:3' '--means 0.1 --world drift:3'; do
    run run ucb $options --horizon 100
    status 0
    words 'Lower bound: '
    same "lines about change" "$(grep -c 'means change' "$folder/out")" 0
done
refused '^lotor run: --world "turns": expected fixed, swaps:N or drift:N' ucb --means 0.1,0.2 --horizon 10 --world turns
refused '^lotor run: --world "drift": a linear world' linucb --dimension 2 --horizon 10 --world drift
printf '0,1\n1,0\n' > "$folder/pays.csv"
refused '^lotor run: --world "swaps": .*recorded' ucb --replay "$folder/pays.csv" --horizon 10 --world swaps

finish
