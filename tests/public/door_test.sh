# door_test.sh SOURCE OBJECTS BASE_OBJECTS - checks that the command uses only the public API.
#
# The object files of the commands below may use lotor_* symbols that include/lotor exports, and those that
# src/base and src/cli define; their sources may include headers of these three. OBJECTS and BASE_OBJECTS are
# files that list the objects of the program and of src/base.
source=$1 objects=$2 base_objects=$3
commands='account count stop sample audit advise run'

# The internal symbols that each command still uses. This list only gets shorter: the test fails as soon as an
# entry is not needed.
exceptions='
'

set -- none
. "$source/tests/cli/lib.sh"

# symbols_of MODE FILES...: the global lotor_* symbols that the objects define, or use and do not define.
symbols_of() {
    mode=$1
    shift
    nm "$mode" "$@" 2> "$folder/err" | awk '$NF ~ /^lotor_/ { print $NF }' | sort -u
}

# objects_of COMMAND: the objects of src/cli/COMMAND.c and src/cli/COMMAND_*.c, except those of `lotor audit-log`, which
# reads the service's store.
objects_of() {
    grep -E "/src/cli/$1(_[a-z_]*)?\.c\.o(bj)?\$" "$objects" | grep -v '/audit_log\.c'
}

last='the symbols that everybody may use'
# shellcheck disable=SC2046 # one word for each object
symbols_of --defined-only $(grep '/src/cli/' "$objects") $(cat "$base_objects") > "$folder/defined"
sed -n 's/^    \(lotor_[a-z0-9_]*\);$/\1/p' "$source/cmake/liblotor.map" > "$folder/public"
sort -u "$folder/defined" "$folder/public" > "$folder/allowed"
[ "$(wc -l < "$folder/defined")" -ge 100 ] || blame "nm sees too few symbols in src/base and src/cli"
[ "$(wc -l < "$folder/public")" -ge 50 ] || blame "too few symbols in cmake/liblotor.map"

: > "$folder/found"
for command in $commands; do
    last="lotor $command"
    [ -n "$(objects_of "$command")" ] || blame "it has no object file"
    # shellcheck disable=SC2046
    symbols_of --undefined-only $(objects_of "$command") > "$folder/used"
    [ -s "$folder/used" ] || blame "nm sees no symbol that it uses"
    comm -23 "$folder/used" "$folder/allowed" | sed "s/^/$command /" >> "$folder/found"
    for file in "$source/src/cli/$command".[ch] "$source/src/cli/$command"_*.[ch]; do
        [ "${file##*/}" = audit_log.c ] && continue
        [ -f "$file" ] && sed -n 's/^#include "\([^"]*\)".*/\1/p' "$file"
    done | grep -Ev '^(base|cli)/' | sort -u | sed "s/^/$command /" >> "$folder/found"
done
sort -u "$folder/found" > "$folder/left"
printf '%s\n' "$exceptions" | sed '/^$/d' | sort -u > "$folder/known"
last='the commands against the public API'
same "inside the library, and used by a command" "$(comm -23 "$folder/left" "$folder/known")" ""
last='the list of exceptions in this test'
same "not used any more: take it off the list" "$(comm -13 "$folder/left" "$folder/known")" ""
finish
