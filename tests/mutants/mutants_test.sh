# mutants_test.sh ROOT - every patch beside this file applies to the sources, and scripts/mutants names it and no
# other. Where that is not so, scripts/mutants says which patch it is and what to do.
set -eu
root=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$root" && scripts/mutants --check)

# The rest happens to a copy.
mkdir "$folder/tests"
cp -R "$root/scripts" "$root/src" "$folder"
cp -R "$root/tests/mutants" "$folder/tests"
cd "$folder"

refuses() { # WORDS...: scripts/mutants --check fails, and says all of them
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

    mv "$broken" aside # one of its sources has another name now
    refuses "$file does not apply" "scripts/mutants --edit $name"
    : >"$broken" # or other contents
    refuses "$file does not apply" "scripts/mutants --edit $name"
    mv aside "$broken"

    mv "$file" aside
    refuses "there is no $file"
    mv aside "$file"
done

cp "$file" tests/mutants/STRAY.patch
refuses "does not name STRAY"
rm tests/mutants/STRAY.patch

# A patch is made anew from an edited copy, the words above it are kept, and the sources stay as they are.
cp "$file" before
cp -R src sources
scripts/mutants --edit "$name" >/dev/null
scripts/mutants --save "$name" >/dev/null
scripts/mutants --check
diff -r sources src
for patch in before "$file"; do
    grep -v '^[@ ]' "$patch" >"$folder/changes-$(basename "$patch")" # lines around them may have moved
done
diff changes-before "changes-$name.patch"
