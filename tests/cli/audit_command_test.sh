# audit_command_test.sh - lotor audit --command: right and broken programs, and hostile ones. A claim that holds is
# called violated with probability 1e-6, and all seeds are fixed.
. "$(dirname "$0")/lib.sh"
examples=$(cd "$(dirname "$0")/../../examples" && pwd)

audit()
{
    program=$1
    shift
    run audit --command "$program" --epsilon 1 --seed 1 "$@"
}

# --- the examples ---
audit "/usr/bin/python3 '$examples/mechanism.py'" --trials 2e4
status 0
no_err
out ': no violation found$'
out '^  claimed   epsilon 1$'
out '^  found     epsilon at least 0\.[789]'
out '^  played    outputs of 1 number; 20000 trials, '
out '^  not       other pairs of inputs; '
audit "/usr/bin/python3 '$examples/mechanism.py' half-noise" --trials 1e4
status 1
no_err
out 'half-noise": violated$|: violated$'
out 'epsilon at least 1\.[678]'
audit "/usr/bin/python3 '$examples/mechanism.py' shared-noise" --trials 1e4
status 1
out 'number 2$|minus number 1'
# With the seed, the program gets the same lines, on one thread or several.
audit "/usr/bin/python3 '$examples/mechanism.py'" --trials 1e4 --json --threads 1
status 0
json
without_time() { sed 's/"seconds": [^,]*//' "$folder/out"; }
first=$(without_time)
audit "/usr/bin/python3 '$examples/mechanism.py'" --trials 1e4 --json --threads 3
same "more threads" "$(without_time)" "$first"
for key in command verdict violated epsilon delta found estimated looseness confidence event attack events setting trials \
    seed seconds exercised not_exercised; do
    out "\"$key\": "
done

# --- the lines that a program gets ---
lines=$folder/lines
audit "tee -a '$lines' | awk '{ print NF }'" --trials 1000 --threads 1 --input a --neighbour "it's; \$(x)"
status 1
same "the number of lines" "$(wc -l < "$lines" | tr -d ' ')" 1512
same "lines of the first input" "$(grep -Ec '^[0-9]+ a$' "$lines")" 756
same "lines of the second input" "$(grep -Fc " it's; \$(x)" "$lines")" 756
same "different seeds" "$(cut -d ' ' -f 1 "$lines" | sort -u | wc -l | tr -d ' ')" 1512
same "seeds below 2^53" "$(awk '$1 >= 9007199254740992' "$lines")" ""

# --- outputs of a program ---
audit "awk '{ print \"nan, -inf,\t+inf 1e-300\", \$2 }'" --trials 1000
status 1
out 'outputs of 5 numbers'
audit "awk '{ printf \"%s\\r\\n\", \$2 }'" --trials 1000
status 1
audit "awk 'NR > 1 { print \"\" } { printf \"%s\", \$2 }'" --trials 1000 # no newline at the end
status 1
audit "awk '{ print \"\" }'" --trials 1000
status 4
out 'too little was seen$'
out 'empty lines only'
audit "awk '{ print 5 }'" --trials 1000
status 4
out 'nothing could be seen$'
out 'does the program use its input'
audit 'while read -r seed input; do echo "$input"; done' --trials 1000 # a shell loop around one-shot programs
status 1
run audit --command 'awk "{ print \$2 }"' --epsilon inf --trials 1000
status 0
out 'claims nothing$'

# --- programs that fail: status 2, not the 1 of a violation ---
fails()
{
    audit "$1" --trials 1000
    status 2
    no_out
    err "$2"
}
fails 'echo hello' 'line 1 that the program printed: "hello" is not a line of numbers, because of "hello"'
fails "awk 'NR == 3 { print \"0.5 x\"; next } { print 1 }'" 'line 3 that the program printed: "0\.5 x" .* because of "x"'
fails "awk '{ print \"[1, 2]\" }'" 'because of "\[1"'
fails "awk '{ print \"1e999\" }'" 'because of "1e999"'
fails 'no-such-program-here' 'answered 0 of 256 lines, and it ended with exit status 127 \(command not found\)'
fails "awk '{ print 1 }' | head -n 5" 'answered 5 of 256 lines, and it ended without an error'
fails "awk '{ print 1 }'; exit 3" 'answered all 256 lines, but it ended with exit status 3'
fails 'read -r line; kill -9 $$' 'it was ended by signal 9'
fails 'yes 1' 'printed more lines than it read \(256\); the first line too many is "1"'
fails 'yes "" | tr "\n" 1' 'longer than 65536 bytes: "1111'
fails "awk '{ for (i = 0; i < 300; i++) printf \"1 \"; print 1 }'" 'has more than 256 numbers'
fails 'printf "\033[2J\n"' '"\\x1b\[2J" is not a line of numbers'
fails '' 'answered 0 of 256 lines'
fails 'exec 1>&-; sleep 0.1' 'answered 0 of 256 lines'
fails "awk 'BEGIN { srand(1) } { print \$2 + int(10 * rand()) }'" 'gave the same 200 outputs twice, for different seeds'
# A program that hangs, in three ways. It never answers, so the time limit decides nothing else.
for hang in 'sleep 1000' 'cat > /dev/null; sleep 1000' 'exec 1>&-; cat > /dev/null; sleep 1000'; do
    run audit --command "$hang" --epsilon 1 --trials 1000 --timeout 0.2
    status 2
    err 'neither read nor printed anything for 0\.2 seconds, after 0 of 256 lines'
done
run audit --command 'echo hello' --epsilon 1 --json
status 2
json
out '"error": "line 1 that the program printed'

# --- options ---
wrong()
{
    pattern=$1
    shift
    run audit --command cat "$@"
    status 2
    err "$pattern"
}
wrong 'the claim of the program is missing' --trials 1000
wrong 'one argument too many' --epsilon 1 dp-ucb
wrong 'must differ in the data of one person' --epsilon 1 --input 7 --neighbour 7
wrong 'is not an input' --epsilon 1 --input '1
2'
wrong 'expected seconds, more than 0' --epsilon 1 --timeout 0
wrong '--couple can.t be used with --command' --epsilon 1 --couple
wrong '--verify can.t be used with --command' --epsilon 1 --verify tree
wrong '--horizon can.t be used with --command' --epsilon 1 --horizon 5
wrong 'give at least 1000' --epsilon 1 --trials 999
wrong '0 trials are too few' --epsilon 1 --trials 0
wrong 'epsilon 0' --epsilon 0
wrong 'delta must be below 1' --epsilon 1 --delta 1
wrong 'expected from 1 to 256' --epsilon 1 --threads 257
run audit dp-ucb --input 3
status 2
err '--input is for --command'

finish
