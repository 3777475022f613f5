# symbols_test.sh SOURCE BUILD CC - checks the symbols that the libraries export. The shared library liblotor.so
# exports the functions of the headers, each with its version, and nothing else. The static library liblotor.a exports
# only names that begin with lotor_.
source=$1 build=$2 compiler=$3
set -- "$build/lotor"
. "$source/tests/cli/lib.sh"

# Removes comments and line ends, and keeps the name before the bracket of each declaration.
cat "$source"/include/lotor/*.h "$source"/include/lotor/experimental/*.h | "$compiler" -fpreprocessed -dD -E -P -x c - 2> "$folder/err" | grep -v '^#' |
    tr '\n;' ' \n' | sed -n 's/.*LOTOR_API \([^(]*\)(.*/\1/p' | sed 's/ *$//; s/.*[ *]//' | sort > "$folder/declared"
last='the headers against the list of exports'
[ "$(wc -l < "$folder/declared")" -ge 50 ] || blame "only $(wc -l < "$folder/declared") functions found in the headers"
same "names that the headers declare twice" "$(uniq -d "$folder/declared")" ""

sed -n 's/^    \(lotor_[a-z0-9_]*\);$/\1/p' "$source/cmake/liblotor.map" | sort > "$folder/listed"
same "in the headers but not in cmake/liblotor.map" "$(comm -23 "$folder/declared" "$folder/listed")" ""
same "in cmake/liblotor.map but not in the headers" "$(comm -13 "$folder/declared" "$folder/listed")" ""

last='liblotor.so'
nm -D --defined-only --with-symbol-versions "$build/liblotor.so" > "$folder/nm" 2> "$folder/err"
awk '$2 == "T" && $3 ~ /@@LOTOR_1\.[0-9]+$/ { sub(/@@.*/, "", $3); print $3 }' "$folder/nm" | sort > "$folder/exported"
same "declared but not exported with a version" "$(comm -23 "$folder/declared" "$folder/exported")" ""
same "exported but not declared" "$(comm -13 "$folder/declared" "$folder/exported")" ""
# The versions are absolute symbols. No other symbol may be there.
same "exported otherwise" "$(awk '!($2 == "T" && $3 ~ /^lotor_.*@@LOTOR_/) && !($2 == "A" && $3 ~ /^LOTOR_1/)' "$folder/nm")" ""

last='liblotor.a'
nm -g --defined-only "$build/liblotor.a" > "$folder/nm" 2> "$folder/err"
[ "$(grep -c ' T lotor_' "$folder/nm")" -ge 200 ] || blame "nm sees too few functions in it"
same "global names without lotor_" "$(awk 'NF == 3 && $3 !~ /^lotor_/ { print $3 }' "$folder/nm" | sort -u)" ""
finish
