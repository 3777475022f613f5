# facts_test.sh - compares the documents with the sources: endpoints and error codes in docs/http.md, magic numbers,
# tables and columns in docs/formats.md, documents in docs/README.md.
. "$(dirname "$0")/../cli/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root" || exit 1

# --- the interface ---------------------------------------------------------------------------------
last="docs/http.md"
# METHOD PATH ROLE, from the table and from the specification.
same "endpoints and roles" "$(sed -n 's/^| `\(GET\|POST\|PUT\|PATCH\|DELETE\) \([^`]*\)` | \([a-z]*\) .*/\1 \2 \3/p' docs/http.md | sort)" \
    "$(awk -F '"' '/^  "\// { path = $2 } /^   "(get|post|put|patch|delete)": / { method = toupper($2) }
                   /^    "x-role": / { print method, path, $4 }' docs/openapi.json | sort)"
[ "$(grep -c '^| `\(GET\|POST\|PUT\|PATCH\|DELETE\) /' docs/http.md)" -ge 16 ] || blame "few endpoints were found"
# Codes and their numbers; a row may have several codes.
same "error codes" "$(sed -n '/^| code | HTTP/,/^$/s/^| \(`.*`\) | \([0-9]*\) |.*/\1 \2/p' docs/http.md | tr -d '`,' |
    awk '{ for (i = 1; i < NF; i++) print $i, $NF }' | sort)" \
    "$(sed -n 's/^ *\[LOTOR_CODE_[A-Z_]*\] = {"\([a-z_]*\)", \([0-9]*\)}.*/\1 \2/p' src/service/refusal.c | grep -v ' 200$' | sort)"

# The fields of a campaign, in the tutorial's table and in the specification.
last="docs/service.md"
same "fields of a campaign" "$(sed -n '/^| field | means/,/^$/s/^| \(`[^|]*`\) |.*/\1/p' docs/service.md | tr -d '`,' | tr ' ' '\n' | sort)" \
    "$(awk -F '"' '/^   "[A-Za-z]*": / { inside = $2 == "CampaignSpec" } inside && /^     "[a-z_]*": {/ { print $2 }' docs/openapi.json | sort)"
# The table in docs/choosing.md has every algorithm, and there are more than the front page says. (An exact number would
# be wrong with every new algorithm.)
last="README.md"
"$lotor" algorithms --json | grep -o '"id": "[^"]*"' | cut -d '"' -f 4 > "$folder/ids"
least=$(sed -n 's/.* more than \([0-9]*\) bandits.*/\1/p' README.md)
if [ "${least:-999}" -lt "$(wc -l < "$folder/ids")" ]; then pass; else blame "there are not more than '$least' bandits"; fi
last="docs/choosing.md"
same "algorithms in the table" "$(sed -n '/^| each round shows/,/^$/p' docs/choosing.md | grep -o '`[^`]*`' | tr -d '`' | sort)" "$(sort "$folder/ids")"

# --- the files -------------------------------------------------------------------------------------
says() { grep -qF -e "$1" docs/formats.md || blame "it does not say $1"; pass; }

last="docs/formats.md"
says "\`$(sed -n 's/^static const char magic\[.*\] = "\(.*\)";/\1/p' src/service/server_key/head.c)\`"
grep -q "{'l', 'o', 't', 'o', 'r', '.0'}" src/base/bytes.c || blame "the magic of saved bytes is another"
says "the version of the format: $(sed -n 's/.*LOTOR_BYTES_VERSION = \([0-9]*\).*/\1/p' src/base/bytes.h) |"
says "\`$(sed -n 's/.*APPLICATION_ID = \(0x[0-9a-f]*\).*/\1/p' src/service/store/driver_sqlite.c)\`"
says "\`user_version\` $(sed -n 's/.*LOTOR_SCHEMA_VERSION = \([0-9]*\).*/\1/p' src/service/store/store.h),"
for kind in $(sed -n 's/^static const char .*kind\[\] = "\([a-z]*\)";.*/\1/p' src/policy/save.c src/privacy/release/counter.c); do
    says "\`$kind\`"
done
for number in "LOTOR_TOKEN_LENGTH = 64" "LOTOR_SERVER_KEY_OVERHEAD = 40"; do
    grep -q "$number" src/service/server_key/server_key.h || blame "server_key.h does not have $number any more"
done
says "64 characters"
says "(40 bytes more)"
says "$(sed -n 's/.*LOTOR_KEY_LENGTH = \([0-9]*\).*/\1/p' src/service/http/keys.h) characters."

# Tables and columns of a new store. In PostgreSQL the names begin with lotor_.
if need sqlite3; then
    start_server s --store "$folder/s.db"
    kill "$server"
    wait "$server"
    tables=$(sqlite3 "$folder/s.db" "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")
    same "tables" "$(sed -n '/^| table | columns/,/^$/s/^| `\([a-z_]*\)` .*/\1/p' docs/formats.md)" "$tables"
    for table in $tables; do
        same "columns of $table" "$(sed -n "s/^| \`$table\` | \([^|]*\) |.*/\1/p" docs/formats.md | tr -d '\`')" \
            "$(sqlite3 "$folder/s.db" "SELECT group_concat(name, ', ') FROM pragma_table_info('$table')")"
    done
fi

# --- packages --------------------------------------------------------------------------------------
# scripts/deps installs build-essential and all packages that debian/control needs for a build.
last="debian/control"
needs=$(awk '/^[A-Z]/ { inside = sub(/^Build-Depends: /, "") } inside' debian/control | sed 's/([^)]*)//g; s/-compat//g' | tr ',\n' '  ')
[ "$(echo "$needs" | wc -w)" -ge 10 ] || blame "few packages were found"
for name in build-essential $needs; do
    grep -q "\<$name\>" scripts/deps || blame "scripts/deps does not install $name"
    pass
done

# --- outputs ---------------------------------------------------------------------------------------
run run ucb --means 0.6,0.5 --horizon 100 --runs 2 --json
keys=$(sed -n '/^`lotor run --json`/,/^$/p' docs/formats.md | tr '\n' ' ' | sed 's/.*--json`: //; s/;.*//' | tr -d '`,')
for key in $keys; do
    grep -q "\"$key\": " "$folder/out" || blame "lotor run --json has no $key"
done
[ "$(echo "$keys" | wc -w)" -eq 16 ] || blame "the list of its keys was not found"
for key in private reason model epsilon delta unit mechanism scale theorem assumes regret noise; do
    grep -q "\"guarantee\".*\"$key\": " "$folder/out" || blame "a guarantee has no $key"
    says "\`$key\`"
done

# --- the index -------------------------------------------------------------------------------------
last="docs/README.md"
for document in docs/*.md docs/*.json; do
    name=${document#docs/}
    [ "$name" = README.md ] || grep -qF "]($name)" docs/README.md || blame "it does not list $name"
    pass
done
# The list of commands has a line for every manual page of a command.
last="docs/cli.md"
for manual in man/lotor-*.1.md; do
    grep -qF "](../$manual)" docs/cli.md || blame "it does not list $manual"
    pass
done
# The table of folders has a row for every folder that git tracks, and for every room of src/.
last="CONTRIBUTING.md"
for name in $(git ls-files 2> /dev/null | sed -n 's#^\(src/[^/]*/\|[^/]*/\).*#\1#p' | sort -u); do
    grep -q "^|.*\`$name" CONTRIBUTING.md || blame "it does not say what $name is for"
    pass
done
# Documents and folders that a document names exist.
for page in README.md CONTRIBUTING.md docs/*.md man/*.md; do
    last=$page
    for name in $(grep -o '[`*(]\(docs\|src\|tests\|include\|examples\|scripts\|clients\|man\)/[A-Za-z0-9_./*-]*[`*)]' "$page" | tr -d '`()' | sed 's/^\*//; s/\*$//'); do
        case $name in
        *NAME*) continue ;;                                                # a name with a placeholder
        clients/*) [ -d "clients/$(echo "$name" | cut -d / -f 2)" ] || continue ;; # this copy of the sources does not have that client
        esac
        # shellcheck disable=SC2086 # the name may be a pattern
        ls -d $name > /dev/null 2>&1 || blame "it names $name, which is not there"
    done
    pass
done
finish
