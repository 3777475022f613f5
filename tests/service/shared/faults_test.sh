# faults_test.sh - three servers under load, with faults of a pooler, of a standby that takes over, and of clocks.
# The program test_shared checks the sums: whatever happens, every released sum is the exact sum of the acknowledged rewards.
#
#   sh tests/service/shared/faults_test.sh PATH-OF-LOTOR PATH-OF-TEST_SHARED [PART...]
#
# The parts: late (a database that starts after the server), session, transaction (PgBouncer's modes), promote, cancel (a standby), ahead (a server's clock), jump
# (the database's clock). Without a PART, all of them run.
. "$(dirname "$0")/../../cli/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
test_shared=$2
shift 2
[ $# -gt 0 ] || set -- late session transaction promote cancel ahead jump
base=$(mktemp -d "${TMPDIR:-/tmp}/lotor-pg.XXXXXX") || exit 1
chmod 755 "$base"
database="$here/postgres.sh"
bouncer=""
clean() {
    [ -z "$bouncer" ] || kill -9 "$bouncer" 2>/dev/null
    for one in "$base"/*/; do [ ! -d "$one/data" ] || sh "$database" remove "${one%/}" 2>/dev/null; done
    rm -rf "$base" "$folder"
}
trap clean EXIT
trap 'exit 1' HUP INT TERM

# shared NAME [VARIABLE=VALUE...]: a run of test_shared, which must succeed
shared() {
    last=$1
    shift
    if env "$@" "$test_shared" >"$folder/said" 2>&1; then
        pass
    else
        blame "$(tail -n 15 "$folder/said")"
    fi
    grep ' events, ' "$folder/said" | sed "s/^/$last: /"
}
fresh() { # NAME: makes a new database
    sh "$database" make "$base/$1" || { blame "no database for $1"; finish; }
}
have() { # PROGRAM-OR-FILE...
    for one in "$@"; do
        command -v "$one" >/dev/null 2>&1 || [ -e "$one" ] || { blame "there is no $one: run scripts/deps postgres"; return 1; }
    done
}
stop_standby_and_promote() { # BEFORE AFTER: a script that ends the primary and promotes the standby
    cat <<END
standby_pids() { head -n 1 $base/b/data/postmaster.pid; pgrep -P \$(head -n 1 $base/b/data/postmaster.pid); }
primary_pids() { head -n 1 $base/a/data/postmaster.pid; pgrep -P \$(head -n 1 $base/a/data/postmaster.pid); }
$1
kill -9 \$(primary_pids)
sleep 0.5
$2
sh $database promote $base/b
END
}
faketime=$(ls /usr/lib/*/faketime/libfaketimeMT.so.1 2>/dev/null | head -n 1)

for part in "$@"; do
    case $part in
    late)
        fresh late
        sh "$database" stop "$base/late"
        "$lotor" key --keys "$folder/late.keys" --role admin >/dev/null 2>&1
        "$lotor" serve --store "$(sh "$database" address "$base/late")" --keys "$folder/late.keys" --key-file "$folder/late.key" \
            --port 0 --port-file "$folder/late.port" >"$folder/late.log" 2>&1 &
        server=$!
        servers="$servers $server"
        await 10 grep -q "waiting for the database" "$folder/late.log" || blame "the log: $(cat "$folder/late.log")"
        sh "$database" start "$base/late"
        if await 20 test -s "$folder/late.port"; then pass; else blame "the log: $(cat "$folder/late.log")"; fi
        kill "$server"
        wait "$server"
        code=$?
        status 0
        # A database that is up and refuses is not waited for.
        run serve --store "postgres://lotor@/nowhere?host=$base/late" --keys "$folder/late.keys" --key-file "$folder/late.key" --port 0
        status 1
        err 'database "nowhere" does not exist'
        ;;
    session | transaction)
        have pgbouncer || continue
        fresh "$part"
        cat >"$base/$part/bouncer.ini" <<END
[databases]
postgres = host=$base/$part
[pgbouncer]
listen_port = 6432
listen_addr =
unix_socket_dir = $base
unix_socket_mode = 0777
auth_type = any
pool_mode = $part
logfile = $base/$part/bouncer.log
pidfile = $base/$part/bouncer.pid
END
        sed -i 's/^postgres = .*/& user=lotor/' "$base/$part/bouncer.ini"
        chown -R --reference="$base/$part" "$base/$part/bouncer.ini" 2>/dev/null
        if [ "$(id -u)" = 0 ]; then
            chown postgres "$base"
            setpriv --reuid=postgres --regid=postgres --init-groups pgbouncer -q -d "$base/$part/bouncer.ini"
        else
            pgbouncer -q -d "$base/$part/bouncer.ini"
        fi
        sleep 0.5
        bouncer=$(cat "$base/$part/bouncer.pid")
        # The pooler's connections to the database are cut now and then, as its own restarts do.
        shared "PgBouncer, $part mode" LOTOR_TEST_POSTGRES="postgres://lotor@/postgres?host=$base&port=6432" \
            LOTOR_TEST_POSTGRES_FOLDER="$base/$part" \
            LOTOR_TEST_FAULT="for i in 1 2 3; do sleep 1; sh $database sql $base/$part \"SELECT
                pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()
                AND backend_type = 'client backend'\" >/dev/null; done"
        kill "$bouncer"
        bouncer=""
        ;;
    promote | cancel)
        fresh a
        sh "$database" standby "$base/b" "$base/a" || { blame "no standby"; continue; }
        both="postgres://lotor@/postgres?host=$base/a,$base/b&target_session_attrs=read-write"
        if [ "$part" = promote ]; then
            stop_standby_and_promote "" "" >"$folder/fault"
        else
            # The standby is paused, so every COMMIT waits for it. A cancelled COMMIT is applied on the
            # primary, with a warning, and lost when the standby is promoted: no client may have been told
            # that it counts.
            stop_standby_and_promote "
sleep 1
kill -STOP \$(standby_pids)
for i in 1 2 3 4 5 6 7 8 9 10; do
    sleep 0.3
    sh $database sql $base/a \"SELECT pg_cancel_backend(pid) FROM pg_stat_activity
        WHERE wait_event = 'SyncRep'\" >>$folder/cancelled
done" "kill -CONT \$(standby_pids)" >"$folder/fault"
        fi
        shared "a standby, $part" LOTOR_TEST_POSTGRES="$both" LOTOR_TEST_POSTGRES_FOLDER="$base/a" \
            LOTOR_TEST_FAULT="$(cat "$folder/fault")"
        if [ "$part" = cancel ]; then
            [ "$(grep -c t "$folder/cancelled")" -gt 2 ] || blame "nothing was cancelled"
            pass
        fi
        for one in a b; do sh "$database" remove "$base/$one" 2>/dev/null; done
        ;;
    ahead)
        have "$faketime" || continue
        fresh ahead
        for skew in +5 +86400; do
            for monotonic in 0 1; do
                printf '#!/bin/sh\nLD_PRELOAD=%s FAKETIME=%s FAKETIME_DONT_FAKE_MONOTONIC=%s exec %s "$@"\n' \
                    "$faketime" "$skew" "$monotonic" "$lotor" >"$folder/ahead"
                chmod 755 "$folder/ahead"
                shared "a server's clock $skew s ahead (monotonic clock too: $((1 - monotonic)))" \
                    LOTOR_TEST_POSTGRES="$(sh "$database" address "$base/ahead")" \
                    LOTOR_TEST_POSTGRES_FOLDER="$base/ahead" LOTOR_TEST_ONE_SERVER="$folder/ahead" \
                    LOTOR_TEST_FAULT="sleep 3" LOTOR_TEST_NONE_LATE=1
            done
        done
        ;;
    jump)
        have "$faketime" || continue
        echo +0 >"$base/clock"
        chmod 644 "$base/clock"
        export FAKETIME_TIMESTAMP_FILE="$base/clock" FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1
        LD_PRELOAD=$faketime fresh jump
        unset FAKETIME_TIMESTAMP_FILE FAKETIME_NO_CACHE FAKETIME_DONT_FAKE_MONOTONIC
        shared "the database's clock a day ahead, and back" \
            LOTOR_TEST_POSTGRES="$(sh "$database" address "$base/jump")" \
            LOTOR_TEST_POSTGRES_FOLDER="$base/jump" \
            LOTOR_TEST_FAULT="echo +86400 >$base/clock; sleep 4; echo +0 >$base/clock; sleep 4"
        ;;
    *)
        blame "there is no part $part"
        ;;
    esac
done
finish
