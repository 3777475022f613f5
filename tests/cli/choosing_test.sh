# choosing_test.sh LOTOR [long] - checks docs/choosing.md.
#
# - The simulator gives the regrets in its table.
# - `lotor advise` recommends what the decision table recommends (of the algorithms that the page names).
# - The rule of thumb gives the right number of people.
#
# Seeds are fixed, so a regret is the same number with the same mathematics library. With another library, the last
# digit of a logarithm may change a choice, so the test allows 10% and two standard errors. The quick test plays the
# regrets of 10^4 rounds at epsilon 1, and three rows of the decision table. The long test (scripts/soak) plays
# everything.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/run_lib.sh"
how=${2:-quick}
page=$(cd "$(dirname "$0")/../.." && pwd)/docs/choosing.md
last=$page

# The options of a world, as the page has them.
world() { sed -n "s/^| \`$1\` |[^|]*| \`\(--.*\)\` |\$/\1/p" "$page"; }
for name in one set list actions; do
    [ -n "$(world $name)" ] || blame "it does not say what the world $name is"
done

# lost ID WORLD HORIZON EPSILON RUNS: leaves the regret in $regret
lost()
{
    noise="--epsilon $4"
    [ "$4" != none ] || noise=
    # shellcheck disable=SC2046,SC2086 # words
    regret_of "$1" $(world "$2") --horizon "$3" $noise --runs "$5" --seed 1
}

# --- the regrets -----------------------------------------------------------------------------------
# Lines of "WORLD ROUNDS ID EPSILON MEAN ERROR".
cells()
{
    sed -n 's/^| \(one\|set\|list\|actions\) | \(1e[45]\) | `\([a-z-]*\)` |\(.*\)|$/\1 \2 \3 |\4/p' "$page" |
        awk -F '|' '{
            split("0.1 1 10 inf", epsilon, " ")
            for (i = 2; i <= NF; i++) {
                if ($i !~ /[0-9]/) continue
                split($i, part, " ")
                plain = $1 ~ / (ucb|cucb|cascade-ucb|linucb) /
                print $1, plain ? "none" : epsilon[i - 1], part[1], part[3]
            }
        }'
}
cells > "$folder/cells"
same "cells in the table" "$(wc -l < "$folder/cells" | tr -d ' ')" 144
while read -r world rounds id epsilon mean error; do
    if [ "$how" = long ] || { [ "$rounds" = 1e4 ] && [ "$epsilon" = 1 ]; }; then
        lost "$id" "$world" "$rounds" "$epsilon" 10 < /dev/null
        near "regret of $id, $world, $rounds, $epsilon" "$regret" "$mean" \
            "$(awk -v m="$mean" -v e="$error" 'BEGIN { print 0.1 * m + 2 * e }')"
    fi
done < "$folder/cells"

# --- worlds that change -----------------------------------------------------------------------------
# Lines of "WORLD MEAN ERROR OPTIONS". The quick test plays one world with and without a half-life.
sed -n 's/^| \(none\|`--[a-z0-9 -]*`\) | \([0-9]* ± [0-9]*\) | \([0-9]* ± [0-9]*\) | \([0-9]* ± [0-9]*\) | \([0-9]* ± [0-9]*\) |$/\1|\2|\3|\4|\5/p' "$page" |
    awk -F '|' '{
        gsub(/`|none/, "", $1)
        for (i = 2; i <= 5; i++) {
            split($i, part, " ")
            print i - 1, part[1], part[3], $1
        }
    }' > "$folder/changes"
same "cells of worlds that change" "$(wc -l < "$folder/changes" | tr -d ' ')" 24
while read -r world mean error options; do
    case $world in
    1) where="--means 0.7,0.3,0.3,0.3,0.3 --world swaps:6" ;;
    2) where="--instance c2 --world swaps:6" ;;
    3) where="--instance c2 --world drift:6" ;;
    *) where="--means 0.7,0.3,0.3,0.3,0.3" ;;
    esac
    case "$how $world $options" in
    "long "* | "quick 1 " | "quick 1 --half-life 4000")
        # shellcheck disable=SC2086 # words
        regret_of lik-imed $where --horizon 120000 --epsilon 1 --runs 40 --seed 1 $options < /dev/null
        near "regret of lik-imed $where $options" "$regret" "$mean" \
            "$(awk -v m="$mean" -v e="$error" 'BEGIN { print 0.1 * m + 2 * e }')"
        ;;
    esac
done < "$folder/changes"

# --- the decision table ----------------------------------------------------------------------------
# Lines of "PROBLEM TRUST EPSILON PEOPLE ID".
sed -n 's/^|[^|]*| `\([a-z-]*\)` | `\([a-z]*\)` | \([0-9.]*\) | \(1e[0-9]\) | `\([a-z0-9-]*\)` |.*/\1 \2 \3 \4 \5/p' "$page" \
    > "$folder/rows"
same "rows of the decision table" "$(wc -l < "$folder/rows" | tr -d ' ')" 15
for problem in finite matroid semi-bandit cascade linear; do
    grep -q "^$problem " "$folder/rows" || blame "no row for $problem"
done

# Prints what is recommended among the algorithms that the page names. An algorithm that is newer than the page may be
# better than all of them: then the first candidate counts that the page names.
recommended()
{
    grep -o '"\(recommended\|algorithm\)": "[^"]*"' "$folder/out" | cut -d '"' -f 4 | while read -r candidate; do
        if grep -qF "\`$candidate\`" "$page"; then
            echo "$candidate"
            break
        fi
    done
}

# With too little time, long experiments are cut short, and the advice may differ. Then it is asked
# again, with more time.
advised()
{
    shape="--arms 20 --slots 4"
    [ "$1" != finite ] || shape="--arms 5"
    [ "$1" != linear ] || shape="--arms 20 --dimension 5"
    for time in 2 6 20 60; do
        # shellcheck disable=SC2086 # words
        run advise --problem "$1" --trust "$2" --epsilon "$3" $shape --rounds "$4" --seconds "$(seconds $time)" --json
        status 0
        if [ "$(value rounds_played)" = "$(value rounds)" ]; then break; fi
    done
    same "advice for $*" "$(recommended)" "$5"
}
while read -r problem trust epsilon people id; do
    case "$how $problem $trust $epsilon" in
    "long "* | "quick finite central 5" | "quick finite local 1" | "quick matroid central 0.1")
        [ "$how $people" = "quick 1e5" ] || advised "$problem" "$trust" "$epsilon" "$people" "$id" < /dev/null
        ;;
    esac
done < "$folder/rows"

# --- the rule of thumb -----------------------------------------------------------------------------
# thumb WORLD TRUST EPSILON: prints the number of people by the rule of thumb. K and D are those of
# the worlds.
thumb()
{
    awk -v world="$1" -v trust="$2" -v e="$3" 'BEGIN {
        K = world == "one" ? 5 : 20
        D = world == "one" ? 0.25 : world == "set" ? 0.4 : 0.15
        t = (exp(e) - 1) / (exp(e) + 1)
        printf "%.0f", trust == "central" ? 20 * K / (e * D) + 3 * K / (D * D) : 3 * K / (D * D * t * t)
    }'
}
sed -n 's/^| \(one\|set\|list\) | \(central\|local\) | \([0-9.]*\) | \([0-9]*\) | \([0-9]*\)% | \([0-9]*\)% |$/\1 \2 \3 \4 \5 \6/p' "$page" \
    > "$folder/thumbs"
same "rows of the rule of thumb" "$(wc -l < "$folder/thumbs" | tr -d ' ')" 8
random() { case $1 in one) echo 0.25 ;; set) echo 1.28 ;; list) echo 0.3066 ;; esac; }
# share WORLD PEOPLE: prints $regret in percent of what random loses
share() { awk -v r="$regret" -v n="$2" -v a="$(random "$1")" 'BEGIN { print 100 * r / (n * a) }'; }
while read -r world trust epsilon people share tenth; do
    same "people in $world, $trust, $epsilon" "$(thumb "$world" "$trust" "$epsilon")" "$people"
    below "half of what random loses" "$share" 50
    below "a tenth of the people" 65 "$tenth"
    id=lik-imed
    [ "$trust" = central ] || id=rr-imed
    if [ "$how" = long ] || [ "$people" -le 3000 ]; then
        lost "$id" "$world" "$people" "$epsilon" 20 < /dev/null
        near "percent lost in $world, $trust, $epsilon" "$(share "$world" "$people")" "$share" 5
        lost "$id" "$world" "$((people / 10))" "$epsilon" 20 < /dev/null
        near "percent lost with a tenth in $world, $trust, $epsilon" "$(share "$world" "$((people / 10))")" "$tenth" 5
    fi
done < "$folder/thumbs"
# Graded means: lines of "MEANS SLOTS EPSILON PEOPLE SHARE". The rule gives the people, with D as the page defines it.
sed -n 's/^| \([0-9.,]*\) | \([0-9]*\)[a-z, ]* | \([0-9.]*\) | \([0-9]*\) | \([0-9]*\)% |$/\1 \2 \3 \4 \5/p' "$page" > "$folder/graded"
same "rows of graded means" "$(wc -l < "$folder/graded" | tr -d ' ')" 6
while read -r means slots epsilon people share; do
    # The rule, and what random choices lose in a round. A list's value is the chance of a click.
    known=$(echo "$means" | tr , '\n' | sort -gr | awk -v s="$slots" -v e="$epsilon" '
        {
            if (NR <= s) { best += $1; miss = (NR == 1 ? 1 : miss) * (1 - $1) } else rest += $1
            if (NR == 1) p = $1
            all += $1
            sets[0] = 1
            for (j = s; j > 0; j--) sets[j] += (1 - $1) * sets[j - 1]
        }
        END {
            D = best / s - rest / (NR - s)
            ways = 1
            for (j = 1; j <= s; j++) ways *= (NR - s + j) / j
            printf "%.0f %.8f", 20 * NR / (e * D) + 3 * NR / (D * D) * (p < 0.2 ? 4 * p * (1 - p) : 1),
                s == 1 ? best - all / NR : sets[s] / ways - miss
        }')
    same "people with means $means" "${known% *}" "$people"
    shape=
    [ "$slots" = 1 ] || shape="--problem cascade --slots $slots"
    # shellcheck disable=SC2086 # words
    regret_of lik-imed --means "$means" $shape --horizon "$people" --epsilon "$epsilon" --runs 40 --seed 1 < /dev/null
    near "percent lost with means $means" \
        "$(awk -v r="$regret" -v n="$people" -v a="${known#* }" 'BEGIN { print 100 * r / (n * a) }')" "$share" 5
done < "$folder/graded"

# The cost of an epsilon: lines of "EPSILON WEEK FIVE-WEEKS".
sed -n 's/^| \([0-9.]*\|no noise\) | .* | \([0-9]*\) | \([0-9]*\) |$/\1 \2 \3/p' "$page" | sed 's/no noise/inf/' > "$folder/costs"
same "rows of costs" "$(wc -l < "$folder/costs" | tr -d ' ')" 5
while read -r epsilon week weeks; do
    for pair in "2e4 $week" "1e5 $weeks"; do
        regret_of lik-imed --problem cascade --slots 3 --means 0.02,0.026,0.032,0.038,0.044,0.05 --horizon "${pair% *}" \
            --epsilon "$epsilon" --runs 200 --seed 1 < /dev/null
        near "clicks lost at epsilon $epsilon, ${pair% *}" "$regret" "${pair#* }" "$(awk -v m="${pair#* }" 'BEGIN { print 0.1 * m }')"
    done
done < "$folder/costs"
finish
