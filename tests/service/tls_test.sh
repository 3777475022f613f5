# tls_test.sh - lotor serve with TLS: which files are taken, what a client sees, and a new certificate while connections are
# open. The certificates are made here.
. "$(dirname "$0")/../cli/lib.sh"
need openssl || finish
need curl || finish

store=$folder/s.db
make() # NAME: a key NAME.key and a certificate NAME.pem that signs itself
{
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$1" \
        -addext subjectAltName=IP:127.0.0.1 -keyout "$folder/$1.key" -out "$folder/$1.pem" 2> /dev/null ||
        blame "openssl made no certificate"
}
make one
make two
refused() # STATUS PATTERN OPTIONS...
{
    wanted=$1 pattern=$2
    shift 2
    run serve --store "$store" --port 0 "$@"
    status "$wanted"
    err "$pattern"
}
refused 2 'belong together: give both or neither' --tls-key "$folder/one.key"
refused 2 'belong together: give both or neither' --tls-certificate "$folder/one.pem"
refused 1 'none.pem. can.t be read: No such file' --tls-certificate "$folder/none.pem" --tls-key "$folder/one.key"
refused 1 'one.pem. has no private key that can be used' --tls-certificate "$folder/one.pem" --tls-key "$folder/one.pem"
refused 1 'one.key. has no certificate that can be used' --tls-certificate "$folder/one.key" --tls-key "$folder/one.key"
refused 1 'the certificate and the private key do not belong together' \
    --tls-certificate "$folder/one.pem" --tls-key "$folder/two.key"
: > "$folder/empty"
refused 1 'empty. has no certificate' --tls-certificate "$folder/empty" --tls-key "$folder/one.key"
refused 1 'longer than a megabyte' --tls-certificate /dev/zero --tls-key "$folder/one.key"
openssl pkey -in "$folder/one.key" -aes256 -passout pass:x -out "$folder/locked.key" 2> /dev/null
refused 1 'PEM without a password' --tls-certificate "$folder/one.pem" --tls-key "$folder/locked.key"
rm -f "$folder"/s.db*

# --- requests
cp "$folder/one.pem" "$folder/now.pem"
cp "$folder/one.key" "$folder/now.key"
start_server s --store "$store" --threads 2 --tls-certificate "$folder/now.pem" --tls-key "$folder/now.key"
key=$("$lotor" key --store "$store" --role admin 2> /dev/null)
log() # PATTERN
{
    if await 10 grep -Eq -e "$1" "$folder/s.log"; then pass; else blame "the log lacks: $1: $(cat "$folder/s.log")"; fi
}
log "serving $store on https://127.0.0.1:$port"
log 'the certificate is valid until 20'
# call CERTIFICATE PATH [OPTIONS...]: the status in $http, 000 if there was no reply
call()
{
    trusted=$1 path=$2
    shift 2
    last="https $path $*"
    http=$(curl -s -m "$(seconds 10)" -o "$folder/out" -w '%{http_code}' --cacert "$folder/$trusted.pem" \
        -H "Authorization: Bearer $key" "$@" "https://127.0.0.1:$port$path")
}
call one /healthz
same "a client that trusts the certificate" "$http" 200
call two /healthz
same "one that trusts another" "$http" 000
call one /healthz --tlsv1.2 --tls-max 1.2
same "TLS 1.2" "$http" 200
call one /healthz --tls-max 1.1
same "TLS 1.1" "$http" 000
same "plain HTTP" "$(curl -s -m "$(seconds 10)" -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/healthz")" 000
call one /v1/campaigns -d '{"name": "shop", "arms": ["a", "b"], "epsilon": 1}'
same "a campaign" "$http" 201
call one /v1/campaigns/shop/rank -d '{}'
same "a decision" "$http" 200
event=$(sed -n 's/.*"event": "\([^"]*\)".*/\1/p' "$folder/out")
call one "/v1/events/$event/reward" -d '{"rewards": [1]}'
same "feedback, which waits for a commit" "$http" 200

# --- SIGHUP: the same certificate, a new one while a connection is open, and a bad one
kill -HUP "$server"
log 'the certificate was read and has not changed'
cat > "$folder/keep.py" << 'PYTHON'
# Keeps one connection open while the certificate changes, and goes on with it.
import http.client, os, shutil, signal, ssl, sys

folder, port, server = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
trust = ssl.create_default_context(cafile=folder + "/one.pem")
trust.check_hostname = False
connection = http.client.HTTPSConnection("127.0.0.1", port, context=trust)


def ask():
    connection.request("GET", "/healthz")
    reply = connection.getresponse()
    assert reply.status == 200 and reply.read()


ask()
mine = connection.sock.getsockname()
shutil.copy(folder + "/two.pem", folder + "/now.pem")
shutil.copy(folder + "/two.key", folder + "/now.key")
os.kill(server, signal.SIGHUP)
while "new connections get the new one" not in open(folder + "/s.log").read():
    ask()
for _ in range(10):
    ask()
assert connection.sock.getsockname() == mine
print("the same connection")
PYTHON
last="a connection that stays open"
same "a new certificate" "$(/usr/bin/python3 "$folder/keep.py" "$folder" "$port" "$server" 2>&1)" "the same connection"
call two /healthz
same "a new connection gets the new certificate" "$http" 200
call one /healthz
same "and not the old one" "$http" 000
cp "$folder/one.key" "$folder/now.key"
kill -HUP "$server"
log 'the server keeps the old certificate: the certificate and the private key do not belong together'
call two /healthz
same "after a reload that failed" "$http" 200
kill "$server"
wait "$server"
same "the exit status" "$?" 0

finish
