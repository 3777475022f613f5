# shellcheck shell=sh
# patience.sh - time limits of shell tests. Sourced (tests/cli/lib.sh does it).
#
#   seconds N             prints N times LOTOR_TEST_PATIENCE (scripts/patience; 1 if it is not set)
#   await N COMMAND...    runs a command every 50 ms until it succeeds; fails after N seconds, times the patience
#
# A limit is only for tests that hang. The result of any other test must not depend on it.
seconds()
{
    echo $(($1 * ${LOTOR_TEST_PATIENCE:-1}))
}

await()
{
    await_end=$(($(date +%s) + $(seconds "$1")))
    shift
    until "$@" 2> /dev/null; do
        [ "$(date +%s)" -le $await_end ] || return 1
        sleep 0.05
    done
}
