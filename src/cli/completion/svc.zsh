#compdef svc
# Completion of svc for Zsh 5.3 or newer.
#   this session:   source <(svc completion zsh)
#   every session:  echo 'source <(svc completion zsh)' >> ~/.zshrc
#   or by fpath:    svc completion zsh > a folder of $fpath/_svc

_svc() {
  local delegate line value kept='' quote=$compstate[quote]
  local -i at
  local -a typed lines items
  typed=("${(@Q)words[2,CURRENT-1]}" "${(Q):-$quote$PREFIX$quote}")
  lines=("${(@f)$(svc __complete -- "${(@)typed}" 2>/dev/null </dev/null)}")
  delegate=$lines[1]
  compset -P '--[a-z0-9-]##=' && kept=$IPREFIX

  for line in "${(@)lines[2,-1]}"; do
    value=${${line%%$'\t'*}#"$kept"}
    value=${value//\\/\\\\}
    items+=("${value//:/\\:}${${(M)line:#*$'\t'*}:+:${line#*$'\t'}}")
  done
  (( $#items )) && _describe -t values 'svc' items && return

  case $delegate in
    files) _files ;;
    command | arguments)
      at=$words[(i)--]
      words=("${(@)words[at+1,-1]}")
      (( CURRENT -= at ))
      _normal
      ;;
    *) return 1 ;;
  esac
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _svc "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _svc svc
fi
