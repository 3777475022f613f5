#!/bin/sh
# Every public header compiles alone, as C17 and, if there is a compiler, as C++. lotor.h includes all
# headers. Each header declares its functions for C++, too.
# usage: headers_test.sh INCLUDE CC [CXX]
include=$1 cc=$2 cxx=$3
failed=0

complain() {
    echo "$*" >&2
    failed=1
}

cd "$include" || exit 1
for header in lotor/*.h; do
    "$cc" -std=c17 -pedantic -Wall -Wextra -Werror -I. -fsyntax-only -x c "$header" ||
        complain "$header does not compile alone as C17"
    if [ -n "$cxx" ]; then
        "$cxx" -std=c++11 -pedantic -Wall -Wextra -Werror -I. -fsyntax-only -x c++ "$header" ||
            complain "$header does not compile alone as C++"
    fi
    if [ "$header" != lotor/lotor.h ]; then
        grep -q "#include <$header>" lotor/lotor.h || complain "lotor.h does not include $header"
        grep -q " \*   ${header#lotor/} " lotor/lotor.h || complain "lotor.h does not tell of $header"
        grep -q 'extern "C"' "$header" || complain "$header has no extern \"C\""
    fi
done
[ -n "$cxx" ] || echo "no C++ compiler: the headers were compiled as C alone"
exit $failed
