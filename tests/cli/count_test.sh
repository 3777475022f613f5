# count_test.sh - lotor count.
. "$(dirname "$0")/lib.sh"

# --- without noise, the output is the exact running sum ---
awk 'BEGIN { for (i = 1; i <= 1000; i++) print (i * 7 % 5) / 4 }' > "$input"
awk '{ sum += $1; print sum }' "$input" > "$folder/sums"
for mechanism in tree hybrid 'gaussian-tree --delta 1e-6'; do
    # shellcheck disable=SC2086
    run count --mechanism $mechanism --epsilon inf --horizon 1000
    status 0
    same "$mechanism without noise" "$(cat "$folder/out")" "$(cat "$folder/sums")"
    err 'not private'
done
# A batch of 1, 2, 4, ... values is released when it is full: sums do not change in between.
awk 'BEGIN { size = 1 } { sum += $1; n++; if (n == size) { out += sum; sum = n = 0; size *= 2 }
     print out + 0 }' "$input" > "$folder/sums"
run count --mechanism batch --epsilon inf
status 0
same "batch without noise" "$(cat "$folder/out")" "$(cat "$folder/sums")"

# --- with noise: near the truth, and different each time ---
# The tree's noise at t = 100000 (6 bits set, 17 levels): deviation sqrt(2 * 6) * 17 = 59.
awk 'BEGIN { for (i = 1; i <= 100000; i++) print i % 2 }' > "$input"
run count --mechanism tree --epsilon 1 --horizon 100000
status 0
first=$(tail -1 "$folder/out")
near "tree at 100000" "$first" 50000 1000
same "lines" "$(wc -l < "$folder/out" | tr -d ' ')" 100000
err 'private: epsilon = 1'
run count --mechanism tree --epsilon 1 --horizon 100000
[ "$first" != "$(tail -1 "$folder/out")" ] && pass || blame "two runs gave the same last sum"
run count --mechanism hybrid --epsilon 1
near "hybrid at 100000" "$(tail -1 "$folder/out")" 50000 1500
run count --mechanism gaussian-tree --epsilon 1 --delta 1e-6 --horizon 100000
near "gaussian-tree at 100000" "$(tail -1 "$folder/out")" 50000 1000

# --- numbers ---
printf '1e-1\n+.5\n  1 \r\n0.0\n' > "$input"
run count --mechanism hybrid --epsilon inf
status 0
same "many ways to write numbers" "$(tr '\n' ' ' < "$folder/out")" "0.1 0.6 1.6 1.6 "
printf -- '-1\n1\n' > "$input"
run count --mechanism hybrid --epsilon inf --range -1,1
same "sums never read -0" "$(tr '\n' ' ' < "$folder/out")" "-1 0 "
printf '1e-9\n1e-9' > "$input"
run count --mechanism hybrid --epsilon inf --range 0,1e-9
same "narrow ranges get more places" "$(tail -1 "$folder/out")" "0.000000002"
printf '1e-20\n1e-20\n5e-21\n0\n' > "$input"
run count --mechanism hybrid --epsilon inf --range 0,1e-20
same "tiny ranges get an exponent" "$(tr '\n' ' ' < "$folder/out")" \
    "1e-20 2e-20 2.5e-20 2.5e-20 "
run count --mechanism hybrid --epsilon inf --range 0,1e-20 --json
json
out '"values": \[1e-20, 2e-20, 2\.5e-20, 2\.5e-20\]'
: > "$input"
run count --mechanism tree --epsilon 1 --horizon 8
status 0
no_out

# --- bad lines: the line number, the value, status 2, and the sums before that line ---
bad_line()
{
    printf '1\n%b\n1\n' "$1" > "$input"
    run count --mechanism tree --epsilon inf --horizon 8
    status 2
    err "line 2: .*$2"
    same "what came before the bad line" "$(cat "$folder/out")" "1"
    run count --mechanism tree --epsilon inf --horizon 8 --skip-bad
    status 0
    same "bad line as 0" "$(tr '\n' ' ' < "$folder/out")" "1 1 2 "
}
bad_line nan '"nan"'
bad_line inf '"inf"'
bad_line -inf '"-inf"'
bad_line 0x1 '"0x1"'
bad_line yes '"yes"'
bad_line 1.5 '"1.5"'
bad_line -0.1 '"-0.1"'
bad_line 1e400 '"1e400"'
bad_line '' 'blank'
bad_line '   ' 'blank'
bad_line '1 2' '"1 2"'
bad_line '\033[2J' '\\x1b\[2J'
bad_line '1\0000' '"1\\x00"'
long=$(awk 'BEGIN { for (i = 0; i < 70000; i++) printf "1" }')
bad_line "$long" '"1111.*\.\.\."'

echo nan > "$input"
run count --mechanism tree --epsilon 1 --horizon 8
status 2
err 'line 1: "nan"'

printf '0\n0\n1\n' > "$input"
run count --mechanism tree --epsilon inf --horizon 2
status 2
err 'line 3 is past the horizon'
same "before the horizon" "$(wc -l < "$folder/out" | tr -d ' ')" 2

# Without a horizon there is a limit, too, because sums must fit in 64 bits: at 131072 = 2^17 in
# steps of 2^-20 after 2^61 / 2^37 = 16777216 values. The message does not mention --horizon, since
# it was not given.
last='yes 131072 | lotor count --mechanism batch'
yes 131072 | head -n 16777217 |
    "$lotor" count --mechanism batch --epsilon inf --range 131071,131072 2> "$folder/err" |
    tail -1 > "$folder/out"
err '^lotor count: line 16777217: .*made for 16777216 values'
grep -Eq -e '--horizon|"131072"' "$folder/err" && blame "a horizon or a value in the message" || pass

# --- JSON ---
printf '1\n0.5\n' > "$input"
run count --mechanism tree --epsilon inf --horizon 8 --json
status 0
json
no_err
out '^\{"mechanism": "tree", "values": \[1, 1\.5\], .*"guarantee": \{"private": false'
run count --mechanism hybrid --epsilon 0.1 --json
json
no_err
out '"epsilon": 0\.1[,}]'
printf '1\nno"\\\n' > "$input"
run count --mechanism tree --epsilon 1 --horizon 8 --json
status 2
json
out '"error": "line 2'
: > "$input"
run count --mechanism batch --epsilon 1 --json
status 0
json
out '"values": \[\]'
run count --mechanism tree --epsilon 1 --json
status 2
json
out '^\{"error": "tree needs --horizon'
err 'tree needs --horizon'

# As the help says, a bad line is not hidden.
run count --help
case $(tr -s ' \n' ' ' < "$folder/out") in
*"ends the run, and the message names it. That the line is wrong, and how many lines came before it, is not hidden"*)
    pass ;;
*) blame "the help does not say that a bad line names itself" ;;
esac

# --- the command line ---
refused()
{
    pattern=$1
    shift
    run count "$@"
    status 2
    no_out
    err "$pattern"
}
refused '--mechanism tree\|hybrid\|batch\|gaussian-tree is missing' --epsilon 1
refused '--epsilon E is missing' --mechanism tree --horizon 8
refused '"tre" \(did you mean tree\?\)' --mechanism tre --epsilon 1 --horizon 8
refused 'tree needs --horizon' --mechanism tree --epsilon 1
refused 'gaussian-tree needs --delta' --mechanism gaussian-tree --epsilon 1 --horizon 8
refused 'takes no --delta .*"0.1"' --mechanism tree --epsilon 1 --horizon 8 --delta 0.1
refused 'delta' --mechanism gaussian-tree --epsilon 1 --delta 2 --horizon 8
refused 'horizon' --mechanism tree --epsilon 1 --horizon 0
refused '"1.5" is not a whole number' --mechanism tree --epsilon 1 --horizon 1.5
refused '"-8"' --mechanism tree --epsilon 1 --horizon -8
refused '"nan"' --mechanism tree --epsilon nan --horizon 8
refused '"-1"' --mechanism tree --epsilon -1 --horizon 8
refused 'epsilon' --mechanism tree --epsilon 0 --horizon 8
refused '"1x"' --mechanism tree --epsilon 1x --horizon 8
refused '"1,0"' --mechanism hybrid --epsilon 1 --range 1,0
refused '"5"' --mechanism hybrid --epsilon 1 --range 5
refused 'skip-bad.*"1,2"' --mechanism hybrid --epsilon 1 --range 1,2 --skip-bad
refused 'epsilon is given twice' --mechanism hybrid --epsilon 1 --epsilon 2
refused '--epsilon needs a value' --mechanism hybrid --epsilon
finish
