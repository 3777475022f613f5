# mathematics_test.sh - compares docs/mathematics.md and docs/new-algorithm.md with the sources. Every id has its row.
# Every file, function, test and section that they name exists, and so in docs/choosing.md and docs/errata.md. The tests that they name for half the noise are those in
# scripts/mutants. Every excerpt of code is in the file that they name.
. "$(dirname "$0")/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
lotor=$(cd "$(dirname "$lotor")" && pwd)/$(basename "$lotor")
cd "$root" || exit 1
page=docs/mathematics.md
last=$page

# --- every algorithm -------------------------------------------------------------------------------
# Lines of "ID|PROMISE|THEOREM|SECTION|TEST".
sed -n '/^## 8/,$s/^| `\([^`]*\)` | \([^|]*\) | \([^|]*\)| \([0-9.]*\) | \([^|]*\)|$/\1|\2|\3|\4|\5/p' "$page" > "$folder/rows"
run algorithms --json
status 0
cp "$folder/out" "$folder/catalog"
same "ids" "$(cut -d '|' -f 1 "$folder/rows" | sort)" \
    "$(grep -o '"id": "[^"]*"' "$folder/catalog" | sed 's/.*: "//; s/"//' | sort)"
last=$page
while IFS='|' read -r id promise theorem section test; do
    row=$(grep "\"id\": \"$id\"" "$folder/catalog")
    model=$(echo "$row" | sed 's/.*"model": "\([a-z]*\)".*/\1/')
    case $row in
    *'"not_private": null'*) said="$promise" wanted="*epsilon*, $model*" ;;
    *'"model": "none"'*) said=$promise wanted=none ;;
    *) said=$promise wanted="not private" ;;
    esac
    # shellcheck disable=SC2254 # this is a pattern
    case $said in
    $wanted) pass ;;
    *) blame "the promise of $id is '$said', expected '$wanted'" ;;
    esac
    case "$row" in
    *'"has_delta": true'*'"private": true'* | *'"private": true'*'"has_delta": true'*)
        case $promise in "(epsilon, delta)"*) pass ;; *) blame "$id has a delta" ;; esac ;;
    esac
    # the catalog names the paper or the section of this page that proves it, and no path of the source tree
    proof=$(echo "$row" | grep -o '"theorem": "[^"]*"')
    case "$proof" in
    *src/* | *.md*) blame "the theorem of $id names a file: $proof" ;;
    *"Lotor: proofs, section $section ($(sed -n "s/^###* ${section}\.* //p" "$page"))"*) pass ;;
    *"Lotor: proofs"*) blame "the page proves $id in section $section, and the catalog says $proof" ;;
    *) pass ;;
    esac
    if grep -q "^###* ${section}[. ]" "$page"; then pass; else blame "$id: there is no section $section"; fi
    # an algorithm with a privacy claim and exact noise must have a test that notices half the noise
    if [ -z "$(echo "$test" | tr -d ' ')" ]; then
        case "$row" in
        *'"model": "none"'* | *'"simulation_only": true'*) pass ;;
        *) blame "nobody would notice half the noise of $id" ;;
        esac
    fi
done < "$folder/rows"

# The page names every counter.
for counter in $(sed -n 's/^ *\.counter = "\([a-z-]*\)",$/\1/p' src/privacy/release/statistic_*.c); do
    if grep -q "\`$counter\`" "$page"; then pass; else blame "the counter $counter is not there"; fi
done

# --- names in the documents ------------------------------------------------------------------------
for page in docs/mathematics.md docs/new-algorithm.md docs/choosing.md docs/errata.md; do
    last=$page
    grep -o '`[^`]*`' "$page" | tr -d '`' | sort -u > "$folder/names"
    count=0
    while read -r name rest; do
        [ -z "$rest" ] || continue
        case $name in
        src/* | tests/* | docs/* | scripts/* | include/* | bench/*)
            file=${name%%:*}
            count=$((count + 1))
            if [ ! -e "$file" ]; then
                blame "there is no $file"
                continue
            fi
            case $name in
            *:*)
                function=${name#*:}
                if grep -qw -e "$function" "$file"; then pass; else blame "$file has no $function"; fi
                ;;
            *) pass ;;
            esac
            ;;
        esac
    done < "$folder/names"
    [ "$count" -ge 3 ] || blame "it names only $count files"
done

# Tests as SUITE:NAME are those that scripts/mutants runs on a library with half the noise.
sed -n 's/^caught by: //p' tests/mutants/HALF_NOISE.patch | tr ' ' '\n' > "$folder/caught"
for page in docs/mathematics.md docs/new-algorithm.md; do
    last=$page
    for test in $(grep -o '`test_[a-z_]*:[a-z0-9_-]*`' "$page" | tr -d '`' | sort -u); do
        if grep -qxF "$test" "$folder/caught"; then pass
        else blame "$test is not among those that scripts/mutants wants to fail"; fi
    done
done

# --- excerpts --------------------------------------------------------------------------------------
# An indented block below a line that ends in "`FILE`:" must be in that file, without a change.
page=docs/new-algorithm.md
last=$page
awk -v folder="$folder" '
    match($0, /`[a-z]+\/[A-Za-z0-9_.\/-]+`:$/) { if (block != "") put(); file = substr($0, RSTART + 1, RLENGTH - 3); next }
    /^    / && file != "" { block = block (block == "" ? "" : "\n") substr($0, 5); next }
    /^$/ && file != "" && block == "" { next }
    { if (block != "") put(); file = "" } # a block ends at an empty line
    END { if (block != "") put(); print number + 0 }
    function put() {
        number++
        print file > (folder "/excerpt-" number ".file")
        printf "%s", block > (folder "/excerpt-" number ".text")
        block = ""
        file = ""
    }' "$page" > "$folder/count"
count=$(cat "$folder/count")
[ "$count" -ge 8 ] || blame "only $count excerpts were found"
i=1
while [ "$i" -le "$count" ]; do
    file=$(cat "$folder/excerpt-$i.file")
    last="$page, excerpt $i, from $file"
    if [ ! -f "$file" ]; then
        blame "there is no such file"
    elif awk -v text="$folder/excerpt-$i.text" '
        function all(name,   line, whole) {
            while ((getline line < name) > 0) whole = whole line "\n"
            return whole
        }
        BEGIN { exit index("\n" all(ARGV[1]), "\n" all(text)) == 0 }' "$file"; then pass
    else blame "it does not stand there"; fi
    i=$((i + 1))
done
finish
