# run_lib.sh - more functions, for the output of lotor run. Sourced after lib.sh.

# value KEY: the first number under that key; inside OBJECT KEY: that number in the first such
# object
value()
{
    grep -o "\"$1\": *[-0-9.e+]*" "$folder/out" | head -1 | sed 's/.*: *//'
}
inside()
{
    grep -o "\"$1\": *{[^}]*}" "$folder/out" | head -1 | sed -n "s/.*\"$2\": *\([-0-9.e+a-z]*\).*/\1/p"
}
# timeless: the output without the numbers that depend on the clock
timeless()
{
    sed 's/"seconds": [^,]*, "rounds_per_second": [^,]*, //g' "$folder/out"
}
# below WHAT A B: A < B
below()
{
    if awk -v a="$2" -v b="$3" 'BEGIN { exit !(a != "" && b != "" && a + 0 < b + 0) }'; then pass
    else blame "$1: $2 is not below $3"; fi
}
# regret_of ARGUMENTS: runs lotor run, and sets $regret
regret_of()
{
    run run "$@" --json
    status 0
    regret=$(inside regret mean)
}
# refused PATTERN ARGUMENTS: lotor run must refuse the arguments, with a message that matches
refused()
{
    pattern=$1
    shift
    run run "$@"
    status 2
    no_out
    err "$pattern"
}
# narrow: no line of the output may be wider than 80 columns or end in a blank
narrow()
{
    same "lines wider than 80" "$(awk 'length > 80' "$folder/out")" ""
    same "blanks at ends of lines" "$(grep -c ' $' "$folder/out")" 0
}
# words PATTERN: the output must match when its lines are joined
words()
{
    if tr -s ' \n' ' ' < "$folder/out" | grep -Eq -e "$1"; then pass
    else blame "the output lacks, in one line: $1"; fi
}
