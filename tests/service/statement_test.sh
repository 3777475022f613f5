#!/bin/sh
# lotor statement: the three forms from a server and from a file, and what is refused.
set -eu
lotor=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../support/patience.sh"
folder=$(mktemp -d)
trap 'kill "$server" 2> /dev/null || true; rm -rf "$folder"' EXIT
blame() {
    echo "statement_test: $*" >&2
    exit 1
}

"$lotor" key --store "$folder/s.db" --role admin > "$folder/key" 2> /dev/null
"$lotor" serve --store "$folder/s.db" --port 0 > "$folder/log" 2>&1 &
server=$!
await 10 grep -q 'http://' "$folder/log"
url=$(grep -o 'http://[0-9.:]*' "$folder/log" | head -n 1)
ask() { curl -s -H "Authorization: Bearer $(cat "$folder/key")" "$url$1" ${2:+-d "$2"}; }
ask /v1/campaigns '{"name": "home", "arms": ["tea", "coffee"], "epsilon": 1, "contact": "x@example.org"}' > /dev/null

"$lotor" statement home --url "$url" --key-file "$folder/key" > "$folder/text"
grep -q 'wrong at least 26 times in 100' "$folder/text" || blame "the plain sentence is missing"
grep -q 'x@example.org' "$folder/text" || blame "the contact is missing"
[ -z "$(awk 'length > 78' "$folder/text")" ] || blame "a line is wider than 78 columns"
"$lotor" statement home --url "$url/" --key "$(cat "$folder/key")" --json > "$folder/json"
"$lotor" statement --from "$folder/json" --html > "$folder/html"
ask '/v1/campaigns/home/statement?format=html' > "$folder/served"
sed 's/as of [^<]*//' "$folder/html" > "$folder/html.1"
sed 's/as of [^<]*//' "$folder/served" > "$folder/html.2"
cmp -s "$folder/html.1" "$folder/html.2" || blame "the command and the server make different pages"
"$lotor" statement --from - --registry < "$folder/json" | grep -q '"Pure DP"' || blame "no registry entry"
# The server knows the commit it was built from, unless the source tree has no git.
if [ -e "$here/../../.git" ]; then
    grep -Eq '"commit": "[0-9a-f]{12}(-dirty)?"' "$folder/json" || blame "the commit is missing"
fi
kind=$(ask /v1/campaigns/home/guarantee | grep -Ec 'src/|\.md' || true)
[ "$kind" = 0 ] || blame "a guarantee cites a path of the source tree"

refuse() { # STATUS WORDS ARGUMENTS...
    wanted=$1 words=$2
    shift 2
    status=0
    "$lotor" statement "$@" > "$folder/out" 2> "$folder/err" || status=$?
    [ "$status" = "$wanted" ] || blame "$*: status $status, not $wanted"
    grep -q -- "$words" "$folder/err" || blame "$*: $(cat "$folder/err")"
}
refuse 2 'name of a campaign'
refuse 2 'a key with the role read' home --url "$url"
refuse 2 'not the name' 'a/b' --key x --url "$url"
refuse 2 'does not speak TLS' home --key x --url https://example.org
refuse 2 'not the address' home --key x --url 127.0.0.1
refuse 2 'not the address' home --key x --url http://127.0.0.1:99999
refuse 2 'one of --json' home --key x --json --html
refuse 1 'refused (401)' home --key x --url "$url"
refuse 1 'refused (404)' none --key-file "$folder/key" --url "$url"
refuse 1 'no server answers' home --key x --url http://127.0.0.1:1
refuse 1 "can't be read" --from "$folder/nothing"
echo '{"a": 1}' > "$folder/other"
refuse 1 'not a privacy statement' --from "$folder/other"
echo '{' > "$folder/other"
refuse 1 'is not JSON' --from "$folder/other"
