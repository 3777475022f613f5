# completion_test.sh - calls the completion function of bash and checks what it offers after lotor.
. "$(dirname "$0")/../cli/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
need bash || finish

# offer WORD...: prints what is offered for the last word, on one line.
offer()
{
    last="lotor $*"
    offered=$(cd "$folder" && bash -c '
        . "$0"
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        COMP_LINE="$*"
        _lotor 2>&1
        printf "%s\n" "${COMPREPLY[@]}" | sort | tr "\n" " "' "$root/completions/lotor.bash" "$lotor" "$@" |
        sed 's/ $//')
}

has() { case " $offered " in *" $1 "*) pass ;; *) blame "$1 is not offered: $offered" ;; esac; }
is() { same "offered" "$offered" "$1"; }

offer ""
for name in $("$lotor" help | sed -n '/^Commands$/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    has "$name"
done
has help
offer ru
is run
offer help acc
is account
offer cou
is count

# All options in the help of the command are offered.
offer count --
is "--delta --epsilon --help --horizon --json --mechanism --range --skip-bad"
offer run --noise
is --noise-scale
offer account --rounds
is --rounds-per-user
offer audit --ver
is --verify

# Values: choices, algorithms, instances, files, folders.
offer count --mechanism ""
is "batch gaussian-tree hybrid tree"
offer count --mechanism g
is gaussian-tree
offer run --rewards ""
is "bernoulli beta gaussian pareto uniform"
offer run --problem s
is semi-bandit
offer advise --trust l
is local
offer run --feedback ""
is "cascade semi"
offer stop --rule dp-
is "dp-exp-nas dp-nas"
offer audit --view ""
is "actions board reports"
offer run --instance ""
has c1
has c2-printed
has c4-printed
has table-6.1
offer run --epsilon ""
is ""
offer run dp-se2
is "dp-se2 dp-se2-modified"
offer run dp-se,dp-ucb-
is "dp-se,dp-ucb-tight"
offer audit batch
is batch-klucb
offer audit al
is all
offer audit --verify tree
is "tree tree-short"
offer audit --verify ""
has cube-halves
has laplace
offer sample discrete
is "discrete-gaussian discrete-laplace"
offer sample ""
has wishart
has binomial
offer reproduce chandak-6.1
is "chandak-6.1a chandak-6.1b"
offer reproduce --claims chen-thm-6
is "chen-thm-6 chen-thm-6-small"
offer help ""
has run
offer key ""
is "list revoke"
offer key --role re
is "read reward"
offer key --role rank,me
is "rank,metrics"

mkdir "$folder/films"
echo "0 1 0.5" > "$folder/edges.txt"
offer run --instance graph:ed
is graph:edges.txt
offer run --instance movielens:f
is movielens:films
offer run --replay ed
is edges.txt
offer reproduce --out fi
is films
if "$lotor" help backup > /dev/null 2>&1; then
    offer key --role ""
    is "admin metrics rank read reward"
    offer check ed
    is edges.txt
    offer serve --store ed
    is edges.txt
    offer demo --algorithm rr
    is "rr-imed rr-klucb"
fi

# For every command, exactly its options are offered. All checks run in one shell, which is faster.
last="the options of all commands"
(cd "$folder" && bash -c '
    . "$0"
    for name in $("$1" help | sed -n "/^Commands$/,/^$/s/^  \([a-z]*\) .*/\1/p"); do
        COMP_WORDS=("$1" "$name" --) COMP_CWORD=2
        _lotor
        printf "$name %s\n" "${COMPREPLY[@]}"
    done' "$root/completions/lotor.bash" "$lotor" | sort > "$folder/offered")
for name in $("$lotor" help | sed -n '/^Commands$/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    "$lotor" help "$name" | sed -n "/^Options\$/,/^Examples\$/s/^  \(--[a-z-]*\).*/$name \1/p"
    echo "$name --help"
done | sort > "$folder/options"
same "options" "$(cat "$folder/offered")" "$(cat "$folder/options")"
[ "$(wc -l < "$folder/options")" -gt 100 ] || blame "few options were found"
finish
