#!/bin/sh
# postgres.sh - runs the PostgreSQL of Debian's package for tests, in its own folder, on a unix socket there.
#
#   postgres.sh with COMMAND...    starts one, runs the command with LOTOR_TEST_POSTGRES=postgres://...
#                                  and LOTOR_TEST_POSTGRES_FOLDER, stops and removes it
#   postgres.sh make FOLDER        makes and starts one       postgres.sh start FOLDER    starts it (again)
#   postgres.sh stop FOLDER        stops it                   postgres.sh remove FOLDER   and removes it
#   postgres.sh clear FOLDER       drops lotor's tables
#   postgres.sh standby FOLDER OF  makes and starts a standby, for which each commit of the one in OF waits
#   postgres.sh promote FOLDER     makes the standby take over
#   postgres.sh sql FOLDER SQL     runs a statement
#   postgres.sh pid FOLDER         its process                postgres.sh address FOLDER
#
# PostgreSQL refuses to run as root. For root, this script runs it as the user that Debian's package made.
# Commits are synced, as in production. LOTOR_TEST_LISTEN: a TCP address to listen on, too.
set -eu
. "$(dirname "$0")/../../support/patience.sh"

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
[ -x "${bin:-}/initdb" ] || {
    echo "postgres.sh: PostgreSQL is not installed: scripts/deps postgres" >&2
    exit 1
}
user=$(id -un)
[ "$(id -u)" != 0 ] || user=postgres

as_user() {
    if [ "$(id -u)" = 0 ]; then
        (cd / && exec setpriv --reuid="$user" --regid="$user" --init-groups "$@")
    else
        "$@"
    fi
}

# After kill -9, PostgreSQL leaves files that name its process. If no parent waits for the dead process, it
# even seems to run.
forget_dead() {
    [ -f "$1/data/postmaster.pid" ] || return 0
    dead=$(head -n 1 "$1/data/postmaster.pid")
    if [ ! -d "/proc/$dead" ] || grep -qs "^State:.*Z" "/proc/$dead/status"; then
        rm -f "$1/data/postmaster.pid" "$1"/.s.PGSQL.*
    fi
}

start() {
    forget_dead "$1"
    as_user "$bin/pg_ctl" -D "$1/data" -l "$1/log" -w -t 30 -s start \
        -o "-k $1 -c listen_addresses='${LOTOR_TEST_LISTEN:-}' -c unix_socket_permissions=0777 -c max_connections=50"
}

make() {
    mkdir -p "$1"
    chmod 755 "$1"
    [ "$(id -u)" != 0 ] || chown "$user" "$1"
    as_user "$bin/initdb" -D "$1/data" -A trust -U lotor -E UTF8 --locale=C >/dev/null
    [ -z "${LOTOR_TEST_LISTEN:-}" ] ||
        echo "host all all samenet trust" | as_user tee -a "$1/data/pg_hba.conf" >/dev/null
    start "$1"
}

sql() { as_user "$bin/psql" -q -t -A -h "$1" -U lotor postgres -c "$2"; }

is_followed() { [ "$(sql "$1" "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")" = 1 ]; }

standby() {
    mkdir -p "$1"
    chmod 755 "$1"
    [ "$(id -u)" != 0 ] || chown "$user" "$1"
    as_user "$bin/pg_basebackup" -h "$2" -U lotor -D "$1/data" -R -X stream -c fast
    as_user chmod 700 "$1/data"
    start "$1"
    sql "$2" "ALTER SYSTEM SET synchronous_standby_names = '*'"
    sql "$2" "SELECT pg_reload_conf()" >/dev/null
    await 10 is_followed "$2"
}

# After a promotion there is no standby any more, so commits must not wait for one.
promote() {
    as_user "$bin/pg_ctl" -D "$1/data" -w -s promote
    sql "$1" "ALTER SYSTEM RESET synchronous_standby_names"
    sql "$1" "SELECT pg_reload_conf()" >/dev/null
}

address() { echo "postgres://lotor@/postgres?host=$1"; }

clear() {
    as_user "$bin/psql" -q -h "$1" -U lotor postgres -c "SET client_min_messages = error; \
        DROP TABLE IF EXISTS lotor_users, lotor_releases, lotor_answers, lotor_blocks, lotor_marks, \
        lotor_states, lotor_campaigns, lotor_meta, lotor_servers, lotor_campaign_keys, lotor_leases, \
        lotor_log, lotor_wants, lotor_spend, lotor_audit, lotor_budgets, lotor_stickies"
}

stop() { as_user "$bin/pg_ctl" -D "$1/data" -m immediate -w -s stop 2>/dev/null || true; }

case ${1:-} in
make | start | stop | clear | address | promote) "$1" "$2" ;;
standby | sql) "$1" "$2" "$3" ;;
remove)
    stop "$2"
    rm -rf "$2/data" "$2/log" "$2"/.s.PGSQL.*
    rmdir "$2"
    ;;
pid) head -n 1 "$2/data/postmaster.pid" ;;
with)
    shift
    folder=$(mktemp -d "${TMPDIR:-/tmp}/lotor-pg.XXXXXX")
    trap 'sh "$0" remove "$folder"' EXIT
    trap 'exit 1' HUP INT TERM
    make "$folder"
    LOTOR_TEST_POSTGRES=$(address "$folder") LOTOR_TEST_POSTGRES_FOLDER=$folder "$@"
    ;;
*)
    sed -n "2,14p" "$0" >&2
    exit 2
    ;;
esac
