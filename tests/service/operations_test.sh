# operations_test.sh - lotor serve as operators see it: pages of other sites, logs, metrics, examples.
. "$(dirname "$0")/../cli/lib.sh"

store=$folder/s.db
# ask METHOD PATH [HEADER...]: the reply with its headers, without \r, in $folder/out
ask()
{
    method=$1 path=$2
    shift 2
    last="$method $path $*"
    : > "$folder/headers"
    for header; do echo "$header" >> "$folder/headers"; done
    curl -s -m "$(seconds 10)" -i -X "$method" -H @"$folder/headers" "http://127.0.0.1:$port$path" | tr -d '\r' > "$folder/out"
}
lacks()
{
    if grep -Eiq -e "$1" "$folder/out"; then blame "the reply has: $1"; else pass; fi
}

# --- pages of other sites
run serve --store "$store" --port 0 --cors '*'
status 2
err 'cors: "\*" is not an origin: .* a wildcard is not possible'
start_server s --store "$store" --cors https://shop.example,http://127.0.0.1:3000
key=$("$lotor" key --store "$store" --role admin 2> /dev/null)
ask OPTIONS /v1/campaigns 'Origin: https://shop.example' 'Access-Control-Request-Method: POST'
out '^HTTP/1.1 204 '
out '^Access-Control-Allow-Origin: https://shop.example$'
out '^Access-Control-Allow-Methods: POST, GET, HEAD$'
out '^Access-Control-Allow-Headers: Authorization, Content-Type, '
out '^Vary: Origin$'
lacks 'Allow-Credentials'
ask OPTIONS /v1/campaigns 'Origin: https://evil.example' 'Access-Control-Request-Method: POST'
out '^HTTP/1.1 405 '
out '^Vary: Origin$'
lacks 'Access-Control'
ask OPTIONS /v1/campaigns 'Origin: https://shop.example' # not a browser's question
out '^HTTP/1.1 405 '
ask OPTIONS /nothing 'Origin: https://shop.example' 'Access-Control-Request-Method: GET'
out '^HTTP/1.1 404 '
ask GET /v1/campaigns 'Origin: http://127.0.0.1:3000' "Authorization: Bearer $key"
out '^HTTP/1.1 200 '
out '^Access-Control-Allow-Origin: http://127.0.0.1:3000$'
out '^Access-Control-Expose-Headers: Retry-After'
ask GET /v1/campaigns 'Origin: http://127.0.0.1:3000' # a page may read why it was refused
out '^HTTP/1.1 401 '
out '^Access-Control-Allow-Origin: http://127.0.0.1:3000$'
ask GET /v1/campaigns 'Origin: https://evil.example' "Authorization: Bearer $key"
lacks 'Access-Control'
kill "$server"
wait "$server"
start_server s --store "$store"
ask OPTIONS /v1/campaigns 'Origin: https://shop.example' 'Access-Control-Request-Method: POST'
out '^HTTP/1.1 405 '
lacks '^Vary|Access-Control'
kill "$server"
wait "$server"

# --- a log of JSON lines, with requests, and without what people sent
trace=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
rm -f "$folder/j.log"
start_server j --store "$store" --log-format json
ask GET /healthz 'X-Request-Id: my-id.1' "traceparent: $trace"
out '^X-Request-Id: my-id.1$'
ask GET /healthz 'X-Request-Id: not an "id"' 'traceparent: 00-no'
out '^X-Request-Id: [0-9a-f]{32}$'
ask GET /secret-path/name
out '^HTTP/1.1 404 '
# send PATH BODY: the status in $http
send()
{
    last="POST $1"
    http=$(curl -s -m "$(seconds 10)" -o "$folder/out" -w '%{http_code}' -H "Authorization: Bearer $key" -H 'X-Request-Id: of-feedback' \
        -d "$2" "http://127.0.0.1:$port$1")
}
send /v1/campaigns '{"name": "lines", "arms": ["aa", "bb"], "epsilon": 1, "dimension": 2, "horizon": 1000, "rounds_per_user": 2}'
same "a campaign" "$http" 201
send /v1/campaigns/lines/rank '{"user": "user-4711", "context": {"aa": [0.625, 0], "bb": [0, 0.375]}}'
same "a decision" "$http" 200
event=$(sed -n 's/.*"event": "\([^"]*\)".*/\1/p' "$folder/out")
[ -n "$event" ] || blame "no event"
send "/v1/events/$event/reward" '{"rewards": [0.8125]}'
same "feedback" "$http" 200
send "/v1/events/$event/reward" '{"rewards": [99.5]}'
same "feedback that is refused" "$http" 400
send /v1/rewards '{"rewards": [{"event": "'"$event"'", "rewards": [0.8125]}]}'
same "feedback for many" "$http" 200
ask GET "/v1/events/$event" "Authorization: Bearer $key"
out '^HTTP/1.1 200 '
curl -s -m "$(seconds 10)" -H "Authorization: Bearer $key" "http://127.0.0.1:$port/metrics" > "$folder/metrics"
kill "$server"
wait "$server"
mv "$folder/j.log" "$folder/out"
last="the log of JSON lines"
out '"message": "serving '
out '"request_id": "my-id.1", "traceparent": "'$trace'", "method": "GET", "route": "/healthz", "campaign": null, "status": 200, "code": null, "microseconds": [0-9]+, "complete": true'
out '"traceparent": null, "method": "GET", "route": "/healthz"'
out '"method": null, "route": null, "campaign": null, "status": 404, "code": "no_such_path"'
out '"route": "/v1/campaigns/\{name\}/rank", "campaign": "lines", "status": 200'
out '"route": "/v1/events/\{event\}", "campaign": null, "status": 200'
out '"message": "stopped"'
for secret in "$key" "$event" user-4711 0.625 0.375 0.8125 99.5 secret-path '/reward' 'not an' 00-no; do
    if grep -Fq -e "$secret" "$folder/out"; then blame "the log has $secret"; else pass; fi
done
while read -r line; do
    echo "$line" > "$folder/line"
    /usr/bin/python3 -m json.tool < "$folder/line" > /dev/null 2>&1 || blame "not JSON: $line"
done < "$folder/out"
run serve --store "$folder/none/s.db" --port 0 --log-format json
status 1
err '^\{"time": "[0-9T:.-]*Z", "level": "error", "message": "'

# --- metrics, and files that name them
root=$(cd "$(dirname "$0")/../.." && pwd)
last="GET /metrics"
cp "$folder/metrics" "$folder/out"
out '^lotor_http_requests_total\{method="POST",route="/v1/events/\{event\}/reward",code="200"\} 1$'
out '^lotor_http_requests_total\{method="POST",route="/v1/events/\{event\}/reward",code="400"\} 1$'
out '^lotor_http_requests_total\{method="",route="other",code="404"\} 1$'
out '^lotor_http_request_seconds_count\{method="GET",route="/healthz"\} 2$'
# it counts its users, so a round is counted when it is final
out '^lotor_campaign_decisions_total\{campaign="lines"\} 0$'
out '^lotor_campaign_rounds_open\{campaign="lines"\} 0$'
same "metrics, dashboard and alerts" \
    "$(/usr/bin/python3 "$root/tests/service/metrics_check.py" "$folder/metrics" "$root/examples/grafana-dashboard.json" \
        "$root/examples/prometheus-rules.yml")" ""
# The check can fail: a metric, a label and a variable that are not there.
for change in 's/lotor_ready{/lotor_raedy{/' 's/,code=~/,cood=~/' 's/by (campaign)/by (camp)/' 's/\$campaign/$camp/'; do
    sed "$change" "$root/examples/grafana-dashboard.json" > "$folder/changed.json"
    /usr/bin/python3 "$root/tests/service/metrics_check.py" "$folder/metrics" "$folder/changed.json" > /dev/null &&
        blame "not noticed: $change"
    pass
done

# --- the examples for containers, Kubernetes and systemd
last="examples/"
same "names, ports and files in the examples" "$(/usr/bin/python3 "$root/tests/service/examples_check.py" "$lotor" 2>&1)" ""

finish
