# account_test.sh - lotor account. Expected numbers were computed from the formulas, by hand.
. "$(dirname "$0")/lib.sh"

# value KEY: the first number under that key, at any depth
value()
{
    sed -n "s/.*\"$1\": *\([-0-9.e+]*\).*/\1/p" "$folder/out" | head -1
}
# inside OBJECT KEY: the number under that key in the first such object
inside()
{
    sed -n "s/.*\"$1\": *{[^}]*\"$2\": *\([-0-9.e+]*\).*/\1/p" "$folder/out"
}

# 1/(1+e) = 0.26894142136999512...
run account --epsilon 1 --json
status 0
json
out '"adversary_failure": 0\.2689'
near "failure at epsilon 1" "$(value adversary_failure)" 0.268941421369995 1e-14
run account --epsilon 1
status 0
no_err
words=$(tr '\n' ' ' < "$folder/out")
case $words in
*"At epsilon 1, an attacker who knows all other data, sees everything published, and thinks two answers of a person equally likely at first, still picks the wrong one at least 26 times in 100 (by tossing a coin: 50 in 100)"*) pass ;;
*) blame "the sentence for reviewers is missing: $words" ;;
esac
# 1/(1+e^3) = 0.04742587; epsilon 0 is blind guessing
run account --epsilon 3
out '4\.7 times in 100'
run account --epsilon 0
out '50 times in 100'
run account --epsilon inf
out 'protects nobody'
run account --epsilon inf --json
json
out '"epsilon": null'
# (1 - 0.01)/(1 + e) = 0.266252
run account --epsilon 1 --delta 0.01 --json
near "failure with delta" "$(value adversary_failure)" 0.26625200715 1e-9

# --- adding up ---
run account --epsilon 0.5,1.25,0.25 --json
json
near "sum of three" "$(inside basic epsilon)" 2 1e-9
run account --epsilon 0.1,0.2 --delta 1e-7,3e-7 --json
near "sum of deltas" "$(inside basic delta)" 4e-7 1e-15
run account --epsilon 0.1 --times 100 --total-delta 1e-6 --json
status 0
json
near "100 times, basic" "$(inside basic epsilon)" 10 1e-9
# Optimal composition lies below zCDP, which lies below adding up: by zCDP with rho = 0.5,
# rho + 2 sqrt(rho log(1/delta)) = 5.757 is an upper bound of both.
advanced=$(inside advanced epsilon)
zcdp=$(inside zcdp epsilon)
awk -v a="$advanced" -v z="$zcdp" 'BEGIN { exit !(a > 0.1 && a < z && z < 5.757) }' && pass ||
    blame "advanced $advanced, zCDP $zcdp"
near "the best is carried on" "$(sed 's/.*"zcdp"//' "$folder/out" |
    sed -n 's/[^}]*}, "epsilon": \([0-9.]*\).*/\1/p')" "$advanced" 1e-12

# --- people ---
run account --epsilon 0.5 --rounds-per-user 3 --campaigns 2 --json
json
near "3 rounds" "$(inside per_user epsilon)" 1.5 1e-9
same "2 campaigns" "$(inside all_campaigns epsilon)" 3
run account --epsilon 0.5 --campaigns 2
out 'epsilons add up|add up\.'
# delta (e^(k epsilon) - 1)/(e^epsilon - 1) at k = 2, epsilon = 1: 1e-6 * 3.7182818
run account --epsilon 1 --delta 1e-6 --rounds-per-user 2 --json
near "delta of two rounds" "$(inside per_user delta)" 3.718281828e-6 1e-14

# Each composition is converted to the guarantee of a user before they are compared. Optimal
# composition gives (1.9996, 1e-6) for ten times 0.2, a little better than (2, 0); but five rounds
# make its delta 1e-6 (e^9.998 - 1)/(e^1.9996 - 1) = 0.0034, while 0 stays 0.
run account --epsilon 0.2 --times 10 --rounds-per-user 5 --json
near "pure promises stay pure" "$(inside per_user epsilon)" 10 1e-9
same "and cost no delta" "$(inside per_user delta)" 0
near "what is carried on" "$(value likelihood_factor)" 22026.4657948 1e-4 # e^10

# If both rates of wrong guesses underflow, the smaller epsilon is chosen. 1e8 times 0.1 is
# 5e5-zCDP. final KEY: a number of the chosen budget, which follows the objects
final()
{
    sed -n "s/.*}, \"epsilon\": \([-0-9.e+]*\), \"delta\": \([-0-9.e+]*\).*/\\$1/p" "$folder/out"
}
run account --epsilon 0.1 --times 100000000 --json
near "the smaller epsilon" "$(final 1)" "$(inside advanced epsilon)" 1e-9
# Two rounds: 4 times the rho, and rho + 2 sqrt(rho log(1/delta)) = 2010513 bounds the epsilon
# from above, by little. The optimal composition has a smaller one, 2 * 504841, but at delta 1.
run account --epsilon 0.1 --times 100000000 --rounds-per-user 2 --json
near "a group under zCDP" "$(inside per_user epsilon)" 2010505 8.5
near "its delta" "$(inside per_user delta)" 1e-6 1e-15
run account --rho 2e6 --delta 1e-6 --json
near "a group is 4 rho" "$(inside zcdp epsilon)" 2010505 8.5

# --- Gaussian noise ---
# rho = s^2/(2 sigma^2) = 1/32
run account --sigma 4 --sensitivity 1 --delta 1e-6 --json
status 0
json
near "rho of sigma 4" "$(value rho)" 0.03125 1e-12
zcdp=$(inside zcdp epsilon)
analytic=$(inside analytic epsilon)
awk -v a="$analytic" -v z="$zcdp" 'BEGIN { exit !(a > 0 && a < z && z < 1.35) }' && pass ||
    blame "analytic $analytic, zCDP $zcdp" # 1/32 + 2 sqrt(log(1e6)/32) = 1.345 bounds both
run account --sigma 4 --delta 1e-6 --times 4 --rounds-per-user 3 --campaigns 2 --json
near "rho of 4 releases, 3 rounds, 2 campaigns" "$(value rho)" 2.25 1e-9
run account --rho 0.03125 --delta 1e-6 --json
json
near "rho gives what sigma gave" "$(inside zcdp epsilon)" "$zcdp" 1e-12
# Computes the noise that a budget needs. That noise must give the same budget.
run account --epsilon 1 --delta 1e-6 --sensitivity 2 --json
status 0
json
sigma=$(value sigma_zcdp)
smaller=$(value sigma_analytic)
run account --sigma "$sigma" --sensitivity 2 --delta 1e-6 --json
near "budget of the zCDP sigma" "$(inside zcdp epsilon)" 1 1e-6
run account --sigma "$smaller" --sensitivity 2 --delta 1e-6 --json
near "budget of the analytic sigma" "$(inside analytic epsilon)" 1 1e-6
run account --epsilon 0.5 --sensitivity 2 --json
near "Laplace scale" "$(value laplace_scale)" 4 1e-9
for way in '--epsilon 1 --delta 1e-6 --sensitivity 1' '--sigma 4 --delta 1e-6' \
    '--rho 0.1 --delta 1e-6' '--epsilon 0.1 --times 9' '--epsilon 1 --campaigns 3'; do
    # shellcheck disable=SC2086
    run account $way
    status 0
    out 'an attacker who knows all'
    same "widest line of $way" "$(awk 'length > 80' "$folder/out")" ""
done

# Results are never rounded to the stronger claim. The double 0.29 is 0.28999999999999998002; seven
# of them lie between the doubles 2.0299999999999998046 (printed 2.03), which is nearer, and the
# next one.
run account --rho 0.29 --times 7 --delta 1e-6 --json
same "rho rounded up" "$(value rho)" 2.0300000000000002
# Exactly 9 * 0.0018^2/2, for the double 0.0018, rounded up: 1.4580000000000001e-05.
run account --rho 1.4580000000000001e-05 --delta 1e-6 --json
proved=$(inside zcdp epsilon)
run account --epsilon 0.0018 --times 9 --json
same "rho of pure promises rounded up" "$(inside zcdp epsilon)" "$proved"

run account --rho 1e308 --times 1e10 --delta 0.1
status 0
out 'protects nobody'

# --- the command line ---
refused()
{
    pattern=$1
    shift
    run account "$@"
    status 2
    no_out
    err "$pattern"
}
refused 'one of --epsilon, --rho and --sigma'
refused 'one of --epsilon, --rho and --sigma' --epsilon 1 --rho 1 --delta 0.1
refused '--epsilon -1' --epsilon -1
refused '"nan"' --epsilon nan
refused 'item 2 of the list "1,,2"' --epsilon 1,,2
refused '--delta 1' --epsilon 1 --delta 1
refused '--delta 2' --epsilon 1 --delta 2
refused 'the length of --epsilon is 3 and of --delta 2' --epsilon 1,2,3 --delta 0.1,0.2
refused '"0": must be 1 or more' --epsilon 1 --times 0
refused '"0": must be above 0' --rho 0 --delta 1e-6
refused '"-4": must be above 0' --sigma -4 --delta 1e-6
refused 'needs one --delta' --rho 1
refused 'needs one --delta' --sigma 1
refused '--delta 0: must be above 0' --sigma 1 --delta 0
refused '"1": must be below 1' --epsilon 1 --times 2 --total-delta 1
refused 'delta' --epsilon 1,2 --delta 0.1 --times 2 --total-delta 0.01
refused 'total-delta is for several' --epsilon 1 --total-delta 1e-3
refused 'total-delta goes with --epsilon' --rho 1 --delta 0.1 --total-delta 1e-3
refused 'sensitivity goes with' --rho 1 --delta 0.1 --sensitivity 1
refused 'one release' --epsilon 1 --sensitivity 1 --times 2
refused '--times' --epsilon 1,2 --times 18446744073709551615
refused 'at most 1000000' --epsilon 1,2 --times 1e9
# With --json the refusal is on standard output, too.
for way in '--epsilon 1 --delta 2' '--epsilon 1 --rho 1' '--sigma 1 --delta 0' '--rho 0 --delta 0.1' \
    '--epsilon 1,2 --times 1e9'; do
    # shellcheck disable=SC2086
    run account $way --json
    status 2
    json
    out '^\{"error": "[^"]+'
    err '^lotor account: '
done
finish
