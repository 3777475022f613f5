#!/bin/sh
# Checks the model of blanks (blank.pml) with spin: every broken variant must be found, and the protocol
# itself must have no error in any state. Needs spin and a C compiler.
#
#   model_test.sh FOLDER [long]    works in FOLDER; long: also two blocks, with 21.6 million states
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
sizes="1,2,2,3 1,2,3,2 1,2,2,3,1"
[ "${2:-}" != long ] || sizes="$sizes 2,1,2,2 2,1,2,2,1"
mkdir -p "$folder"
cd "$folder"

# run NAME OPTIONS...: prints the number of errors and of states.
run() {
    name=$1
    shift
    mkdir -p "$name"
    (
        cd "$name"
        cp "$here/blank.pml" model.pml
        spin -a "$@" model.pml >spin.log 2>&1
        cc -O2 -DSAFETY -DCOLLAPSE -DMEMLIM=4000 -o pan pan.c 2>cc.log
        ./pan -m1000000 >pan.log 2>&1 || true
    )
    errors=$(sed -n 's/.*errors: \([0-9]*\).*/\1/p' "$name/pan.log")
    states=$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' "$name/pan.log")
    if [ -z "$errors" ] || grep -q 'Search not completed' "$name/pan.log" && [ "$errors" = 0 ]; then
        echo "$name: the search did not end" >&2
        cat "$name/pan.log" >&2
        exit 1
    fi
}

failed=0
for variant in NOLOOK NOREAD NOFENCE FIRST RESTORE MEMORY; do
    run "$variant" "-D$variant" -DFAULTS=2
    if [ "$errors" = 0 ]; then
        echo "$variant: not found"
        failed=1
    else
        echo "$variant: found"
    fi
done
for variant in DISPLAY TWICE AFTER ANSWERED; do
    run "$variant" "-D$variant" -DFAULTS=2 -DCAP=1 -DNB=2 -DPB=1
    if [ "$errors" = 0 ]; then
        echo "$variant: not found"
        failed=1
    else
        echo "$variant: found"
    fi
done
for size in $sizes; do
    echo "$size" | tr ',' ' ' >size
    read -r blocks each servers faults cap <size
    run "protocol_$size" "-DNB=$blocks" "-DPB=$each" "-DNS=$servers" "-DFAULTS=$faults" \
        ${cap:+"-DCAP=$cap"}
    echo "$blocks blocks of $each, $servers servers, $faults faults${cap:+, a cap of $cap}:" \
        "$errors errors in $states states"
    [ "$errors" = 0 ] || failed=1
done
exit $failed
