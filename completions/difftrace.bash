# bash completion for difftrace: commands, options and their values from its help, traces and functions from the run.

_difftrace_commands() {
    difftrace help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p'
}

_difftrace_options() {
    difftrace "$1" --help 2>/dev/null | grep -oE '(^  -[a-zA-Z], |^  )--[a-z-]+' | grep -oE -- '--[a-z-]+'
}

# What the help of command $1 has as argument of the option $2: "tz|parlot|raw", "P.T".
_difftrace_argument() {
    difftrace "$1" --help 2>/dev/null |
        sed -nE "s/^  (-[a-z], )?$2\\[?=([^ ]*).*/\\2/p; s/^  $2, --[a-z-]+\\[?=([^ ]*).*/\\1/p"
}

# The first directory on the line that is a run, else one of those that OUT/result.json names.
_difftrace_run() {
    local word
    for word in "${COMP_WORDS[@]:2}"; do
        [ -f "$word/manifest.json" ] && { printf '%s\n' "$word"; return; }
    done
    for word in "${COMP_WORDS[@]:2}" difftrace.out; do
        [ -f "$word/result.json" ] &&
            sed -n 's/^ *"faulty" *: *"\(\/.*\)",*$/\1/p' "$word/result.json" | head -n 1 && return
    done
}

_difftrace_traces() {
    local run
    run=$(_difftrace_run)
    [ -n "$run" ] && difftrace stats "$run" --by thread --tsv 2>/dev/null | sed '1d;s/\t.*//'
}

_difftrace_filters() {
    difftrace help nlr 2>/dev/null | sed -nE '/^FILTERS/,/^SEE/s/^    ([a-z]+:?)([A-Z].*|, .*|)$/\1/p'
}

_difftrace_functions() {
    local run
    run=$(_difftrace_run)
    [ -n "$run" ] && difftrace stats "$run" --tsv 2>/dev/null | cut -f 2 | sed 1d | grep -E '^[A-Za-z0-9_]+$'
}

# The words that may follow the option $2 of the command $1.
_difftrace_values() {
    local argument
    argument=$(_difftrace_argument "$1" "$2")
    case $argument in
    P.T) _difftrace_traces ;;
    FILTER) _difftrace_filters ;;
    *"|"*) tr '|' '\n' <<<"$argument" | grep '^[a-z]' ;;
    esac
}

_difftrace() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local words=
    COMPREPLY=()
    if [ "$word" = = ]; then # bash parts --NAME=VALUE at the sign
        word=
    elif [ "$before" = = ]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [ "$COMP_CWORD" -eq 1 ] || { [ "$COMP_CWORD" -eq 2 ] && [ "$command" = help ]; }; then
        words="$(_difftrace_commands) help --version"
    else
        case $before:$word in
        ::*) words=$(_difftrace_functions) ;; # and cust:NAME at the colon
        -*) words=$(_difftrace_values "$command" "$before") ;;
        esac
        case $words:$word in
        :-*) words=$(_difftrace_options "$command") ;;
        :*) [ "$command $before" = 'diffnlr diffnlr' ] && words=$(_difftrace_traces) ;; # then a result
        esac
    fi
    if [ -n "$words" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    fi
    if [ ${#COMPREPLY[@]} -eq 0 ]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}

complete -F _difftrace difftrace
