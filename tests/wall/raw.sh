#!/bin/sh
# raw.sh FOLDER... - prints each C file below the folders that uses an identifier of raw values, with the
# identifiers: feedback as it came or encoded, contexts, raw sums. Exits with 1 if there is one.
#
# Comments and texts are not searched: names of JSON fields and messages are allowed.
set -eu

# One extended regular expression a line, each matched as a whole identifier or expression.
identifiers='
lotor_feedback
lotor_encode
lotor_decode
lotor_encoding[a-z_]*
lotor_coder[a-z_]*
lotor_inbox[a-z_]*
lotor_waiting_table[a-z_]*
lotor_feedback_item
lotor_feedback_list_(begin|add|add_reward|name|at)
lotor_intake_(make|coder|find|drop|seal|open|seal_rows|open_rows|seal_action|open_action)
lotor_policy_(choose|observe|encode|encode_report|enter|save|load|width)
lotor_policy_bits_of
lotor_randomize
lotor_randomizer_report
lotor_drawn_(answer|units)
LOTOR_FORM_(REWARDS|CLICK|REPORT)
LOTOR_SEAL_(STATE|FEEDBACK|ACTION)
json_number_value
json_real_value
units
(->|\.) *(click|rewards)
(kept|display)(->|\.) *action
double *\* *(action|actions|context|contexts|reward|rewards|asked|row|rows)
double (reward|action)
'
# Exceptions: the end of a path, then the identifier that this file may use.
exceptions='
engine/guarantee.c json_number_value
'
# (guarantee.c: the time of a rollback.)

pattern=$(printf '%s\n' "$identifiers" | sed '/^$/d' | paste -s -d '|')

# The code of a file without comments, texts and characters.
code() {
    awk '
    BEGIN { in_comment = 0 }
    {
        out = ""
        for (i = 1; i <= length($0); i++) {
            c = substr($0, i, 1); two = substr($0, i, 2)
            if (in_comment) {
                if (two == "*/") { in_comment = 0; i++ }
            } else if (two == "/*") {
                in_comment = 1; i++
            } else if (two == "//") {
                break
            } else if (c == "\"" || c == "\047") {
                quote = c
                for (i++; i <= length($0) && substr($0, i, 1) != quote; i++)
                    if (substr($0, i, 1) == "\\") i++
                out = out quote quote
            } else {
                out = out c
            }
        }
        print out
    }' "$1"
}

is_fine() { # FILE IDENTIFIER
    [ -z "$2" ] && return 0
    printf '%s\n' "$exceptions" | while read -r path identifier; do
        case $1 in
        *"/$path") [ "$2" = "$identifier" ] && echo fine ;;
        esac
    done | grep -q fine
}

failed=0
for folder in "$@"; do
    for file in $(find "$folder" -name '*.[ch]' 2>/dev/null | sort); do
        found=$(code "$file" | grep -oE "(^|[^A-Za-z0-9_])($pattern)([^A-Za-z0-9_]|$)" |
            sed 's/^[^A-Za-z_]*//; s/[^A-Za-z0-9_]*$//' | sort -u) || true
        left=$(printf '%s\n' "$found" | while read -r identifier; do
            is_fine "$file" "$identifier" || printf ' %s' "$identifier"
        done)
        if [ -n "$left" ]; then
            echo "$file:$left"
            failed=1
        fi
    done
done
exit "$failed"
