# dist_test.sh - the same commit gives the same archive on two paths, and scripts/verify-dist notices every change of it.
root=$(cd "$(dirname "$0")/../.." && pwd)
set -- none
. "$root/tests/cli/lib.sh"
unset GIT_DIR GIT_WORK_TREE
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null

# A small project with the real scripts, in a clone with two paths.
one=$folder/one
two=$folder/a/deeper/path/two
mkdir -p "$one/scripts" "$one/src" "$(dirname "$two")"
cp "$root/scripts/dist" "$root/scripts/verify-dist" "$one/scripts"
echo 'project(lotor VERSION 7.8.9 LANGUAGES C)' > "$one/CMakeLists.txt"
echo 'int main(void) { return 0; }' > "$one/src/main.c"
git_one() { git -C "$one" -c user.name=test -c user.email=test@example.invalid "$@" > /dev/null 2>&1; }
git_one init -q && git_one add -A && git_one commit -q -m one && git_one tag v7.8.9 || blame "git failed"
git clone -q "$one" "$two" 2> /dev/null || blame "git clone failed"

last='scripts/dist'
name="lotor-7.8.9.tar.gz"
(umask 077 && TZ=Asia/Tokyo LC_ALL=C "$one/scripts/dist" "$folder/first") > "$folder/out" 2> "$folder/err"
code=$?
status 0
out "^[0-9a-f]{64}  $name$"
sleep 1 # archives with the present time would differ
(umask 022 && TZ=America/Lima "$two/scripts/dist" "$folder/second") > "$folder/out" 2> "$folder/err"
if cmp -s "$folder/first/$name" "$folder/second/$name"; then pass; else blame "two paths give other bytes"; fi
same "files" "$(tar -tzf "$folder/first/$name" | tr '\n' ' ')" \
    "lotor-7.8.9/ lotor-7.8.9/CMakeLists.txt lotor-7.8.9/scripts/ lotor-7.8.9/scripts/dist lotor-7.8.9/scripts/verify-dist lotor-7.8.9/src/ lotor-7.8.9/src/main.c "
same "owner and mode" "$(tar -tvzf "$folder/first/$name" | awk '/main.c/ { print $1, $2 }')" "-rw-r--r-- root/root"

# The project itself, from this clone and from another one.
if [ -e "$root/.git" ]; then
    git clone -q --shared "$root" "$folder/again" 2> /dev/null
    "$root/scripts/dist" "$folder/three" HEAD > /dev/null 2>&1
    "$folder/again/scripts/dist" "$folder/four" HEAD > /dev/null 2>&1
    if cmp -s "$folder"/three/*.tar.gz "$folder"/four/*.tar.gz; then pass; else blame "two clones of the project give other bytes"; fi
fi

last='scripts/verify-dist'
verify()
{
    "$two/scripts/verify-dist" "$@" > "$folder/out" 2> "$folder/err"
    code=$?
}
good=$folder/first/$name

verify "$good"
status 0
out "^sha256   $(sha256sum "$good" | cut -d ' ' -f 1)$"
out "^same     the archive has the same bytes as the one of v7.8.9$"
verify "$good" HEAD
status 0

mkdir "$folder/other"
bad=$folder/other/$name
gzip -dc "$good" | gzip -1n > "$bad"
verify "$bad"
status 0
out 'another gzip compressed them'

tar -xzf "$good" -C "$folder/other"
echo 'int main(void) { return 1; }' > "$folder/other/lotor-7.8.9/src/main.c"
tar -czf "$bad" -C "$folder/other" lotor-7.8.9
verify "$bad"
status 1
err 'Files commit/lotor-7.8.9/src/main.c and archive/lotor-7.8.9/src/main.c differ'
err 'the archive differs from v7.8.9: do not use it'

head -c 100 "$good" > "$bad"
verify "$bad"
status 1
err "can't be unpacked"

cp "$good" "$bad"
echo "0000  $name" > "$bad.sha256"
verify "$bad"
status 1
err 'has another checksum'
rm "$bad.sha256"

cp "$good" "$folder/other/lotor-7.9.0.tar.gz"
verify "$folder/other/lotor-7.9.0.tar.gz"
status 1
err "there is no tag or commit 'v7.9.0' here"
verify "$folder/other/lotor-7.9.0.tar.gz" v7.8.9
status 1
err 'v7.8.9 is the version lotor-7.8.9, not lotor-7.9.0'
verify "$folder/none.tar.gz"
status 1
err 'there is no file'
finish
