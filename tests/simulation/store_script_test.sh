#!/bin/sh
# store_script_test.sh SIM REAL - checks that the simulated store returns the same as a real one,
# call by call. With LOTOR_TEST_POSTGRES (an empty database) the real store is PostgreSQL, else
# SQLite.
set -eu
sim=$1
real=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ -n "${LOTOR_TEST_POSTGRES:-}" ]; then
    "$sim" "${SEED:-1}" 4000 shared >"$folder/sim"
    "$real" "${SEED:-1}" 4000 "$LOTOR_TEST_POSTGRES" >"$folder/real"
    diff "$folder/sim" "$folder/real"
    exit
fi
for seed in 1 2 3 4 5 6; do
    "$sim" $seed 2000 >"$folder/sim"
    "$real" $seed 2000 "$folder/$seed.db" >"$folder/real"
    diff "$folder/sim" "$folder/real" || {
        echo "seed $seed: < the simulated store, > SQLite"
        exit 1
    }
done
