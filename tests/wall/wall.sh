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

# 3. Nobody climbs over it.
if grep -rnE '#include +["<](/|.*\.\.)' "$source/src"; then
    echo "an include that climbs out of its room"
    failed=1
fi

[ "$failed" = 0 ] && echo "the wall holds"
exit "$failed"
