# page_test.sh - makes a source archive twice, unpacks it, and runs all commands of docs/install.md in it. These
# build, install, compile programs, make packages and another archive, and uninstall. Then it runs the other tests of
# installing, from the files of the archive. git is not available. It builds everything twice, which takes minutes.
#
# Differences from the page: files for /usr/local go to a temporary folder, without sudo. Packages are unpacked, not
# installed.
root=$(cd "$(dirname "$0")/../.." && pwd)
set -- none
. "$root/tests/cli/lib.sh"
unset DESTDIR
mkdir "$folder/place" "$folder/path"

last='scripts/dist'
"$root/scripts/dist" "$folder/one" > "$folder/out" 2> "$folder/err" && "$root/scripts/dist" "$folder/two" > /dev/null 2>&1
code=$?
status 0
if cmp -s "$folder"/one/*.tar.gz "$folder"/two/*.tar.gz; then pass; else blame "the same sources give other bytes"; fi
tar -xzf "$folder"/one/*.tar.gz -C "$folder"
tree=$(ls -d "$folder"/lotor-*)
cd "$tree" || exit 1

# A git that always fails, to check that no command needs it.
printf '#!/bin/sh\necho "git was asked for: $*" >&2\nexit 1\n' > "$folder/path/git"
chmod +x "$folder/path/git"
prefix=$folder/prefix
{
    echo "PATH='$folder/path:$prefix/bin':\$PATH"
    echo "export PATH PKG_CONFIG_PATH='$prefix/lib/pkgconfig' LD_LIBRARY_PATH='$prefix/lib' CMAKE_PREFIX_PATH='$prefix'"
} > "$folder/ways"
. "$folder/ways"

# The page's commands and what each should print: $folder/N.command, $folder/N.expected.
count=$(awk -v folder="$folder" '
    /^    \$ / { number++; inside = 1; print substr($0, 7) > (folder "/" number ".command")
                 printf "" > (folder "/" number ".expected"); next }
    inside && /^    / { print substr($0, 5) > (folder "/" number ".expected"); next }
    { inside = 0 }
    END { print number + 0 }' docs/install.md)
[ "$count" -ge 16 ] || blame "docs/install.md has $count commands"

# tests the packages and the installed files before they are removed
try_packages()
{
    last='deb_test.sh'
    sh tests/install/deb_test.sh build/deb > "$folder/out" 2>&1
    code=$?
    cp "$folder/out" "$folder/err"
    status 0
}

i=1
while [ "$i" -le "$count" ]; do
    command=$(sed -e "s#/tmp/#$folder/place/#g" -e "s#^sudo make install#make install PREFIX=$prefix#" -e 's#^sudo ##' \
        "$folder/$i.command")
    case $command in
    apt\ *) try_packages ;;
    *)
        timeout "$(seconds 900)" sh -c "$command" > "$folder/out" 2> "$folder/err" < /dev/null
        code=$?
        last="docs/install.md: $(cat "$folder/$i.command")"
        status 0
        expected=$(cat "$folder/$i.expected")
        pattern=$(printf '%s' "$expected" | sed -e 's/[][*?\\]/\\&/g' -e 's/\.\.\./*/g')
        # shellcheck disable=SC2254 # this is a pattern
        case $expected:$(sed "s#$folder/place/#/tmp/#g" "$folder/out") in
        :*) pass ;; # a command whose output is not on the page
        *:$pattern) pass ;;
        *) blame "printed '$(head -c 400 "$folder/out")', expected '$expected'" ;;
        esac
        ;;
    esac
    i=$((i + 1))
done

last='after the page'
same "files left in the prefix" "$(find "$prefix" -type f -o -type l)" ""
for archive in "$folder"/one build/dist; do
    tar -tzf "$archive"/*.tar.gz | grep -v '/$' | sort > "$folder/list-$(basename "$archive")"
done
same "files that an archive of the archive lacks or adds" "$(comm -3 "$folder/list-one" "$folder/list-dist")" ""
last='install_test.sh, in the archive'
sh tests/install/install_test.sh "$tree/build" > "$folder/out" 2>&1
code=$?
cp "$folder/out" "$folder/err"
status 0
finish
