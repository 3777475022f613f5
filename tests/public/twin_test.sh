#!/bin/sh
# A program that uses the public headers gets the numbers that the command prints, to the last digit.
# usage: twin_test.sh LOTOR TWIN
lotor=$1 twin=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failed=0

# run ALGORITHM INSTANCE HORIZON SEED SLOTS OPTIONS...: both programs must print the same curve
run() {
    algorithm=$1 instance=$2 horizon=$3 seed=$4 slots=$5
    "$twin" run "$1" "$2" "$3" "$4" "$5" >"$folder/twin" || failed=1
    shift 5
    "$lotor" run "$algorithm" --horizon "$horizon" --seed "$seed" --csv "$@" >"$folder/lotor" || failed=1
    if ! cmp -s "$folder/twin" "$folder/lotor"; then
        echo "$algorithm on $instance, $slots slots, differs:" >&2
        diff "$folder/twin" "$folder/lotor" | head -n 6 >&2
        failed=1
    fi
}

# audit ALGORITHM SEED: every field of the public result must be in the JSON
audit() {
    "$twin" audit "$1" "$2" >"$folder/twin" || failed=1
    "$lotor" audit "$1" --trials 2000 --seed "$2" --json >"$folder/lotor"
    while read -r field; do
        if ! grep -qF "$field" "$folder/lotor"; then
            echo "audit of $1: lotor audit does not say $field" >&2
            failed=1
        fi
    done <"$folder/twin"
}

run dp-se c2 20000 1 0 --instance c2
run dp-ucb c1 2000 9 0 --instance c1
run dpucb-mat table-6.1 2000 3 0 --instance table-6.1
run cts table-6.1 500 3 2 --instance table-6.1 --oracle top --slots 2
run cucb-dp2 grid:3x3 300 4 0 --instance grid:3x3
run cascade-dp c3 300 5 2 --instance c3 --slots 2
run jdp-batch - 200 6 0
run jdp-bayes - 200 6 0
audit dp-ucb 3
audit rr-klucb 4
audit cascade-ldp-gauss 5
exit $failed
