# lotor.bash - completion of lotor in bash. Commands, options and their values are read from the command's own
# help, so there is nothing here to keep up to date.

# The commands, from "lotor help".
_lotor_commands()
{
    "$1" help 2> /dev/null | awk '/^Commands$/ { inside = 1; next } /^$/ { inside = 0 }
                                  inside && /^  [a-z]/ { print $1 }'
    echo help
}

# The options of a command, one on each line: --name [VALUE [choices]].
_lotor_options()
{
    "$1" help "$2" 2> /dev/null | awk '
        function tell() {
            if (name == "") return
            choices = match(text, /[a-z0-9-]+(\|[a-z0-9-]+)+( \(default|$)/) ? substr(text, RSTART, RLENGTH) : ""
            sub(/ \(default/, "", choices)
            gsub(/\|/, " ", choices)
            print name, value, choices
        }
        /^Options$/ { inside = 1; next }
        /^Examples$/ { tell(); exit }
        inside && /^  --/ {
            tell()
            name = $1
            value = match($0, /^  --[a-z-]+ [^ ]+/) ? $2 : ""
            text = substr($0, RSTART + RLENGTH)
            next
        }
        inside { sub(/^ +/, ""); text = text " " $0 }'
    echo --help
}

_lotor_algorithms()
{
    "$1" algorithms --json 2> /dev/null | grep -o '"id": "[^"]*"' | cut -d '"' -f 4
}

# A list with commas: what was typed before the last one stays.
_lotor_of_list()
{
    local before=
    [[ $2 == *,* ]] && before=${2%,*},
    compgen -P "$before" -W "$1" -- "${2##*,}"
}

# The values of an option: its choices, or what its placeholder stands for.
_lotor_values()
{
    local lotor=$1 option=$2 placeholder=$3 choices=$4 typed=$5
    if [[ -n $choices ]]; then
        compgen -W "$choices" -- "$typed"
    elif [[ $option == --instance ]]; then
        case $typed in
        graph:* | coverage:*) compgen -P "${typed%%:*}:" -f -- "${typed#*:}" ;;
        movielens:*) compgen -P "movielens:" -d -- "${typed#*:}" ;;
        *)
            compgen -W "c1 c2 c3 c4 c2-printed c4-printed table-6.1 grid:5x5 graph: coverage: movielens:" \
                -- "$typed"
            ;;
        esac
    elif [[ $option == --role ]]; then
        _lotor_of_list "rank reward read metrics admin" "$typed"
    elif [[ $option == --algorithm ]]; then
        compgen -W "$(_lotor_algorithms "$lotor")" -- "$typed"
    elif [[ $option == --verify ]]; then
        compgen -W "all $("$lotor" help audit 2> /dev/null | tr '\n' ' ' |
            sed -n 's/.*Mechanisms: \([^.]*\)\..*/\1/p' | sed 's/and these, which are known not to hold//' |
            tr -c 'a-z-' ' ')" -- "$typed"
    elif [[ $placeholder == DIR ]]; then
        compgen -d -- "$typed"
    elif [[ $placeholder == *FILE* || $placeholder == STORE ]]; then
        compgen -f -- "$typed"
    fi
}

# What a command takes beside its options.
_lotor_words()
{
    local lotor=$1 command=$2 typed=$3
    case $command in
    run) _lotor_of_list "$(_lotor_algorithms "$lotor")" "$typed" ;;
    audit) compgen -W "all $(_lotor_algorithms "$lotor")" -- "$typed" ;;
    reproduce)
        if [[ " ${COMP_WORDS[*]} " == *" --claims "* ]]; then
            compgen -W "all $("$lotor" reproduce --claims --json 2> /dev/null | grep -o '{"id": "[^"]*"' |
                cut -d '"' -f 4)" -- "$typed"
        else
            compgen -W "all $("$lotor" reproduce --list 2> /dev/null | cut -d ' ' -f 1)" -- "$typed"
        fi
        ;;
    sample) compgen -W "$("$lotor" help sample 2> /dev/null | tr '\n' ' ' | sed -n 's/.*LAW is \([^.]*\)\..*/\1/p' |
        sed 's/([^)]*)//g; s/ or / /g; s/:.*//' | tr ',' ' ')" -- "$typed" ;;
    movielens) compgen -d -- "$typed" ;;
    backup | check | move | audit-log) compgen -f -- "$typed" ;;
    key) ((cword == 2)) && compgen -W "list revoke" -- "$typed" ;;
    esac
}

_lotor()
{
    local lotor=${COMP_WORDS[0]} typed=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]} name placeholder choices
    COMPREPLY=()
    # A colon or an equals sign divides words for readline; here they do not.
    if declare -F _get_comp_words_by_ref > /dev/null; then
        local words cword
        _get_comp_words_by_ref -n := -w words -i cword
        typed=${words[cword]} before=${words[cword - 1]} command=${words[1]}
    else
        local cword=$COMP_CWORD
    fi
    if ((cword == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$(_lotor_commands "$lotor") --help --version" -- "$typed")
        return
    fi
    if [[ $command == help ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_lotor_commands "$lotor")" -- "$typed")
        return
    fi
    while read -r name placeholder choices; do
        if [[ $name == "$before" && -n $placeholder ]]; then
            mapfile -t COMPREPLY < <(_lotor_values "$lotor" "$name" "$placeholder" "$choices" "$typed")
            [[ $placeholder == *FILE* || $placeholder == DIR || $placeholder == STORE ]] && compopt -o filenames 2> /dev/null
            _lotor_after_colon "$typed"
            return
        fi
    done < <(_lotor_options "$lotor" "$command")
    if [[ $typed == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_lotor_options "$lotor" "$command" | cut -d ' ' -f 1)" -- "$typed")
    else
        mapfile -t COMPREPLY < <(_lotor_words "$lotor" "$command" "$typed")
        case $command in movielens | backup | check | move | audit-log) compopt -o filenames 2> /dev/null ;; esac
    fi
}

# Readline replaces what follows the last colon only.
_lotor_after_colon()
{
    declare -F __ltrim_colon_completions > /dev/null && __ltrim_colon_completions "$1"
}

complete -F _lotor lotor
