# canary_test.sh - checks that private values do not leak. Unusual values are sent as reward, user
# and context, in requests that succeed and in requests that are refused. Then the test searches for
# them in everything that others may read.
. "$(dirname "$0")/../cli/lib.sh"

store=$folder/canary.db

# Values that occur nowhere else. The user and the context's arm are texts. Numbers are searched for
# as they were written and as the bytes of a double.
user=canary-user-5f1c
reward=0.7310281936
number=0.2986135703
report=917263544

key=$("$lotor" key --store "$store" --role admin 2> "$folder/err") || blame "no key"
start_server canary --store "$store"
: > "$folder/replies"

# post PATH BODY: prints the reply and keeps it for the search
post()
{
    curl -s -m "$(seconds 10)" -H "Authorization: Bearer $key" -d "$2" "http://127.0.0.1:$port$1" > "$folder/reply"
    cat "$folder/reply" >> "$folder/replies"
    echo >> "$folder/replies"
    cat "$folder/reply"
}
event_of()
{
    sed -n 's/.*"event": "\([^"]*\)".*/\1/p'
}
post /v1/campaigns '{"name": "shop", "algorithm": "batch-klucb", "arms": ["a", "b"], "epsilon": 1,
    "wait_seconds": 600, "rounds_per_user": 3}' > /dev/null
post /v1/campaigns '{"name": "linear", "algorithm": "jdp-batch", "arms": ["a", "b"], "epsilon": 1,
    "wait_seconds": 600, "dimension": 2, "horizon": 1000}' > /dev/null
post /v1/campaigns '{"name": "local", "algorithm": "cucb-ldp2", "arms": ["a", "b"], "epsilon": 1,
    "wait_seconds": 600, "horizon": 1000}' > /dev/null

# Requests that succeed: the same user twice, a reward for each.
for i in 1 2; do
    event=$(post /v1/campaigns/shop/rank "{\"user\": \"$user\"}" | event_of)
    same "an event comes" "${#event}" 64
    post "/v1/events/$event/reward" "{\"rewards\": [$reward]}" > "$folder/out"
    out acknowledged
done
event=$(post /v1/campaigns/linear/rank "{\"context\": {\"a\": [$number, 0], \"b\": [0, $number]}}" |
    event_of)
same "an event comes for a context" "${#event}" 64
post "/v1/rewards" "{\"rewards\": [{\"event\": \"$event\", \"rewards\": [$reward]}]}" > "$folder/out"
out acknowledged
local_event=$(post /v1/campaigns/local/rank '{}' | event_of)

# Requests that are refused in all ways that might quote them.
for body in "{\"rewards\": [$reward, $reward]}" "{\"rewards\": [1$reward]}" "{\"rewards\": $reward}" \
    "{\"rewards\": [\"$user\"]}" "{\"$user\": 1}" "{\"rewards\": [$reward}" "{\"click\": \"$user\"}" \
    "{\"report\": $report}" "{\"rewards\": [$reward], \"report\": [$report]}" "$user" "[$reward]" \
    "{\"rewards\": [$reward], \"rewards\": [$reward]}"; do
    post "/v1/events/$event/reward" "$body" > "$folder/out"
    out '"error"'
    post "/v1/events/$local_event/reward" "$body" > "$folder/out"
    out '"error"'
    post "/v1/rewards" "{\"rewards\": [{\"event\": \"$user\", \"rewards\": [$reward]}, $body]}" > "$folder/out"
    out '"error"'
done
for body in "{\"user\": [\"$user\"]}" "{\"user\": \"$user\", \"context\": {\"$user\": [$number]}}" \
    "{\"$user\": 1}" "{\"user\": \"$user\", \"eligible\": [\"$user\"]}" "{\"user\": \"$user\"" \
    "{\"user\": \"$user\", \"context\": {\"a\": [$number, 1e300], \"b\": [$number, 0]}}" \
    "{\"context\": {\"a\": [$number], \"b\": [$number, 0]}}"; do
    for campaign in shop linear local; do
        post "/v1/campaigns/$campaign/rank" "$body" > "$folder/out"
        out '"error"'
        post "/v1/campaigns/$campaign/rank-batch" "{\"requests\": [$body]}" > "$folder/out"
        out '"error"'
    done
done
# The same by OpenFeature's protocol: a user, a context and attributes that are ignored; then what is refused.
event=$(post /ofrep/v1/evaluate/flags/shop "{\"context\": {\"targetingKey\": \"$user\", \"$user\": {\"a\": [\"$user\"]}}}" |
    event_of)
same "an event comes for a flag" "${#event}" 64
event=$(post /ofrep/v1/evaluate/flags/linear "{\"context\": {\"context\": {\"a\": [$number, 0], \"b\": [0, $number]}}}" |
    event_of)
same "an event comes for a flag with a context" "${#event}" 64
for body in "{\"context\": \"$user\"}" "{\"context\": {\"targetingKey\": [\"$user\"]}}" \
    "{\"context\": {\"targetingKey\": \"$user\", \"eligible\": \"$user\"}}" "{\"$user\""; do
    for campaign in shop linear local; do
        post "/ofrep/v1/evaluate/flags/$campaign" "$body" > "$folder/out"
        out '"errorCode"'
    done
done
# Arms and rows of other flags are ignored where there is no context, and the linear campaign lacks its own rows.
for body in "{\"context\": {\"targetingKey\": \"$user\", \"eligible\": [\"$user\"]}}" \
    "{\"context\": {\"targetingKey\": \"$user\", \"context\": {\"$user\": [$number]}}}"; do
    for campaign in shop local; do
        post "/ofrep/v1/evaluate/flags/$campaign" "$body" > "$folder/out"
        out '"variant"'
    done
    post /ofrep/v1/evaluate/flags/linear "$body" > "$folder/out"
    out '"errorCode"'
done
for path in /metrics /v1/campaigns /v1/campaigns/shop /v1/campaigns/linear /v1/campaigns/shop/guarantee; do
    curl -s -m "$(seconds 10)" -H "Authorization: Bearer $key" "http://127.0.0.1:$port$path" >> "$folder/replies"
done

# A server with this option writes no core, gets no new privileges, and no other process can read
# its memory.
grep -Eq '^Max core file size +0 +0 ' "/proc/$server/limits" && pass || blame "a core could be written"
grep -Eq '^NoNewPrivs:[[:space:]]*1' "/proc/$server/status" && pass || blame "new privileges are possible"

# The bytes of a double, little-endian, as grep -P accepts them. They are constants, so that neither
# xxd nor python is needed.
reward_bytes='\x1e\xe9\xfe\x3c\x95\x64\xe7\x3f'
number_bytes='\x96\x23\xa5\x17\x7c\x1c\xd3\x3f'

# Searches while the server runs (with its WAL), after a kill -9, and after a clean stop.
look()
{
    for what in "$user" "$reward" "${reward#0.}" "$number" "${number#0.}" "$report"; do
        for place in "$folder"/canary.db* "$folder/canary.log" "$folder/replies"; do
            if grep -aFq -e "$what" "$place"; then
                blame "$1: $what is in $place"
            else
                pass
            fi
        done
    done
    for what in "$reward_bytes" "$number_bytes"; do
        for place in "$folder"/canary.db*; do
            if LC_ALL=C grep -aPq -e "$what" "$place"; then
                blame "$1: a double's bytes are in $place"
            else
                pass
            fi
        done
    done
}
look "while it runs"
kill -9 "$server"
wait "$server" 2> /dev/null
look "after kill -9"
start_server canary --store "$store"
kill -TERM "$server"
wait "$server"
same "a clean stop" "$?" 0
look "after a clean stop"

# Tests the search itself: it finds planted values.
echo "x $user $reward" > "$folder/canary.log"
failures_before=$failures
look "a planted leak" > /dev/null
if [ "$failures" -gt "$failures_before" ]; then
    failures=$failures_before
    pass
else
    blame "the search found nothing where there was something"
fi
finish
