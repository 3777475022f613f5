# kinds_test.sh - two servers on one database. The test checks that
#
# - a cap on a user's rounds holds over both;
# - paused arms are not shown on either after a second;
# - max_arms is raised on one server, and the new arms are shown on both;
# - contexts work on the other server;
# - a campaign closed on one server is closed on both;
# - early_release ends rounds with feedback before their time;
# - decisions that measure value are handed out and rewarded on both.
#
# Run by tests/service/shared/postgres.sh with sh tests/service/shared/kinds_test.sh PATH-OF-LOTOR.
. "$(dirname "$0")/../../cli/lib.sh"
key=$("$lotor" key --keys "$folder/keys" --role admin 2>/dev/null)
for i in 1 2; do
    start_server $i --store "$LOTOR_TEST_POSTGRES" --key-file "$folder/key" --keys "$folder/keys"
    [ -n "$port" ] || finish
done
ask() { # SERVER PATH [BODY]
    curl -s -m "$(seconds 10)" -H "Authorization: Bearer $key" "127.0.0.1:$(cat "$folder/$1.port")$2" ${3:+-d "$3"}
}
has() { # TEXT PATTERN
    if printf '%s' "$1" | grep -q "$2"; then pass; else blame "expected $2 in $1"; fi
}

ask 1 /v1/campaigns '{"name": "early", "algorithm": "batch-klucb", "epsilon": 1, "arms": ["a"],
    "wait_seconds": 60, "early_release": true}' >/dev/null
ask 1 /v1/campaigns '{"name": "capped", "algorithm": "batch-klucb", "epsilon": 1, "arms": ["a", "b"],
    "wait_seconds": 5, "rounds_per_user": 3}' >/dev/null
ask 1 /v1/campaigns '{"name": "linear", "algorithm": "jdp-batch", "epsilon": 1, "delta": 0.01, "dimension": 2,
    "horizon": 1000, "arms": ["a", "b"], "wait_seconds": 5}' >"$folder/linear"
ask 2 /v1/campaigns '{"name": "paused", "algorithm": "batch-klucb", "epsilon": 1, "arms": ["a", "b"],
    "wait_seconds": 5}' >/dev/null
ask 1 /v1/campaigns '{"name": "measured", "epsilon": 1, "arms": ["a", "b"], "wait_seconds": 5, "half_life": "1h",
    "evaluation": {"share": 0.5, "control": ["b"]}}' >/dev/null
sleep "$(seconds 1)"

last="the cap"
events=0
for i in 1 2 1 2 1 2; do
    ask "$i" /v1/campaigns/capped/rank '{"user": "one"}' >"$folder/reply"
    has "$(cat "$folder/reply")" '"arms": \["[ab]"\]'
    grep -q '"event": "' "$folder/reply" && events=$((events + 1))
done
same "events of one user on both servers" "$events" 6 # which of them count is private

last="contexts"
for i in 1 2 1 2; do
    event=$(ask "$i" /v1/campaigns/linear/rank '{"context": {"a": [0.5, 0.1], "b": [0.1, 0.5]}}' |
        sed -n 's/.*"event": "\([^"]*\)".*/\1/p')
    has "$(ask $((3 - i)) "/v1/events/$event/reward" '{"rewards": [1]}')" acknowledged
done

last="early_release"
for i in 1 2 1 2; do
    event=$(ask "$i" /v1/campaigns/early/rank '{}' | sed -n 's/.*"event": "\([^"]*\)".*/\1/p')
    has "$(ask $((3 - i)) "/v1/events/$event/reward" '{"rewards": [1]}')" acknowledged
done

last="decisions that measure"
for i in 1 2 1 2; do
    ask "$i" /v1/campaigns/measured/rank-batch '{"count": 30}' >"$folder/reply"
    for role in learn measure control; do has "$(cat "$folder/reply")" "\"role\": \"$role\""; done
    for event in $(grep -o '"event": "[^"]*"' "$folder/reply" | sed 's/.*: "//; s/"//'); do
        echo "{\"event\": \"$event\", \"rewards\": [1]}"
    done | paste -sd, | sed 's/.*/{"rewards": [&]}/' >"$folder/rewards"
    has "$(ask $((3 - i)) /v1/rewards "@$folder/rewards")" '"acknowledged": 30'
done

last="a paused arm"
for i in 1 2; do ask "$i" /v1/campaigns/paused/rank-batch '{"count": 20}' >/dev/null; done
ask 1 /v1/campaigns/paused/arms '{"pause": ["a"]}' >"$folder/changed"
has "$(cat "$folder/changed")" '"id": "a", "paused": true'
sleep "$(seconds 1)"
for i in 1 2; do
    shown=$(ask "$i" /v1/campaigns/paused/rank-batch '{"count": 50}' | grep -o '"arms": \["a"\]' | wc -l)
    same "times that the paused arm was shown on server $i" "$(echo $shown)" 0
done

last="max_arms"
curl -s -m "$(seconds 10)" -X PATCH -H "Authorization: Bearer $key" "127.0.0.1:$(cat "$folder/2.port")/v1/campaigns/paused" \
    -d '{"max_arms": 40}' >"$folder/changed"
has "$(cat "$folder/changed")" '"max_arms": 40'
ask 1 /v1/campaigns/paused/arms "{\"add\": [$(seq -s, 1 30 | sed 's/[0-9]*/"n&"/g')], \"pause\": [\"b\"]}" >"$folder/changed"
has "$(cat "$folder/changed")" '"id": "n30", "paused": false'
sleep "$(seconds 1)"
for i in 1 2; do
    shown=$(ask "$i" /v1/campaigns/paused/rank-batch '{"count": 50}' | grep -o '"arms": \["n[0-9]*"\]' | wc -l)
    same "times that a new arm was shown on server $i" "$(echo $shown)" 50
done

last="closing"
ask 2 /v1/campaigns/paused/close '{}' >/dev/null
sleep "$(seconds 1)"
for i in 1 2; do has "$(ask "$i" /v1/campaigns/paused/rank '{}')" closed; done

last="the end"
sleep "$(seconds 9)" # campaign "early": its blocks are reported after 6 seconds, and it waits for 60
for name in capped early linear measured paused; do
    one=$(ask 1 "/v1/campaigns/$name" | sed 's/.*"decisions"\(.*\)"guarantee".*/\1/')
    same "what both say of $name" "$(ask 2 "/v1/campaigns/$name" | sed 's/.*"decisions"\(.*\)"guarantee".*/\1/')" "$one"
    has "$one" '"pending": 0'
done
has "$(ask 1 /v1/campaigns/capped)" '"final": 3' # of six rounds of one user
# all were liked, so both mean values are about 1, and rest on as many rounds
has "$(ask 2 /v1/campaigns/measured)" '"lift": {"policy": {"mean": [01][.0-9]*, .*"rounds": [1-9]'
# shellcheck disable=SC2086 # a list of processes
kill $servers
for pid in $servers; do wait "$pid" || blame "a server ended with $?"; done
servers=""
"$lotor" check "$LOTOR_TEST_POSTGRES" --key "$folder/key" >"$folder/said" 2>&1 || blame "$(cat "$folder/said")"
pass
finish
