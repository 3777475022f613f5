# mutants_test.sh ROOT - checks that every patch in this folder applies to the sources, and names tests that exist. If
# not, scripts/mutants says which patch is wrong and what to do.
set -eu
root=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$root" && scripts/mutants --check)

# The rest of the test changes a copy of the sources.
mkdir "$folder/tests"
cp -R "$root/scripts" "$root/src" "$folder"
cp -R "$root/tests/mutants" "$root/tests/service" "$root"/tests/test_*.c "$folder/tests"
cd "$folder"

refuses() { # NAME WORDS...: scripts/mutants --check NAME must fail, with all of these words in its output
    mutant=$1
    shift
    if scripts/mutants --check "$mutant" >said 2>&1; then
        echo "scripts/mutants --check $mutant was content, expected: $*"
        exit 1
    fi
    for words in "$@"; do
        grep -qF -e "$words" said || {
            echo "scripts/mutants --check $mutant does not say '$words', but:"
            cat said
            exit 1
        }
    done
}

# No mutant is without a sentence about what it breaks. The table has a row for each.
scripts/mutants --table >table
for file in tests/mutants/*.patch; do
    name=$(basename "$file" .patch)
    grep -q "^| $name | [A-Z0-9].*\. | \`.*\` |$" table || {
        echo "the table of scripts/mutants has no complete row for $name:"
        grep "$name" table || true
        exit 1
    }
done

# Below, $file is the last mutant.
broken=$(sed -n 's|^+++ b/||p' "$file" | head -n 1)
mv "$broken" aside # a source file of the patch has another name now
refuses "$name" "$file does not apply" "scripts/mutants --edit $name"
: >"$broken" # or it has other contents
refuses "$name" "$file does not apply" "scripts/mutants --edit $name"
mv aside "$broken"

# A mutant that nothing must notice, or that names a test that does not exist.
cp "$file" aside
sed '/^caught by:/d' aside >"$file"
refuses "$name" "nothing must notice $name"
sed 's/^caught by: .*/caught by: test_nothing:at_all/' aside >"$file"
refuses "$name" "there is no tests/test_nothing.c"
mv aside "$file"
if scripts/mutants NO_SUCH_MUTANT 2>said; then
    echo "scripts/mutants accepted a mutant that does not exist"
    exit 1
fi
grep -q "there is no 'NO_SUCH_MUTANT'" said

# A patch is made again from an edited copy. The text above it is kept, and the sources do not change.
cp "$file" before
cp -R src sources
scripts/mutants --edit "$name" >/dev/null
scripts/mutants --save "$name" >/dev/null
scripts/mutants --check
diff -r sources src
for patch in before "$file"; do
    grep -v '^[@ ]' "$patch" >"$folder/changes-$(basename "$patch")" # the lines around the changes may differ
done
diff changes-before "changes-$name.patch"
