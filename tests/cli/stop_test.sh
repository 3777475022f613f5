# stop_test.sh - lotor stop.
. "$(dirname "$0")/lib.sh"

# Mean 0.5, alternating 0.4 and 0.6.
awk 'BEGIN { for (i = 0; i < 200000; i++) print i % 2 ? 0.4 : 0.6 }' > "$input"
field()
{
    awk -v name="$1" '$1 == name { print $2 }' "$folder/out"
}

# nas stops at the first t with |mean| >= R sqrt(2 log(4 t^2/beta)/t) (1 + 1/alpha): this test
# computes it again. The mean of t samples is 0.5, and a little more when t is odd.
expected=$(awk -v alpha=0.1 -v beta=0.05 'BEGIN {
    for (t = 1; ; t++) {
        mean = t % 2 ? (0.5 * (t - 1) + 0.6) / t : 0.5
        if (mean >= sqrt(2 * log(4 * t * t / beta) / t) * (1 + 1 / alpha)) { print t; exit }
    } }')
run stop --rule nas --alpha 0.1 --beta 0.05
status 0
same "samples of nas" "$(field samples)" "$expected"
near "estimate of nas" "$(field estimate)" 0.5 0.0001
err 'not private'
nas=$(field samples)
run stop --rule nas-printed --alpha 0.1 --beta 0.05
status 0
[ "$(field samples)" -lt "$nas" ] && pass || blame "nas-printed is not shorter than nas"

for rule in dp-nas dp-exp-nas; do
    run stop --rule $rule --alpha 0.1 --beta 0.05 --epsilon 1
    status 0
    near "estimate of $rule" "$(field estimate)" 0.5 0.05
    err 'private: epsilon = 1'
    samples=$(field samples)
    [ "$samples" -gt 1000 ] && pass || blame "$rule stopped after $samples samples"
done
awk -v n="$samples" 'BEGIN { while (n > 1 && n % 2 == 0) n /= 2; exit n != 1 }' && pass ||
    blame "dp-exp-nas stopped at $samples, no power of two"

# --- range ---
awk 'BEGIN { for (i = 0; i < 200000; i++) print 2 + i % 2 }' > "$input"
run stop --rule nas --alpha 0.2 --beta 0.05 --range 3
status 0
near "estimate in [-3,3]" "$(field estimate)" 2.5 0.01

awk 'BEGIN { for (i = 0; i < 200000; i++) print 5e-21 }' > "$input"
run stop --rule nas --alpha 0.2 --beta 0.05 --range 1e-20
status 0
near "estimate in [-1e-20,1e-20]" "$(awk '$1 == "estimate" { print $2 * 1e20 }' "$folder/out")" \
    0.5 0.001

# --- the input ends first ---
printf '1\n0.5\n' > "$input"
run stop --rule dp-nas --alpha 0.1 --beta 0.05 --epsilon 1
status 3
no_out
err 'the input ended after 2 samples, before dp-nas stopped'
run stop --rule dp-nas --alpha 0.1 --beta 0.05 --epsilon 1 --json
status 3
json
out '"stopped": false, "estimate": null, "samples": 2'
: > "$input"
run stop --rule nas --alpha 0.1 --beta 0.05
status 3

# --- bad lines ---
for value in nan 1.5 -1.01 word ''; do
    printf '0\n%s\n' "$value" > "$input"
    run stop --rule nas --alpha 0.1 --beta 0.05
    status 2
    err "line 2: .*$value"
    run stop --rule nas --alpha 0.1 --beta 0.05 --json
    status 2
    json
    out '^\{"error": "line 2: .*"\}$'
    err "line 2: .*$value"
done

# --- JSON ---
awk 'BEGIN { for (i = 0; i < 200000; i++) print 1 }' > "$input"
run stop --rule dp-exp-nas --alpha 0.2 --beta 0.1 --epsilon 2 --json
status 0
json
no_err
out '"rule": "dp-exp-nas", "stopped": true, "estimate": [0-9.]+, "samples": [0-9]+, "guarantee": '

# --- the command line ---
refused()
{
    pattern=$1
    shift
    run stop "$@"
    status 2
    no_out
    err "$pattern"
}
refused '--rule nas\|nas-printed\|dp-nas\|dp-exp-nas is missing' --alpha 0.1 --beta 0.1
refused '--alpha A is missing' --rule nas --beta 0.1
refused 'dp-nas is private and needs --epsilon' --rule dp-nas --alpha 0.1 --beta 0.1
refused 'takes no --epsilon .*"1"' --rule nas --alpha 0.1 --beta 0.1 --epsilon 1
refused 'alpha' --rule nas --alpha 1.5 --beta 0.1
refused 'alpha' --rule nas --alpha 0 --beta 0.1
refused 'beta' --rule nas --alpha 0.1 --beta 1
refused '"nan"' --rule nas --alpha nan --beta 0.1
refused 'range|R ' --rule nas --alpha 0.1 --beta 0.1 --range 0
refused 'epsilon' --rule dp-nas --alpha 0.1 --beta 0.1 --epsilon 0
refused '"dp-nsa" \(did you mean dp-nas\?\)' --rule dp-nsa --alpha 0.1 --beta 0.1
run stop --rule nas --alpha 1.5 --beta 0.1 --json
status 2
json
out '^\{"error": ".*alpha'
err 'alpha'
run stop --rule dp-nas --alpha 0.1 --beta 0.1 --json
status 2
json
out '^\{"error": "dp-nas is private and needs'
finish
