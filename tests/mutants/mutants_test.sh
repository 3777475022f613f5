# mutants_test.sh ROOT - checks that every patch in this folder applies to the sources, and that scripts/mutants
# names exactly these patches. If not, scripts/mutants says which patch is wrong and what to do.
set -eu
root=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$root" && scripts/mutants --check)

# The rest of the test changes a copy of the sources.
mkdir "$folder/tests"
cp -R "$root/scripts" "$root/src" "$folder"
cp -R "$root/tests/mutants" "$folder/tests"
cd "$folder"

refuses() { # WORDS...: scripts/mutants --check must fail, with all of these words in its output
    if scripts/mutants --check >said 2>&1; then
        echo "scripts/mutants --check was content, expected: $*"
        exit 1
    fi
    for words in "$@"; do
        grep -qF -e "$words" said || {
            echo "scripts/mutants --check does not say '$words', but:"
            cat said
            exit 1
        }
    done
}

for file in tests/mutants/*.patch; do
    name=$(basename "$file" .patch)
    broken=$(sed -n 's|^+++ b/||p' "$file" | head -n 1)

    mv "$broken" aside # a source file of the patch has another name now
    refuses "$file does not apply" "scripts/mutants --edit $name"
    : >"$broken" # or it has other contents
    refuses "$file does not apply" "scripts/mutants --edit $name"
    mv aside "$broken"

    mv "$file" aside
    refuses "there is no $file"
    mv aside "$file"
done

cp "$file" tests/mutants/STRAY.patch
refuses "does not name STRAY"
rm tests/mutants/STRAY.patch

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
