# server.sh - for tests that start a server; sourced after cli/lib.sh. The server whose pid is in $server is killed at
# the end.
command -v curl > /dev/null || { echo "no curl: skipped"; exit 0; }
server=
cleanup()
{
    [ -n "$server" ] && kill -9 "$server" 2> /dev/null
    rm -rf "$folder"
}
trap cleanup EXIT
