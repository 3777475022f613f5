#!/bin/sh
# wall.sh CC SOURCE BUILD - the privacy boundary is a boundary between modules. This test checks
# that no code crosses it.
set -eu
compiler=$1 source=$2 build=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# 1. The link test is a separate target (wall_link), which must have been built.
[ -f "$build/tests/wall/libwall_link.so" ] || {
    echo "base, board, choice and learn do not link alone"
    failed=1
}

# 2. A room finds its own headers and those of the rooms it may use, and no others.
rooms="base board privacy choice learn policy world lab papers cli"
[ -d "$build/rooms/service" ] && rooms="$rooms service"
includes() { # ROOM HEADER: whether a file in that room finds that header
    echo "#include \"$2\"" >"$scratch/probe.c"
    "$compiler" -std=c17 -D_GNU_SOURCE -fsyntax-only -I "$build/rooms/$1" -I "$source/include" \
        "$scratch/probe.c" 2>/dev/null
}
expect() { # ROOM HEADER yes|no
    found=no
    includes "$1" "$2" && found=yes
    [ "$found" = "$3" ] || { echo "room $1, header $2: found is $found, expected $3"; failed=1; }
}
expect base base/source.h yes
expect base base/records.h yes
expect base board/board.h no
expect base privacy/noise/noise.h no
expect board base/bytes.h yes
expect board board/board.h yes
expect board privacy/encode/encode.h no
expect privacy base/source.h yes
expect privacy board/board.h yes
expect privacy learn/index.h no
expect privacy policy/serving.h no
expect choice base/message.h yes
expect choice board/board.h no
expect learn board/board.h yes
expect learn choice/oracle.h yes
expect learn privacy/release/statistic.h no
expect learn privacy/intake/intake.h no
expect policy privacy/release/statistic.h yes
expect policy world/world.h no
expect policy lab/simulate.h no
expect world base/records.h yes
expect world policy/policy.h no
expect lab policy/policy.h yes
expect lab world/world.h yes
expect lab papers/reproduce.h no
expect papers lab/simulate.h yes
expect papers policy/catalog.h yes
expect papers policy/policy.h no
expect papers privacy/intake/intake.h no
expect papers privacy/encode/encode.h no
expect papers privacy/account/arithmetic.h no
expect cli papers/reproduce.h yes
expect cli base/message.h yes
expect cli lab/play.h no
expect cli lab/bounds.h no
expect cli lab/audit_play.h no
expect cli lab/verify_drive.h no
expect cli policy/policy.h no
expect cli privacy/intake/intake.h no
expect cli privacy/release/tree.h no
expect cli world/bernoulli.h no
if [ -d "$build/rooms/service" ]; then
    expect service policy/serving.h yes
    expect service policy/policy.h no
    expect service privacy/intake/intake.h no
    expect service privacy/noise/noise.h no
    expect service lab/simulate.h no
    expect service papers/reproduce.h no
    expect service world/world.h no
    for header in http/http.h engine/engine.h spec/fields.h; do
        expect cli "service/$header" yes
    done
fi
for room in $rooms; do # no room uses the command, and only the command uses papers and service
    [ "$room" = cli ] && continue
    expect "$room" cli/options.h no
    [ "$room" = papers ] || expect "$room" papers/page.h no
    [ "$room" = service ] || expect "$room" service/refusal.h no
done

# A room may find a header only because another header includes it. A file may include only headers
# of its room's list.
unlisted() { # ROOM FOLDER: the includes in the folder that are not on the room's list
    find "$2" -name '*.[ch]' | sort | while read -r file; do
        sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$file" |
            while read -r header; do
                awk -v header="$header" '
                    /\/$/ { if (index(header, $0) == 1) listed = 1; next }
                    $0 == header { listed = 1 }
                    END { exit !listed }' "$build/rooms/$1.uses" ||
                    echo "$file: $header is not on the list of the room $1 (CMakeLists.txt)"
            done
    done
}
for room in $rooms; do
    found=$(unlisted "$room" "$source/src/$room")
    [ -z "$found" ] || { echo "$found"; failed=1; }
done
# docs/architecture.md has the same lists.
for room in $rooms; do
    row=$(awk -v room="$room" '
        $0 == room "/" { next }
        /\/$/ { sub(/\/$/, ""); uses = uses (uses == "" ? "" : ", ") $0; next }
        { headers = headers (headers == "" ? "" : ", ") "`" $0 "`" }
        END { printf "| `%s` | %s | %s |", room, uses, headers }' "$build/rooms/$room.uses")
    grep -qF "$row" "$source/docs/architecture.md" || {
        echo "docs/architecture.md, Include rules: the line of $room should start with $row"
        failed=1
    }
done
# In the lab, only audits and exact checks may include internal headers of the code that they check.
if grep -rn '#include "privacy/' "$source/src/lab" | grep -vE '/(audit|verify)[a-z_]*\.[ch]:'; then
    echo "src/lab: only audit*.c and verify*.c may include headers of src/privacy"
    failed=1
fi
# Tests the check itself: it finds a header that is not on the list, however the include is written.
mkdir -p "$scratch/room"
printf '%s\n' '#include "privacy/release/statistic.h"' >"$scratch/room/one.c"
printf '%s\n' ' #  include "lab/favourite.h"' >"$scratch/room/two.h"
printf '%s\n' '#include <stdio.h>' '#include "base/message.h"' '#include "papers/page.h"' >"$scratch/room/three.c"
[ "$(unlisted cli "$scratch/room" | wc -l)" = 2 ] || {
    echo "unlisted does not find the two files that include what the command may not"
    failed=1
}

# 3. No file includes a header by an absolute path, or by a path with "..".
if grep -rnE '#include +["<](/|.*\.\.)' "$source/src"; then
    echo "an include that climbs out of its room"
    failed=1
fi

# 4. The service keeps arms, times and sealed bytes: these folders use no identifier of a raw value.
raw_free="$source/src/service/engine $source/src/service/store"
# shellcheck disable=SC2086 # a list of folders
if ! sh "$source/tests/wall/raw.sh" $raw_free; then
    echo "these files use raw values: hand them to the intake (policy/serving.h)"
    failed=1
fi
# Tests the check itself: it finds each of these identifiers, and nothing in comments, texts and
# longer names.
probe() { # yes|no CODE: whether the check must find something in the code
    mkdir -p "$scratch/raw"
    printf '%s\n' "$2" >"$scratch/raw/probe.c"
    found=no
    sh "$source/tests/wall/raw.sh" "$scratch/raw" >/dev/null || found=yes
    [ "$found" = "$1" ] || { echo "raw.sh, $2: found is $found, expected $1"; failed=1; }
}
probe yes 'lotor_policy_encode(policy, &kept, &answer, why, units, &used);'
probe yes 'lotor_policy_enter(policy, kept, NULL, 0, why);'
probe yes 'drawn->units[0] = 1;'
probe yes 'double reward = json_is_number(item) ? 1 : 0;'
probe yes 'x = json_number_value(item);'
probe yes 'lotor_feedback feedback = {.click = 1};'
probe yes 'const double *context = asking->context;'
probe yes 'x = kept.action;'
probe yes 'lotor_server_key_seal(server_key, LOTOR_SEAL_STATE, 1, 2, plain, 3, sealed);'
probe no '/* units of a reward: json_number_value'
probe no 'lotor_refuse(refusal, code, "rewards", "expected units: \" json_number_value");'
probe no 'lotor_feedback_list_read(batch, intake, feedback, &refusal);'
probe no 'lotor_intake_seal_pending(intake, stream, seq, why, &bytes, &length, &first, &last);'
probe no 'lotor_answers row = {.number = 1}; // units'
probe no 'row.action = sealed; asking->context_length = length;'

# 5. Policies with a seed protect nobody: neither the service nor the command has any.
if grep -rlE 'experimental/lab\.h|lotor_lab_policy' "$source/src/service" "$source/src/cli" "$source/src/base"; then
    echo "these files use policies with a seed (lotor/experimental/lab.h), which are for simulations"
    failed=1
fi

[ "$failed" = 0 ] && echo "the wall holds"
exit "$failed"
