#!/bin/sh
# Every public header compiles alone, as C17 and, if there is a compiler, as C++. lotor.h includes all
# headers except the experimental ones, which say that they are experimental in their first lines. Each
# header declares its functions for C++, too.
# usage: headers_test.sh INCLUDE CC [CXX]
include=$1 cc=$2 cxx=$3
failed=0

complain() {
    echo "$*" >&2
    failed=1
}

cd "$include" || exit 1
for header in lotor/*.h lotor/experimental/*.h; do
    "$cc" -std=c17 -pedantic -Wall -Wextra -Werror -I. -fsyntax-only -x c "$header" ||
        complain "$header does not compile alone as C17"
    if [ -n "$cxx" ]; then
        "$cxx" -std=c++11 -pedantic -Wall -Wextra -Werror -I. -fsyntax-only -x c++ "$header" ||
            complain "$header does not compile alone as C++"
    fi
    case $header in
    lotor/lotor.h) continue ;;
    lotor/experimental/*)
        head -n 3 "$header" | grep -q "EXPERIMENTAL: this header may change" || complain "$header does not say what it is"
        grep -q "#include <$header>" lotor/*.h && complain "a stable header includes $header"
        ;;
    *)
        grep -q "#include <$header>" lotor/lotor.h || complain "lotor.h does not include $header"
        grep -q " \*   ${header#lotor/} " lotor/lotor.h || complain "lotor.h does not tell of $header"
        ;;
    esac
    grep -q 'extern "C"' "$header" || complain "$header has no extern \"C\""
done
[ -n "$cxx" ] || echo "no C++ compiler: the headers were compiled as C alone"
exit $failed
