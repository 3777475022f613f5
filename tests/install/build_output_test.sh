# build_output_test.sh - scripts/build shows a few lines of progress, and every warning and error in full.
root=$(cd "$(dirname "$0")/../.." && pwd)
set -- none
. "$root/tests/cli/lib.sh"
mkdir "$folder/project"
cd "$folder/project" || exit 1
unset VERBOSE

cat > CMakeLists.txt << 'END'
cmake_minimum_required(VERSION 3.18)
project(small C)
set(CMAKE_C_FLAGS "-Wall")
add_executable(small main.c a.c b.c c.c d.c)
END
for name in a b c d; do echo "int $name(void); int $name(void) { return 1; }" > $name.c; done
echo 'int main(void) { return 0; }' > main.c
cmake -S . -B out > /dev/null || blame "cmake failed"

last="scripts/build"
build()
{
    "$root/scripts/build" out "$@" > "$folder/out" 2> "$folder/err"
    code=$?
}

build
status 0
grep -qx 'build: 5 compiled, 1 linked, [0-9]* s' "$folder/out" || blame "there is no last line: $(cat "$folder/out")"
[ "$(wc -l < "$folder/out")" -le 5 ] || blame "it prints a line per file"
pass

echo 'int a(void); int a(void) { int unused_number = 1; return 2; }' > a.c
build
status 0
grep -q "a.c:1:.*warning: unused variable .unused_number." "$folder/out" || blame "the warning is missing"
grep -q "int unused_number = 1; return 2" "$folder/out" || blame "the line of the warning is missing"
grep -q '^build: 1 compiled, 1 linked' "$folder/out" || blame "it counts wrongly"
pass

echo 'int b(void); int b(void) { return no_such_number; }' > b.c
build
[ "$code" != 0 ] || blame "a build that fails has the exit status 0"
grep -q "b.c:1:.*error: .no_such_number. undeclared" "$folder/out" || blame "the error is missing"
grep -q 'build: failed; VERBOSE=1 shows the commands' "$folder/err" || blame "it does not say that it failed"
grep -q ' compiled, ' "$folder/out" && blame "it says that all was built"
pass

echo 'int b(void); int b(void) { return 1; }' > b.c
VERBOSE=1 "$root/scripts/build" out > "$folder/out" 2> "$folder/err"
code=$?
status 0
grep -q -- '-o CMakeFiles/small.dir/b.c.o' "$folder/out" || blame "VERBOSE=1 does not show the command"
pass
finish
