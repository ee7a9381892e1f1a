# bash completion for difftrace: commands and options from its help, traces and functions from the run.

_difftrace_commands() {
    difftrace help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

_difftrace_options() {
    difftrace help "$1" 2>/dev/null | grep -oE '(^  -[a-zA-Z], |^  )--[a-z-]+' | grep -oE -- '--[a-z-]+'
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
    difftrace help nlr 2>/dev/null | sed -n '/^Filters keep/,$s/^  \([a-z]*:\{0,1\}\).*/\1/p'
}

_difftrace_functions() {
    local run
    run=$(_difftrace_run)
    [ -n "$run" ] && difftrace stats "$run" --tsv 2>/dev/null | cut -f 2 | sed 1d | grep -E '^[A-Za-z0-9_]+$'
}

_difftrace() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local words=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ] || { [ "$COMP_CWORD" -eq 2 ] && [ "$command" = help ]; }; then
        words="$(_difftrace_commands) help --version"
    else
        case $before in
        -t | --trace) words=$(_difftrace_traces) ;;
        -f | --filter) words=$(_difftrace_filters) ;;
        :) words=$(_difftrace_functions) ;; # bash parts cust:NAME at the colon
        -a | --attr) words="sing.actual sing.log10 sing.noFreq doub.actual doub.log10 doub.noFreq" ;;
        --nlr) words="plain count-blind call-tree" ;;
        --linkage) words="single complete average weighted centroid median ward" ;;
        --of) words="normal faulty diff" ;;
        --by) words="function edge process thread" ;;
        --format) words="text tsv json dot svg cxt" ;;
        --from) [ "$command" = import ] && words="parlot text uftrace" ;;
        --engine) words="native pin" ;;
        --codec) words="tz parlot raw" ;;
        --to) words="chrome folded callgrind dot csv" ;;
        *)
            case $word in
            -*) words=$(_difftrace_options "$command") ;;
            *) [ "$command" = diffnlr ] && words=$(_difftrace_traces) ;;
            esac
            ;;
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
