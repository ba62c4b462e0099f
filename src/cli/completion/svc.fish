# Completion of svc for fish 3.1 or newer.
#   this session:   svc completion fish | source
#   every session:  svc completion fish > ~/.config/fish/completions/svc.fish

function __svc_complete
    set -l words (commandline -opc)
    set -l token (commandline -ct)
    set -l word (string unescape -- "$token"; or printf '%s\n' "$token")
    set -e words[1]
    set -l lines (svc __complete -- $words "$word" 2>/dev/null </dev/null)
    set -l delegate "$lines[1]"
    set -e lines[1]
    for line in $lines
        printf '%s\n' $line
    end

    switch "$delegate"
        case files
            set -l flag (string match -r -- '^--[a-z0-9-]+=' "$token")
            set -l path (string replace -- "$flag" '' "$token")
            for line in (complete -C "'' $path")
                printf '%s\n' "$flag$line"
            end
        case command arguments
            set -l at (contains -i -- -- $words)
            complete -C (string join ' ' -- (string escape -- $words[(math $at + 1)..-1]) "$token")
    end
end

complete -c svc -e
complete -c svc -f -a '(__svc_complete)'
