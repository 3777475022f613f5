# quiet_test.sh - light traffic on two servers with one database: decisions from one server, their
# rewards on the other, a pause until all rounds are final, and again. At the end `lotor check` must
# find no error, and no request may have failed.
#
# Run by tests/service/shared/postgres.sh with sh tests/service/shared/quiet_test.sh PATH-OF-LOTOR
# [BURSTS]. The campaigns wait 0.5, 1 and 4 seconds for rewards. Each gets BURSTS bursts (default:
# 4).
. "$(dirname "$0")/../../cli/lib.sh"
bursts=${2:-4}
key=$("$lotor" key --keys "$folder/keys" --role admin 2>/dev/null)
for i in 1 2; do
    start_server $i --store "$LOTOR_TEST_POSTGRES" --key-file "$folder/key" --keys "$folder/keys"
    [ -n "$port" ] || finish
done
ask() { # SERVER PATH [BODY]: the reply goes to $folder/reply, a failure is counted
    code=$(curl -s -m "$(seconds 10)" -o "$folder/reply" -w '%{http_code}' -H "Authorization: Bearer $key" \
        "127.0.0.1:$(cat "$folder/$1.port")$2" ${3:+-d "$3"})
    case $code in
    20?) pass ;;
    *) blame "$2 on server $1 gave $code: $(cat "$folder/reply")" ;;
    esac
}

for wait in 0.5 1 4; do
    ask 1 /v1/campaigns "{\"name\": \"w$wait\", \"algorithm\": \"batch-klucb\", \"epsilon\": 1,
        \"arms\": [\"a\", \"b\", \"c\"], \"wait_seconds\": $wait}"
done
sleep "$(seconds 1)" # the second server learns of them

# A burst is four decisions on one server and four rewards on the other. Then all deadlines pass.
burst() { # CAMPAIGN FROM TO
    events=""
    for _ in 1 2 3 4; do
        ask "$2" "/v1/campaigns/$1/rank" '{}'
        events="$events $(sed -n 's/.*"event": "\([^"]*\)".*/\1/p' "$folder/reply")"
    done
    for event in $events; do ask "$3" "/v1/events/$event/reward" '{"rewards": [1]}'; done
}
n=0
while [ "$n" -lt "$bursts" ]; do
    n=$((n + 1))
    last="burst $n"
    for wait in 0.5 1 4; do burst "w$wait" 1 2; done
    sleep 4.5
    [ $((n % 2)) = 1 ] || sleep 4 # past the long wait, too
done
sleep "$(seconds 9)"

last="the end"
for wait in 0.5 1 4; do
    ask 1 "/v1/campaigns/w$wait"
    if grep -q '"pending": 0' "$folder/reply"; then pass; else blame "open rounds in $(cat "$folder/reply")"; fi
done
# shellcheck disable=SC2086 # a list of processes
kill $servers
for pid in $servers; do wait "$pid" || blame "a server ended with $?"; done
servers=""
"$lotor" check "$LOTOR_TEST_POSTGRES" --key "$folder/key" >"$folder/said" 2>&1 || blame "$(cat "$folder/said")"
pass
finish
