# install_test.sh BUILD [quick] - installs the build twice, and uses it as another project does. It compiles every
# example by pkg-config, shared and static, some by CMake's find_package, and one as C++.
#
# quick leaves out what takes seconds: static programs but one, and CMake.
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$1
speed=${2:-whole}
set -- "$build/lotor"
. "$root/tests/cli/lib.sh"
unset DESTDIR LD_LIBRARY_PATH PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
cd "$folder" || exit 1

# Files that must be there, below a prefix whose library folder is $2.
has_all()
{
    for file in bin/lotor include/lotor/lotor.h "$2/liblotor.so" "$2/liblotor.so.1" "$2/liblotor.a" \
        "$2/pkgconfig/lotor.pc" "$2/cmake/lotor/lotorConfig.cmake" "$2/cmake/lotor/lotorConfigVersion.cmake" \
        share/doc/lotor/README.md share/doc/lotor/examples/finite.c share/doc/lotor/docs/errata.md; do
        if [ -f "$1/$file" ]; then pass; else blame "not installed: $1/$file"; fi
    done
    for page in "$build"/man/*.[1-9]; do
        [ -f "$page" ] || continue
        if [ -f "$1/share/man/man${page##*.}/$(basename "$page")" ]; then pass; else blame "no page $page"; fi
    done
    same "headers" "$(cd "$1/include/lotor" && find . -name '*.h' | sort)" "$(cd "$root/include/lotor" && find . -name '*.h' | sort)"
}

# try NAME PROGRAM: the program must run, and must have learnt.
try()
{
    last="example $1, $2"
    timeout "$(seconds 60)" "$2" > "$folder/out" 2> "$folder/err"
    code=$?
    status 0
    if sh "$root/tests/install/example_says.sh" "$1" "$folder/out"; then pass; else blame "it said: $(cat "$folder/out")"; fi
}

# compile NAME OUT WORDS...: compiles an example as its first lines say, in the installed folder.
compile()
{
    example=$prefix/share/doc/lotor/examples/$1.c
    out=$2
    shift 2
    last="cc $example -o $out $*"
    cc -Wall -Wextra -Werror "$example" -o "$out" "$@" 2> "$folder/err"
    code=$?
    status 0
}

last='cmake --install, under DESTDIR'
code=0
DESTDIR="$folder/stage" cmake --install "$build" --prefix /opt/lotor > "$folder/log" 2> "$folder/err" || code=$?
status 0
libdir=$(sed -n 's,.*/opt/lotor/\(.*\)/liblotor\.a$,\1,p' "$folder/log")
has_all "$folder/stage/opt/lotor" "$libdir"
same "prefix in lotor.pc" "$(sed -n 's/^prefix=//p' "$folder/stage/opt/lotor/$libdir/pkgconfig/lotor.pc")" /opt/lotor
same "files that name the stage" "$(grep -rlF "$folder" "$folder/stage")" ""
# The source folder may have a name that documents use, such as /src: so the test searches for paths
# below it.
same "text files that name the build" "$(grep -rlIF -e "$build" -e "$root/src/" -e "$root/include/" -e "$root/cmake/" \
    "$folder/stage")" ""

last='cmake --install, to a prefix of its own'
prefix=$folder/prefix
code=0
cmake --install "$build" --prefix "$prefix" > "$folder/log" 2> "$folder/err" || code=$?
status 0
has_all "$prefix" "$libdir"
same "the staged files" "$(cd stage/opt/lotor && find . | sort)" "$(cd prefix && find . | sort)"
same "optimizer's sections in liblotor.a" "$(objdump -h "$prefix/$libdir/liblotor.a" | grep -m 1 'gnu\.lto')" ""
PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
export PKG_CONFIG_PATH
version=$(pkg-config --modversion lotor)
same "version" "lotor $version" "$("$prefix/bin/lotor" --version | head -1)"
objdump -p "$prefix/$libdir/liblotor.so" > dump
same "soname" "$(awk '$1 == "SONAME" { print $2 }' dump)" liblotor.so.1
same "folders to look into that were left in" "$(grep -E 'RPATH|RUNPATH' dump)" ""

same "the folder of a prefix with a blank" "$(pkg-config --define-variable=prefix='/a b' --libs-only-L lotor | sed 's/ *$//')" \
    "-L/a\\ b/$libdir"
shared="$(pkg-config --cflags --libs lotor) -Wl,-rpath,$prefix/$libdir"
# Names the archive, since -llotor would choose the shared library if both exist. The libraries that it needs
# may be shared.
static="$(pkg-config --cflags --libs lotor libsodium lapacke | sed 's/-llotor/-l:liblotor.a/') -lm"
found=0
for example in "$prefix"/share/doc/lotor/examples/*.c; do
    name=$(basename "$example" .c)
    found=$((found + 1))
    # shellcheck disable=SC2086 # several words
    compile "$name" "./$name" $shared
    try "$name" "./$name"
    [ "$speed" = whole ] || [ "$name" = linear ] || continue
    # shellcheck disable=SC2086
    compile "$name" "./$name-static" $static
    try "$name" "./$name-static"
done
same "examples" "$found" "$(ls "$root"/examples/*.c | wc -l)"
# The program in docs/c.md, copied without a change.
last='the C program in docs/c.md'
awk '/^```/ { inside = $0 == "```c"; next } inside' "$root/docs/c.md" > page.c
# shellcheck disable=SC2086
cc -Wall -Wextra -Werror page.c -o page $shared 2> "$folder/err" && ./page > "$folder/out" 2>> "$folder/err"
code=$?
status 0
out '^about (24[5-9]|25[0-4])[0-9][0-9] said yes$' # 25,000, and noise of standard deviation 59
last='ldd finite'
ldd ./finite > "$folder/out" 2> "$folder/err"
out "liblotor\.so\.1 => $prefix/$libdir/liblotor\.so\.1"
ldd ./linear-static > "$folder/out"
same "the shared library in a static program" "$(grep liblotor "$folder/out")" ""

# A fully static program, if the libraries that LAPACK needs are installed as archives.
if [ "$speed" = whole ] && [ -f "$(cc -print-file-name=libgfortran.a)" ] && pkg-config --exists openblas; then
    # shellcheck disable=SC2046
    compile linear ./linear-alone -static $(pkg-config --static --cflags --libs lotor)
    try linear ./linear-alone
fi

if need c++; then
    last='c++ plus.cpp'
    # shellcheck disable=SC2086
    c++ -Wall -Wextra -Werror "$root/tests/install/plus.cpp" -o plus $shared 2> "$folder/err" &&
        ./plus > "$folder/out" 2>> "$folder/err"
    code=$?
    status 0
    out "^lotor $version from C\+\+: 1 arm$"
fi

if [ "$speed" = whole ]; then
    # The installed folder is moved: the files that find_package reads have no prefix in them.
    mv prefix moved
    examples=$folder/moved/share/doc/lotor/examples
    for kind in lotor static; do
        last="find_package(lotor), lotor::$kind"
        cmake -S "$examples" -B "by-$kind" -DCMAKE_PREFIX_PATH="$folder/moved" -DLOTOR="lotor::$kind" > log 2> "$folder/err" &&
            cmake --build "by-$kind" > log 2>> "$folder/err"
        code=$?
        status 0
        try matroid "by-$kind/matroid"
        try linear "by-$kind/linear"
    done
    last='find_package(lotor) where nothing else can be found'
    PKG_CONFIG_LIBDIR=/nowhere cmake -S "$examples" -B by-itself -DCMAKE_PREFIX_PATH="$folder/moved" > log 2> "$folder/err"
    code=$?
    status 0
    sed -i 's/lotor 1.0 REQUIRED/& COMPONENTS static/' "$examples/CMakeLists.txt"
    PKG_CONFIG_LIBDIR=/nowhere cmake -S "$examples" -B by-nothing -DCMAKE_PREFIX_PATH="$folder/moved" > log 2> "$folder/err"
    code=$?
    status 1
    err 'no component static here'
    last='find_package(lotor 9)'
    sed -i 's/find_package(lotor 1.0/find_package(lotor 9/' "$examples/CMakeLists.txt"
    cmake -S "$examples" -B by-nine -DCMAKE_PREFIX_PATH="$folder/moved" > log 2> "$folder/err"
    code=$?
    status 1
    err 'version "9"'
fi
finish
