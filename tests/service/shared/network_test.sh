# network_test.sh - three servers with their own addresses, in network namespaces, on one
# PostgreSQL. One of them is cut off from the database for some seconds, and comes back.
#
# Every event gets the reward 0, and a round without feedback counts as 1. So lost feedback shows in
# the released mean. The test needs root and the right to make namespaces; it fails without them.
#
#   sh tests/service/shared/network_test.sh PATH-OF-LOTOR
. "$(dirname "$0")/../../cli/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
mark=lt$$
pids=""
data=$(mktemp -d "${TMPDIR:-/tmp}/lotor-pg.XXXXXX") || exit 1

if ! ip netns add "$mark-0" 2>"$folder/said"; then
    blame "network namespaces are needed, as root: $(head -n 1 "$folder/said")"
    rmdir "$data"
    finish
fi
clean() {
    # shellcheck disable=SC2086 # a list of processes
    [ -z "$pids" ] || kill -9 $pids 2>/dev/null
    sh "$here/postgres.sh" remove "$data" 2>/dev/null
    for i in 0 1 2 3; do ip netns del "$mark-$i" 2>/dev/null; done
    rm -rf "$folder"
}
trap clean EXIT

# The database's namespace has a bridge. Each server's namespace has one end of a cable to it.
at() { namespace=$1; shift; ip netns exec "$mark-$namespace" "$@"; }
at 0 ip link set lo up
at 0 ip link add hub type bridge
at 0 ip address add 10.77.0.10/24 dev hub
at 0 ip link set hub up
for i in 1 2 3; do
    ip netns add "$mark-$i"
    at 0 ip link add "cable$i" type veth peer name eth0 netns "$mark-$i"
    at 0 ip link set "cable$i" master hub up
    at "$i" ip address add "10.77.0.1$i/24" dev eth0
    at "$i" ip link set eth0 up
    at "$i" ip link set lo up
done
LOTOR_TEST_LISTEN=10.77.0.10 at 0 sh "$here/postgres.sh" make "$data" || blame "no database"

key=$("$lotor" key --keys "$folder/keys" --role admin 2>/dev/null)
for i in 1 2 3; do
    # not with `at`: a function in the background is another shell, and killing that leaves the
    # server
    ip netns exec "$mark-$i" "$lotor" serve --store postgres://lotor@10.77.0.10/postgres --key-file "$folder/key" \
        --keys "$folder/keys" --listen "10.77.0.1$i" --port 8080 --allow-weak-epsilon 2>"$folder/log$i" &
    pids="$pids $!"
done
ask() { # SERVER PATH [BODY]: in the server's namespace, so that it works while the server is cut off
    at "$1" curl -s -m "$(seconds 15)" -H "Authorization: Bearer $key" "http://10.77.0.1$1:8080$2" ${3:+-d "$3"}
}
is_ready() { at "$1" curl -sf -m 5 -o /dev/null "http://10.77.0.1$1:8080/readyz"; }
for i in 1 2 3; do
    await 10 is_ready "$i" || blame "server $i does not start: $(tail -n 2 "$folder/log$i")"
done
ask 1 /v1/campaigns '{"name": "far", "algorithm": "batch-klucb", "epsilon": 1000000, "arms": ["a"],
    "max_arms": 1, "wait_seconds": 10, "default_reward": 1}' >/dev/null
sleep 1

acknowledged=0
refused=0
# Ranks on one server and sends the reward to the next one, until that one acknowledges it.
play() { # FROM TO
    event=$(ask "$1" /v1/campaigns/far/rank '{}' | sed -n 's/.*"event": "\([^"]*\)".*/\1/p')
    [ -n "$event" ] || { refused=$((refused + 1)); return; }
    for to in "$2" 1 2 1 2; do
        case $(ask "$to" "/v1/events/$event/reward" '{"rewards": [0]}') in
        *acknowledged*) acknowledged=$((acknowledged + 1)); return ;;
        *) refused=$((refused + 1)) ;;
        esac
    done
    blame "an answer was never acknowledged"
}
for i in 1 2 3 4 5 6 7 8; do play 1 2; play 2 3; play 3 1; done
last="all servers up"
same "refusals" "$refused" 0

last="server 3 is cut off"
at 0 ip link set cable3 down
began=$(date +%s)
for i in 1 2 3 4; do play 1 2; play 2 1; done
same "refusals elsewhere" "$refused" 0
play 1 3
[ "$refused" -gt 0 ] && pass || blame "a server without its database took an answer"
while [ $(($(date +%s) - began)) -lt 4 ]; do sleep 0.1; done
at 0 ip link set cable3 up

last="server 3 is back"
await 10 is_ready 3 || blame "it does not come back"
before=$refused
for i in 1 2 3 4; do play 3 1; play 1 3; done
same "refusals" "$refused" "$before"

sleep 15
said() { ask "$1" /v1/campaigns/far | sed 's/.*"mean": \([^,]*\), "count": \([0-9]*\).*"final": \([0-9]*\), "pending": \([0-9]*\), "releases": \([0-9]*\).*/\1 \2 \3 \4 \5/'; }
one=$(said 1)
last="after all rounds"
same "what servers 1 and 2 say" "$(said 2)" "$one"
same "what servers 1 and 3 say" "$(said 3)" "$one"
echo "$acknowledged answers acknowledged, $refused refused; mean, count, final, pending, releases: $one"
echo "$one" | awk '{ exit !($1 < 0.001 && $1 > -0.001 && $2 > 16 && $4 == 0) }' ||
    blame "an answer was lost: $one"
pass
finish
