#!/bin/sh
# counting.sh - explains private counting in a short story. It takes a few seconds.
#
# LOTOR is the command (build/lotor unless set).
set -eu
LC_ALL=C
export LC_ALL
lotor=${LOTOR:-build/lotor}
people=100000
folder=$(mktemp -d "${TMPDIR:-/tmp}/lotor-counting.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM

if ! "$lotor" --version > "$folder/version" 2> /dev/null; then
    echo "counting.sh: there is no command at $lotor: run make first, or set LOTOR" >&2
    exit 1
fi

count()
{
    "$lotor" count --mechanism tree --epsilon 1 --horizon $people < "$1" 2> "$folder/guarantee"
}

cat << 'END'

  A question nobody likes to answer
  =================================
  100,000 people are asked, one after another: "Have you been in debt this
  year?" Each answers 1 for yes or 0 for no, and wants nobody to learn which.
  The newspaper wants the running count, after every single answer.

  So the count is published with noise, drawn once and never again:

    lotor count --mechanism tree --epsilon 1 --horizon 100000 < answers

END

# The values are invented: three people in ten say yes.
awk -v people=$people 'BEGIN { srand(1); for (i = 0; i < people; i++) print rand() < 0.3 ? 1 : 0 }' \
    > "$folder/answers"
count "$folder/answers" > "$folder/private"

# The true count is printed only for comparison. A private server never prints it.
paste "$folder/answers" "$folder/private" | awk '
    function bar(share, width,    text, i) {
        if (share < 0) share = 0
        if (share > 1) share = 1
        text = ""
        for (i = 0; i < int(share * width + 0.5); i++) text = text "#"
        return text
    }
    BEGIN {
        print "   answers   truth*  published   off by   share of yes, as published"
        next_shown = 10
    }
    {
        truth += $1
        if (NR == next_shown) {
            next_shown *= 10
            share = $2 / NR
            published = sprintf("%.0f", $2)
            printf "  %8d %8d  %9d %+8d   ", NR, truth, published, published - truth
            if (NR <= 100) print "(mostly noise, in so small a crowd)"
            else printf "%-30s %5.1f%%\n", bar(share, 30), 100 * share
        }
    }'
cat << 'END'

  * For you only: a server that keeps its promise never prints this column.

  The noise does not grow with the crowd. Among ten people it hides everything;
  among a hundred thousand it hides each person, and costs next to nothing.

  What if one person had answered otherwise?
  ------------------------------------------
END

awk 'NR == 50000 { $1 = 1 - $1 } { print }' "$folder/answers" > "$folder/otherwise"
for run in 1 2 3; do
    printf '  as they answered, run %d        %9.0f yes\n' $run \
        "$(count "$folder/answers" | tail -1)"
done
for run in 1 2 3; do
    printf '  person 50,000 flipped, run %d   %9.0f yes\n' $run \
        "$(count "$folder/otherwise" | tail -1)"
done
cat << 'END'

  Runs differ from each other far more than one answer could make them differ.
  (Six runs are fine in a demo. In earnest you publish one: each run spends its
  own epsilon, and averaging many wears the noise off.) How well one answer is
  hidden is a promise, and the command states it, on standard error:

END
sed 's/^/  /' "$folder/guarantee"

cat << 'END'

  How many people must be asked?
  ------------------------------
  To know the share of yes within a fifth, 19 times in 20, with every answer
  protected, also against who watches when we stop asking:

    lotor stop --rule dp-exp-nas --alpha 0.2 --beta 0.05 --epsilon 1 < answers

END
if "$lotor" stop --rule dp-exp-nas --alpha 0.2 --beta 0.05 --epsilon 1 \
    < "$folder/answers" 2> "$folder/said" > "$folder/stopped"; then
    awk '{ value[$1] = $2 }
         END { printf "  It stopped after %d people: %.1f%% say yes.\n",
                      value["samples"], 100 * value["estimate"] }' "$folder/stopped"
else
    sed 's/^/  /' "$folder/said"
fi

cat << 'END'

  And if they ask me again?
  -------------------------
  lotor account --epsilon 1 --campaigns 3

END
"$lotor" account --epsilon 1 --campaigns 3 | sed 's/^/  /; s/ *$//'

printf '\n  Where to look next\n  ------------------\n'
printf '  %-26s %s\n' "$lotor help" 'what else it does' \
    "$lotor help count" 'other mechanisms, and JSON' \
    include/lotor/counter.h 'the same from C, in four calls' \
    README.md 'how it works inside'
echo
