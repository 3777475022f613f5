#!/bin/sh
# wall.sh CC SOURCE BUILD - the privacy boundary is a module boundary: see that it holds.
set -eu
compiler=$1 source=$2 build=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# 1. The link test is a target of its own (wall_link); it must have been built.
[ -f "$build/tests/wall/libwall_link.so" ] || {
    echo "base, board, choice and learn do not link alone"
    failed=1
}

# 2. A room finds its own headers and those of the rooms it may use, and no others.
includes() { # ROOM HEADER: does a file in that room find that header?
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
expect base board/board.h no
expect base privacy/noise/noise.h no
expect board base/bytes.h yes
expect board board/board.h yes
expect board privacy/encode/encode.h no
expect privacy base/source.h yes
expect privacy board/board.h yes
expect privacy learn/index.h no
expect privacy cli/options.h no
expect learn board/board.h yes
expect learn choice/oracle.h yes
expect learn privacy/release/statistic.h no
expect choice board/board.h no
expect policy privacy/release/statistic.h yes
expect world policy/policy.h no
expect learn privacy/intake/intake.h no
if [ -d "$build/rooms/service" ]; then
    expect service policy/serving.h yes
    expect service privacy/intake/intake.h no
fi
if [ -d "$build/rooms/next" ]; then
    expect next policy/serving.h yes
    expect next privacy/intake/intake.h no
fi

# 3. Nobody climbs over it.
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
# The check itself: it finds each of these, and nothing in comments, texts and longer names.
probe() { # yes|no CODE: is it found?
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
probe yes 'lotor_answer answer = {.click = 1};'
probe yes 'const double *context = asking->context;'
probe yes 'x = kept.action;'
probe yes 'lotor_vault_seal(vault, LOTOR_SEAL_STATE, 1, 2, plain, 3, sealed);'
probe no '/* units of a reward: json_number_value'
probe no 'lotor_refuse(refusal, code, "rewards", "expected units: \" json_number_value");'
probe no 'lotor_feedback_batch_read(batch, intake, feedback, &refusal);'
probe no 'lotor_intake_seal_pending(intake, stream, seq, why, &bytes, &length, &first, &last);'
probe no 'lotor_answers row = {.number = 1}; // units'
probe no 'row.action = sealed; asking->context_length = length;'

[ "$failed" = 0 ] && echo "the wall holds"
exit "$failed"
