# randomize_test.sh - lotor randomize: the device's part of a local campaign.
. "$(dirname "$0")/lib.sh"

place='{"mechanism": "position", "slot": 0, "epsilon": 1, "scale": 0, "unit": 0, "low": 0, "high": 1, "slots": 3}'
run randomize --randomizer "$place" --click 2
status 0
json
out '^\{"report": [1-4]\}$'
run randomize --randomizer "{\"event\": \"x\", \"randomizer\": $place}" --click none
status 0
out '^\{"report": [1-4]\}$'

# At epsilon 40, a report equals the true value, except once in e^40 times.
sure=$(echo "$place" | sed 's/"epsilon": 1/"epsilon": 40/')
run randomize --randomizer "$sure" --click 2
out '^\{"report": 2\}$'
run randomize --randomizer "$sure" --click none
out '^\{"report": 4\}$'
bit=$(echo "$sure" | sed 's/position/bit/; s/"slot": 0/"slot": 1/')
run randomize --randomizer "$bit" --rewards 1
out '^\{"report": 1\}$'
run randomize --randomizer "$bit" --click 1
out '^\{"report": 1\}$'
run randomize --randomizer "$bit" --click 2
out '^\{"report": 0\}$'
cube=$(echo "$sure" | sed 's/position/cube/')
run randomize --randomizer "$cube" --rewards 1,0,1
out '^\{"report": \[1, 0, 1\]\}$'

# 2^20 units a reward: at epsilon 0.1 three of them have noise of scale 30 * 2^20.
laplace()
{
    echo '{"mechanism": "laplace", "slot": 0, "epsilon": 0.1, "scale": '"$1"', "unit": 9.5367431640625e-07, "low": 0, "high": 1, "slots": 3}'
}
run randomize --randomizer "$(laplace 31457280)" --rewards 1,0
status 0
json
out '^\{"report": \[-?[0-9]+, -?[0-9]+\]\}$'
first=$(cat "$folder/out")
run randomize --randomizer "$(laplace 31457280)" --rewards 1,0
[ "$first" != "$(cat "$folder/out")" ] && pass || blame "the same noise twice"

# --- refusals ---
run randomize --randomizer "$(laplace 31457279)" --rewards 1,0
status 2
no_out
err 'does not give the stated epsilon'
run randomize --randomizer "$(laplace 31457280)" --rewards 1,0,0,1
status 2
err 'the number of rewards is 4: expected 1 to 3'
run randomize --randomizer "$place" --click 4
status 2
err 'outside the list'
run randomize --randomizer "$place" --click 0
status 2
err 'from 1, or none'
run randomize --randomizer "$place"
status 2
err 'either --rewards or --click'
run randomize --randomizer "$place" --click 1 --rewards 1
status 2
run randomize --click 1
status 2
for broken in '' '[' '[]' '3' '{}' '{"randomizer": 1}' \
    "$(echo "$place" | sed 's/position/truth/')" \
    "$(echo "$place" | sed 's/"slots": 3/"slots": 0/')" \
    "$(echo "$place" | sed 's/"slots": 3/"slots": 99999999/')" \
    "$(echo "$place" | sed 's/"slots": 3/"slots": "3"/')" \
    "$(echo "$place" | sed 's/"scale": 0/"scale": -1/')" \
    "$(echo "$place" | sed 's/"low": 0/"low": null/')" \
    "$(echo "$place" | sed 's/"epsilon": 1/"epsilon": "inf"/')" \
    "$(echo "$place" | sed 's/"epsilon": 1/"epsilon": 0/')" \
    "$(echo "$place" | sed 's/"epsilon": 1/"epsilon": -1/')" \
    "$(echo "$place" | sed 's/"scale": 0/"scale": 0, "more": 1/')"; do
    run randomize --randomizer "$broken" --click 1
    status 2
    no_out
done
finish
