# deb_test.sh FOLDER - unpacks the packages of `make deb` as dpkg does. The command runs, and programs can be compiled
# with the library by pkg-config. Needs no root, and changes nothing on this machine.
root=$(cd "$(dirname "$0")/../.." && pwd)
debs=$(cd "$1" && pwd)
set -- none
. "$root/tests/cli/lib.sh"
unset LD_LIBRARY_PATH PKG_CONFIG_PATH
cd "$folder" || exit 1
version=$(sed -n 's/^project(lotor VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")

for package in lotor liblotor1 liblotor-dev python3-lotor; do
    last="package $package"
    set -- "$debs/${package}"_*.deb
    same "number of files" "$#" 1
    same "version" "$(dpkg-deb -f "$1" Version | sed 's/-[0-9]*$//')" "$version"
    dpkg-deb -x "$1" system 2> "$folder/err"
    code=$?
    status 0
    if [ -f "system/usr/share/doc/$package/copyright" ]; then pass; else blame "it has no copyright"; fi
done

last='liblotor1'
dpkg-deb -e "$debs"/liblotor1_*.deb control
out=control/symbols
same "versions in its symbols" "$(sed -n 's/.*@\(LOTOR_[0-9.]*\) .*/\1/p' $out | sort -u)" LOTOR_1.0
same "symbols" "$(grep -c '^ lotor_' $out)" "$(grep -c '^    lotor_' "$root/cmake/liblotor.map")"
same "what liblotor-dev needs of it" "$(dpkg-deb -f "$debs"/liblotor-dev_*.deb Depends | grep -o 'liblotor1 ([^)]*)')" \
    "liblotor1 (= $(dpkg-deb -f "$debs"/liblotor1_*.deb Version))"

last='lotor'
lotor=$folder/system/usr/bin/lotor
run --version
status 0
out "^lotor $version$"
run sample discrete-laplace --scale 3 --count 10 --exact
status 0
dpkg-deb -e "$debs"/lotor_*.deb control-lotor
if grep -q 'systemctl.*enable\|deb-systemd-invoke.*start' control-lotor/postinst; then blame "it starts by itself"; else pass; fi
grep -q '^ExecStart=/usr/bin/lotor serve$' system/lib/systemd/system/lotor.service || blame "its unit starts something else"
grep -q 'useradd' system/lib/systemd/system/lotor.service && blame "its unit tells to make a user that is there"
keys=$(sed -n 's/^Environment=LOTOR_KEYS=//p' system/lib/systemd/system/lotor.service)
if [ -z "$keys" ] || ! grep -q -e "--keys $keys --role" system/lib/systemd/system/lotor.service; then
    blame "its unit does not tell how to make a key"
fi
for page in "$root"/man/*.[0-9].md; do
    name=$(basename "$page" .md)
    if [ -f "system/usr/share/man/man${name##*.}/$name.gz" ]; then pass; else blame "no page $name"; fi
done
if [ -f system/usr/share/bash-completion/completions/lotor ]; then pass; else blame "no completion"; fi

last='python3-lotor'
cat > program.py << 'END'
import lotor
policy = lotor.Policy("batch-klucb", arms=5, epsilon=1)
policy.learn(policy.choose(), 1.0)
print(lotor.__file__, policy.guarantee.private)
END
PYTHONPATH=$folder/system/usr/lib/python3/dist-packages LD_LIBRARY_PATH=$(dirname "$folder"/system/usr/lib/*/liblotor.so.1) \
    /usr/bin/python3 -B program.py > "$folder/out" 2> "$folder/err"
code=$?
status 0
out "^$folder/system/usr/lib/python3/dist-packages/lotor/__init__.py True$"

last='liblotor-dev'
libdir=$(dirname "$(ls system/usr/lib/*/liblotor.a)")
same "prefix" "$(sed -n 's/^prefix=//p' "$libdir/pkgconfig/lotor.pc")" /usr
words=$(PKG_CONFIG_SYSROOT_DIR=$folder/system PKG_CONFIG_PATH=$folder/$libdir/pkgconfig pkg-config --cflags --libs lotor)
for example in "$root"/examples/*.c; do
    name=$(basename "$example" .c)
    last="example $name"
    # shellcheck disable=SC2086 # several words
    cc "system/usr/share/doc/liblotor-dev/examples/$name.c" $words -o "$name" 2> "$folder/err" &&
        LD_LIBRARY_PATH=$folder/$libdir timeout "$(seconds 60)" "./$name" > "$folder/out" 2> "$folder/err"
    code=$?
    status 0
    if sh "$root/tests/install/example_says.sh" "$name" "$folder/out"; then pass; else blame "it said: $(cat "$folder/out")"; fi
done
finish
