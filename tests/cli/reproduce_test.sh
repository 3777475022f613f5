# reproduce_test.sh - lotor reproduce: the list of figures, the files that are written, and resuming
# after a stop. tests/test_verdict.c checks what the figures show. This test plays small figures at the
# quick scale.
. "$(dirname "$0")/lib.sh"
report=$folder/report

# --- the list ---
run reproduce --list
status 0
no_err
out '^sajed-6\.1 +Sajed 2019, Figure 6\.1: '
out '^chandak-table-6\.2 '
lines=$(wc -l < "$folder/out")
run reproduce --list --json
status 0
json
same "as many in JSON" "$(grep -o '"id": ' "$folder/out" | wc -l)" "$lines"

run reproduce --list nonsense
status 2
no_out
err 'give no ids'

# --- the claims ---
run reproduce --claims
status 0
no_err
out '^Sajed 2019$'
out '^sajed-thm-3\.2\.1 +privacy +holds \(proved\)$'
out '^    Theorem 3\.2\.1: '
out '^    - played by sajed-6\. \([0-9]+ figures\): "dp-se is at least 5 times better'
out '^    - tested by tests/test_verify\.c: sparse_holds$'
out '^    - proved in docs/mathematics\.md, "2\. One argument for all"$'
out '^    - see docs/errata\.md, 27$'
out '^    - cited from Hoeffding 1963$'
out '^    - not checked: '
out '^All papers: [0-9]+ claims; by its figures: '
same "lines over 100 columns" "$(awk 'length > 100' "$folder/out" | wc -l)" 0
ids=$(grep -cE '^(sajed|chandak|wang|chen|shariff)-[^ ]+ +(privacy|regret|bound|experiment|auxiliary) +[a-z]' "$folder/out")
tally=$(sed -n 's/^All papers: \([0-9]*\) claims.*/\1/p' "$folder/out")
same "claims in the tally" "$tally" "$ids"
run reproduce --claims --json
status 0
json
same "as many in JSON" "$(grep -o '{"id": ' "$folder/out" | wc -l)" "$ids"
out '"way": "figure", "name": "chandak-6\.2", "part": "it returns less .*", "figures": \["chandak-6\.2a", "chandak-6\.2b"\]'
run reproduce --claims chen-thm-4 wang-thm-1
status 0
out '^chen-thm-4 +regret +false as stated$'
out '^wang-thm-12 +bound '
same "asked" "$(grep -cE '^(sajed|chandak|shariff)-' "$folder/out")" 0
run reproduce --claims sajed-thm-9
status 2
no_out
err 'no claim begins with "sajed-thm-9"'
run reproduce --claims --list
status 2
no_out
err 'give one of them'

# --- refusals: nothing is played ---
run reproduce
status 2
no_out
err 'no figures are given'
run reproduce sajed-6.11 --out "$report"
status 2
err '"sajed-6\.11": did you mean sajed-6\.1\?'
run reproduce "$(printf 'a\033b')" --out "$report"
status 2
err 'a\\x1bb'
run reproduce chandak-2.1 --scale tiny
status 2
err 'tiny'
run reproduce chandak-2.1 --threads 0 --out "$report"
status 2
err 'threads "?0'
run reproduce chandak-2.1 --out ''
status 2
err 'out ""'
if [ -e "$report" ]; then blame "a folder was made"; else pass; fi
: > "$folder/file"
run reproduce chandak-2.1 --out "$folder/file"
status 1
err 'not a folder'
run reproduce chandak-2.1 --out "$folder/file/below"
status 1
err 'could not be made'

# A folder that can't be written to is reported before anything is played. (Root may write anywhere,
# except to a file whose name is that of a folder.)
mkdir -p "$folder/taken/.probe.partial"
run reproduce shariff-2 --scale paper --out "$folder/taken"
status 1
no_out
err 'taken": nothing can be written there: '

# --- a figure, its files, its line ---
run reproduce chandak-2.1 chandak-6.1a --out "$report/deep" --seed 5
status 0
no_err
out '^chandak-2\.1 +1 of 1 checks hold +[0-9.]+ s$'
out '^chandak-6\.1a +[0-9]+ of [0-9]+ checks hold +[0-9.]+ s  provisional: 20 of 100 runs$'
out '^Chandak 2023, 2 figures$'
out '^    checks: [0-9]+ of [0-9]+ hold'
out '^2 figures in [0-9.]+ s; verdicts are provisional, .*; see .*/report/deep/index\.html$'
for file in index.html summary.md chandak-2.1.csv chandak-2.1.svg chandak-6.1a.csv chandak-6.1a.svg; do
    if [ -s "$report/deep/$file" ]; then pass; else blame "no $file"; fi
done
same "files left over" "$(find "$report" -name '*.partial' | wc -l)" 0
csv=$report/deep/chandak-6.1a.csv
same "columns" "$(grep -v '^#' "$csv" | head -1)" "panel,curve,x,mean,stderr"
same "seed" "$(sed -n 's/^# seed: //p' "$csv")" 5
same "scale" "$(sed -n 's/^# scale: //p' "$csv")" quick
if grep -q chandak-6.1a "$report/deep/index.html"; then pass; else blame "not in the page"; fi

# The page has the paper's story and headline, typeset numbers, and loads nothing.
page=$report/deep/index.html
for part in 'id="paper-chandak"' '<p class="headline">[0-9] of [0-9] checks hold (provisional: --scale paper' \
    '<b>table-6.1</b>: .*(1, 0, 0) 0.8, (0, 1, 0) 0.75' '10,000 rounds · 20 runs' 'provisional: 20 of 100 runs' \
    '1/2 − ε/4' '<code>dpucb-mat</code>'; do
    if grep -q -e "$part" "$page"; then pass; else blame "the page lacks $part"; fi
done
for part in 'http' '<script' ' epsilon' '[0-9]e[+-]0' 'times as much'; do
    if grep -q -e "$part" "$page"; then blame "the page has $part"; else pass; fi
done

# The summary: where and how it was played, a tally per paper, a row per claim.
summary=$report/deep/summary.md
same "paragraph" "$(sed -n 3p "$summary" | cut -c1-39)" "This page is for readers of the papers,"
same "seed" "$(sed -n 's/^- Seed: //p' "$summary")" 5
same "scale" "$(sed -n 's/^- Scale: //p' "$summary")" quick
same "date" "$(sed -n 's/^- Date: \(20..-..-..\)$/\1/p' "$summary" | wc -l)" 1
same "machine" "$(grep -c '^- Machine: .*, [0-9]* cores*$' "$summary")" 1
same "tally" "$(grep -c '^| Chandak 2023 |  | 3 | [0-3] | ' "$summary")" 1
same "claims" "$(grep -c '^| Figure [26]\.1.*hold' "$summary")" 4
host=$(uname -n)
if [ -n "$host" ] && grep -q -w -F -e "$host" "$summary"; then blame "the machine's name"; else pass; fi

# The same seed gives the same points on any number of threads. Another seed gives other points.
run reproduce chandak-6.1a --out "$folder/again" --seed 5 --threads 1
same "threads" "$(grep -v seconds "$folder/again/chandak-6.1a.csv")" "$(grep -v seconds "$csv")"
run reproduce chandak-6.1a --out "$folder/again" --seed 6
if [ "$(grep -v '^#' "$folder/again/chandak-6.1a.csv")" = "$(grep -v '^#' "$csv")" ]; then
    blame "another seed gives the same"
else
    pass
fi

# --- figures by the first letters of their ids; JSON ---
run reproduce chandak-6.1 --out "$folder/json" --json
status 0
json
no_err
out '^\[\{"id": "chandak-6\.1a", "paper": "Chandak 2023", "verdict": "'
out '^\{"id": "chandak-6\.1b", .*"kept": false, "scale": "quick", "seed": 1, .*"checks": \[\{"claim": '
same "figures" "$(grep -o '"id": ' "$folder/out" | wc -l)" 2

# --- resume: finished figures with the same settings are kept; damaged or different ones are played
# again ---
before=$(cat "$csv")
run reproduce chandak-2.1 chandak-6.1a chandak-6.1b --out "$report/deep" --seed 5 --resume
status 0
no_err
out '^chandak-6\.1a .* s \(kept\)  provisional: '
out '^chandak-6\.1b .* s  provisional: '
same "kept as it was" "$(cat "$csv")" "$before"
run reproduce chandak-6.1b --out "$report/deep" --seed 5 --resume
for id in chandak-2.1 chandak-6.1a chandak-6.1b; do
    if grep -q "$id" "$report/deep/index.html"; then pass; else blame "the page lost $id"; fi
done
head -c 300 "$csv" > "$folder/cut" && cp "$folder/cut" "$csv"
run reproduce chandak-6.1a --out "$report/deep" --seed 5 --resume
status 0
err 'chandak-6\.1a is played again: '
same "played again" "$(grep -v seconds "$csv")" "$(echo "$before" | grep -v seconds)"
run reproduce chandak-6.1a --out "$report/deep" --seed 9 --resume
status 0
err 'another seed'

# A line is removed, and the count is corrected.
csv=$report/deep/chandak-6.1b.csv
before=$(cat "$csv")
points=$(sed -n 's/^# points: //p' "$csv")
sed "\$d; s/^# points: .*/# points: $((points - 1))/" "$csv" > "$folder/cut" && cp "$folder/cut" "$csv"
run reproduce chandak-6.1b --out "$report/deep" --seed 5 --resume
status 0
err 'chandak-6\.1b is played again: .*not those that are played'
same "played again" "$(grep -v seconds "$csv")" "$(echo "$before" | grep -v seconds)"

# Another scale is refused before anything is overwritten. Without --resume, it is played.
run reproduce chandak-6.1b chandak-2.1 --scale paper --out "$report/deep" --seed 5 --resume
status 2
no_out
err 'chandak-2\.1 in .* was played at the quick scale; use --scale quick, or give another --out'
same "not touched" "$(grep -v seconds "$csv")" "$(echo "$before" | grep -v seconds)"

# --- equal experiments are played once: alone, after another figure, after a figure that was kept
# ---
run reproduce chandak-6.2a --out "$folder/alone"
run reproduce chandak-6.1a chandak-6.2a --out "$folder/both"
same "in one go" "$(grep -v '^# seconds' "$folder/both/chandak-6.2a.csv")" \
    "$(grep -v '^# seconds' "$folder/alone/chandak-6.2a.csv")"
rm "$folder/both/chandak-6.2a.csv"
run reproduce chandak-6.2a --out "$folder/both" --resume
same "from a kept one" "$(grep -v '^# seconds' "$folder/both/chandak-6.2a.csv")" \
    "$(grep -v '^# seconds' "$folder/alone/chandak-6.2a.csv")"
# The kept figure is changed, to check that its points are copied and not played again.
number=$(sed -n 's/^,omm,10000,\([^,]*\),.*/\1/p' "$folder/both/chandak-6.1a.csv")
sed "s/^,omm,10000,[^,]*,/,omm,10000,1.5,/" "$folder/both/chandak-6.1a.csv" > "$folder/cut"
cp "$folder/cut" "$folder/both/chandak-6.1a.csv" && rm "$folder/both/chandak-6.2a.csv"
run reproduce chandak-6.2a --out "$folder/both" --resume
same "taken" "$(grep -c '^,omm,10000,1.5,' "$folder/both/chandak-6.2a.csv")" 1
if [ -n "$number" ] && [ "$number" != 1.5 ]; then pass; else blame "no number was changed"; fi

# --- MovieLens ---
mkdir "$folder/movies"
run reproduce chandak-table-6.2 --movielens "$folder/movies" --out "$folder/ml"
status 1
no_out
err 'the file .*/movies/ratings\.dat. does not exist'
printf '1::1::5::978300760\n2::1::3::978300760\n2::2::3::978300760\n' > "$folder/movies/ratings.dat"
run reproduce chandak-table-6.2 --movielens "$folder/movies" --out "$folder/ml"
status 1
err 'the file .*/movies/movies\.dat. does not exist'
run reproduce chandak-table-6.2 --out "$folder/ml" --json
status 0
json
out '"remark": "on a generated look-alike of MovieLens 1M, not on the data set"'
if [ -s "$folder/ml/.movielens/ratings.dat" ]; then pass; else blame "no look-alike"; fi
out '"measured": "on the look-alike, as an illustration: dpucb-mat: [0-9]+ of the best 17 are among the 17 that its first run showed most'
same "names in the file" "$(grep -c '^# name: ' "$folder/ml/chandak-table-6.2.csv")" 100
if grep -q 'class="sets"' "$folder/ml/index.html"; then pass; else blame "no table of movies"; fi
# A damaged look-alike is made again, and the damaged files are renamed. The numbers are the same.
cp "$folder/ml/chandak-table-6.2.csv" "$folder/table.csv"
whole=$(cksum < "$folder/ml/.movielens/ratings.dat")
printf '1::1::5::978300760\n' > "$folder/ml/.movielens/ratings.dat"
run reproduce chandak-table-6.2 --out "$folder/ml"
status 0
same "made again" "$(cksum < "$folder/ml/.movielens/ratings.dat")" "$whole"
same "set aside" "$(wc -l < "$folder/ml/.movielens/ratings.dat.damaged")" 1
same "same numbers" "$(grep -v '^# seconds' "$folder/ml/chandak-table-6.2.csv")" \
    "$(grep -v '^# seconds' "$folder/table.csv")"
run reproduce chandak-table-6.2 --out "$folder/ml2" --movielens "$folder/ml/.movielens" --json
status 0
out '"remark": "on the MovieLens files in .*/\.movielens\\?"'
# If the files of the data set have changed, the figure is played again. If not, it is kept.
run reproduce chandak-table-6.2 --out "$folder/ml2" --movielens "$folder/ml/.movielens" --resume
status 0
no_err
out '^chandak-table-6\.2 .* \(kept\)'
cp -r "$folder/ml/.movielens" "$folder/own"
echo '1::1::5::978300760' >> "$folder/own/ratings.dat"
mv "$folder/ml/.movielens" "$folder/before" && mv "$folder/own" "$folder/ml/.movielens"
run reproduce chandak-table-6.2 --out "$folder/ml2" --movielens "$folder/ml/.movielens" --resume
status 0
err 'chandak-table-6\.2 is played again: .*other data'
# If no figure could be played, no page is written.
mkdir "$folder/none"
: > "$folder/none/.movielens"
run reproduce chandak-table-6.2 --out "$folder/none"
status 1
out '^no figure could be played$'
no_page=$(grep -c index.html "$folder/out")
same "no page" "$no_page" 0

# --- Ctrl-C: status 130, and the finished figures are there --- Figures come in the order of the
# table: Chandak's formula takes no time, Shariff's 5e7 rounds do.
last='lotor reproduce, interrupted'
# (A command that a shell runs in the background would ignore SIGINT.)
env --default-signal=INT "$lotor" reproduce shariff-2 chandak-2.1 --scale paper --out "$folder/stopped" \
    > "$folder/out" 2> "$folder/err" &
reproducing=$!
await 60 test -s "$folder/stopped/chandak-2.1.svg" || blame "the first figure does not come"
kill -INT $reproducing
wait $reproducing
code=$?
status 130
out '^chandak-2\.1 '
err 'stopped: .* --resume'
for file in index.html summary.md chandak-2.1.csv chandak-2.1.svg; do
    if [ -s "$folder/stopped/$file" ]; then pass; else blame "no $file"; fi
done
if [ -e "$folder/stopped/shariff-2.csv" ]; then blame "half a figure was kept"; else pass; fi
same "left over" "$(find "$folder/stopped" -name '*.partial' | wc -l)" 0
run reproduce chandak-2.1 --scale paper --out "$folder/stopped" --resume
status 0
out '^chandak-2\.1 .* \(kept\)$'
finish
