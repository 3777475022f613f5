# render_test.sh - every page of the manual is built, is found by its name, and fits 80 columns. There is no
# warning, no longer line, and no dash that a shell does not accept. The folder of the built pages is $2.
. "$(dirname "$0")/../cli/lib.sh"
built=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
for tool in lowdown groff lexgrog; do
    need "$tool" || finish
done

for source in "$root"/man/*.[0-9].md; do
    name=$(basename "$source" .md)
    last="man/$name.md"
    [ -s "$built/$name" ] || { blame "it was not built"; continue; }
    # Renders a page as man(1) does at 80 columns, of which it leaves two free.
    LC_ALL=C.UTF-8 groff -mandoc -Tutf8 -ww -rLL=78n -P-c -P-b -P-o -P-u "$built/$name" > "$folder/page" 2> "$folder/err"
    no_err
    same "lines over 80 columns" "$(LC_ALL=C.UTF-8 awk '{ line = $0; gsub(/[\200-\277]/, "", line) } length(line) > 80' "$folder/page")" ""
    [ "$(wc -l < "$folder/page")" -gt 30 ] || blame "the page is nearly empty"
    # Typographic dashes and quotes can't be copied into a shell; nor may a word be hyphenated.
    same "dashes and quotes" "$(grep -n '−\|–\|‐\|’\|‘\|“\|”' "$folder/page")" ""
    # Finds markup that was not converted.
    same "left-over markup" "$(grep -n '\*\*[^ ]*\*\*\|`[a-z]' "$folder/page")" ""
    lexgrog "$built/$name" 2> "$folder/err" | grep -q "\"${name%.*} - ..*\"" || blame "its NAME can't be indexed"
    # All examples are in the output, without a change.
    sed -n '/^# EXAMPLES$/,/^# [^E]/s/^    \$ //p' "$source" | while read -r line; do
        sed 's/^ *//' "$folder/page" | grep -qxF -e "\$ $line" || echo "$line"
    done > "$folder/lost"
    same "examples that are lost" "$(cat "$folder/lost")" ""
done
finish
