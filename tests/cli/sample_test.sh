# sample_test.sh - lotor sample: the command line, and the distribution of each law.
#
# Fast laws have a seed, so the results of their tests never change. Exact laws have no seed. Their
# chi-square tests (200,000 draws, cells that expect 10 or more) allow 125 for at most 41 degrees of
# freedom. A correct sampler fails 3 times in 10^10. With the same bound, the same draws must be
# rejected for a law whose parameter is 10% off.
. "$(dirname "$0")/lib.sh"

draws=200000

# chi_square LAW PARAMETER < draws
chi_square()
{
    awk -v law="$1" -v parameter="$2" '
    function weight(x) {
        if (law == "geometric") return x < 0 ? 0 : parameter * exp(x * log(1 - parameter))
        if (law == "discrete-laplace") return exp(-(x < 0 ? -x : x) / parameter)
        return exp(-x * x / (2 * parameter * parameter))
    }
    { seen[$1]++; n++ }
    END {
        for (x = -2000; x <= 2000; x++) total += weight(x)
        for (x = -20; x <= 20; x++) {
            expected = n * weight(x) / total
            if (expected < 10) continue
            statistic += (seen[x] - expected) ^ 2 / expected
            inside += seen[x]
            inside_expected += expected
        }
        rest = n - inside_expected
        if (rest >= 10) statistic += (n - inside - rest) ^ 2 / rest
        print statistic
    }' "$folder/out"
}

# follows LAW OPTION PARAMETER WRONG [MORE...]
follows()
{
    law=$1 option=$2 parameter=$3 wrong=$4
    shift 4
    run sample "$law" "$option" "$parameter" --count $draws "$@"
    status 0
    no_err
    same "draws" "$(wc -l < "$folder/out" | tr -d ' ')" $draws
    statistic=$(chi_square "$law" "$parameter")
    awk -v s="$statistic" 'BEGIN { exit !(s < 125) }' && pass || blame "chi-square $statistic"
    statistic=$(chi_square "$law" "$wrong")
    awk -v s="$statistic" 'BEGIN { exit !(s > 125) }' && pass ||
        blame "chi-square $statistic does not notice $wrong for $parameter"
}

for how in --exact '--seed 5'; do
    # shellcheck disable=SC2086
    follows discrete-laplace --scale 3 3.3 $how
    # shellcheck disable=SC2086
    follows discrete-laplace --scale 0.7 0.77 $how
    # shellcheck disable=SC2086
    follows discrete-gaussian --sigma 3 3.3 $how
    # shellcheck disable=SC2086
    follows discrete-gaussian --sigma 0.8 0.88 $how
    # shellcheck disable=SC2086
    follows geometric --p 0.3 0.33 $how
done

# mean AWK-EXPRESSION: its mean over the draws
mean()
{
    awk "{ sum += $1 } END { printf \"%.9g\", sum / NR }" "$folder/out"
}
# Tolerances are six deviations of the mean of 200,000 draws.
# Laplace(2): E|x| = 2, deviation 2; E x = 0, deviation sqrt(8); P(|x| > 2) = 1/e.
run sample laplace --scale 2 --count $draws --seed 11
near "E|x| of laplace" "$(mean '($1 < 0 ? -$1 : $1)')" 2 0.0269
near "E x of laplace" "$(mean '$1')" 0 0.038
near "tail of laplace" "$(mean '($1 > 2 || $1 < -2)')" 0.36788 0.0065
# N(0, 3^2): E x^2 = 9, deviation 9 sqrt(2); P(|x| < 3) = 0.682689
run sample gaussian --sigma 3 --count $draws --seed 12
near "E x^2 of gaussian" "$(mean '$1 * $1')" 9 0.171
near "E x of gaussian" "$(mean '$1')" 0 0.0403
near "bulk of gaussian" "$(mean '($1 < 3 && $1 > -3)')" 0.682689 0.00625
# Binomial(100, 0.3): mean 30, variance 21 (its deviation: about 21 sqrt(2))
run sample binomial --n 100 --p 0.3 --count $draws --seed 13
near "mean of binomial" "$(mean '$1')" 30 0.0615
near "variance of binomial" "$(mean '($1 - 30) ^ 2')" 21 0.4
run sample binomial --n 5e7 --p 0 --count 3
same "binomial, p = 0" "$(tr '\n' ' ' < "$folder/out")" "0 0 0 "
run sample binomial --n 18446744073709551615 --p 1
same "binomial, p = 1" "$(cat "$folder/out")" 18446744073709551615
# Wishart(I, 4) in two dimensions: E = 4 I, variance 8 on the diagonal and 4 off it.
run sample wishart --dimension 2 --degrees 4 --count $draws --seed 14
same "numbers per line" "$(awk 'NF != 4 || $2 != $3' "$folder/out")" ""
near "diagonal of wishart" "$(mean '$1')" 4 0.038
near "diagonal of wishart" "$(mean '$4')" 4 0.038
near "off the diagonal" "$(mean '$2')" 0 0.027

# --- seeds ---
run sample gaussian --sigma 1 --count 50 --seed 7
first=$(cat "$folder/out")
run sample gaussian --sigma 1 --count 50 --seed 7
same "same seed, same draws" "$(cat "$folder/out")" "$first"
run sample gaussian --sigma 1 --count 50 --seed 8
[ "$first" != "$(cat "$folder/out")" ] && pass || blame "another seed, the same draws"
run sample gaussian --sigma 1 --count 50
[ "$first" != "$(cat "$folder/out")" ] && pass || blame "no seed, the same draws"
run sample discrete-laplace --scale 1000000 --count 20 --exact
first=$(cat "$folder/out")
run sample discrete-laplace --scale 1000000 --count 20 --exact
[ "$first" != "$(cat "$folder/out")" ] && pass || blame "exact draws repeat"
run sample laplace --scale 1
same "count is 1 by default" "$(wc -l < "$folder/out" | tr -d ' ')" 1
run sample laplace --scale 1 --count 0
status 0
no_out

# --- JSON ---
for law in 'laplace --scale 2' 'discrete-laplace --scale 2' 'gaussian --sigma 2' \
    'discrete-gaussian --sigma 2' 'geometric --p 0.5' 'binomial --n 9 --p 0.5' \
    'wishart --dimension 2 --degrees 3'; do
    # shellcheck disable=SC2086
    run sample $law --count 3 --seed 7 --json
    status 0
    json
    no_err
    out "^\{\"law\": \"${law%% *}\", .*\"count\": 3, \"exact\": false, \"seed\": 7, \"samples\": \["
done
run sample geometric --p 0.5 --exact --json --count 2
json
out '"exact": true, "seed": null, "samples": \[[0-9]+, [0-9]+\]\}'
run sample geometric --p 0.5 --json
json
seed=$(sed -n 's/.*"seed": \([0-9]*\).*/\1/p' "$folder/out")
before=$(cat "$folder/out")
run sample geometric --p 0.5 --json --seed "$seed"
same "the seed in the answer repeats it" "$(cat "$folder/out")" "$before"

# --- the command line ---
refused()
{
    pattern=$1
    shift
    run sample "$@"
    status 2
    no_out
    err "$pattern"
}
refused 'no law is given'
refused '"laplaec": did you mean laplace\?' laplaec --scale 1
refused 'laplace needs --scale' laplace
refused 'laplace takes no --sigma' laplace --scale 1 --sigma 1
refused 'binomial needs --n' binomial --p 0.5
refused '--exact refuses --seed' discrete-laplace --scale 1 --exact --seed 1
for law in 'laplace --scale 1' 'gaussian --sigma 1' 'binomial --n 9 --p 0.5' \
    'wishart --dimension 2 --degrees 3'; do
    # shellcheck disable=SC2086
    refused 'discrete-laplace, discrete-gaussian and geometric' $law --exact
done
refused '--scale "0"' laplace --scale 0
refused '--scale "-1"' discrete-laplace --scale -1
refused '--scale "-1"' discrete-laplace --scale -1 --exact
refused '--scale "0"' discrete-laplace --scale 0 --exact
refused '"nan"' laplace --scale nan
refused '"inf"' laplace --scale inf
refused '--scale "1e300"' discrete-laplace --scale 1e300
refused '--sigma "1e300"' discrete-gaussian --sigma 1e300 --exact
refused '--p "1.5"' geometric --p 1.5
refused '--p "0"' geometric --p 0
refused '--p "1e-9"' geometric --p 1e-9 --exact
refused '--p "-0.1"' binomial --n 9 --p -0.1
refused '"1.5" is not a whole number' binomial --n 1.5 --p 0.1
refused '--dimension "0"' wishart --dimension 0 --degrees 3
refused '--dimension "1e9"' wishart --dimension 1e9 --degrees 1e10
refused '--degrees "1"' wishart --dimension 2 --degrees 1
refused '--count: "many"' laplace --scale 1 --count many
refused '--count: "-1"' laplace --scale 1 --count -1
refused '--seed: "-1"' laplace --scale 1 --seed -1
# Exact draws past 64 bits, and fractions that do not fit, are refused; the message says what fits.
refused '--scale "4.6e18".* below 2\^57' discrete-laplace --scale 4.6e18 --exact
refused '--sigma "3.14159265358979".*at most 14 digits' \
    discrete-gaussian --sigma 3.14159265358979 --exact
run sample discrete-gaussian --sigma 3.1415926535897 --exact
status 0
run sample discrete-laplace --scale 1.4e17 --exact
status 0
# With --json the refusal is on standard output, too.
for way in 'laplaec --scale 1' laplace 'laplace --scale 0' 'discrete-laplace --scale 0 --exact' \
    'gaussian --sigma 1 --exact' 'wishart --dimension 0 --degrees 3'; do
    # shellcheck disable=SC2086
    run sample $way --json
    status 2
    json
    out '^\{"error": "[^"]+'
    err '^lotor sample: '
done
finish
