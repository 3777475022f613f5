# counting_test.sh - examples/counting.sh runs, fits 80 columns, and its published counts are near
# the true ones.
. "$(dirname "$0")/lib.sh"

last='examples/counting.sh'
LOTOR=$lotor sh "$(dirname "$0")/../../examples/counting.sh" > "$folder/out" 2> "$folder/err"
code=$?
status 0
no_err
same "lines past 80 columns" "$(grep -v "$lotor" "$folder/out" | awk 'length > 80')" ""
# Deviation of the tree at 100,000: 59.
near "error at 100,000" "$(awk '$1 == 100000 && NF == 6 { print $4 }' "$folder/out")" 0 600
out 'It stopped after [0-9]+ people'
LOTOR=/nowhere/lotor sh "$(dirname "$0")/../../examples/counting.sh" > "$folder/out" 2> "$folder/err"
code=$?
status 1
err 'there is no command at /nowhere/lotor'
finish
