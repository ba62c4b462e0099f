# Completion of svc for Bash 4.4 or newer; it needs no other package.
#   this session:   source <(svc completion bash)
#   every session:  echo 'source <(svc completion bash)' >> ~/.bashrc

_svc() {
  local IFS=$' \t\n' line=${COMP_LINE:0:COMP_POINT} char quote='' word='' begun='' redirect=''
  # Readline replaces only what follows the last word break or open quote: `cut` counts what it keeps.
  local -i i cut=0 outer=0
  local -a words=()
  for ((i = 0; i < ${#line}; i++)); do
    char=${line:i:1}
    if [[ -n $quote && $char == "$quote" ]]; then
      quote='' cut=$outer
    elif [[ $quote == "'" ]]; then
      word+=$char
    elif [[ $char == \\ ]]; then
      i+=1 char=${line:i:1} begun=1
      [[ $quote == '"' && $char != [\"\\\$\`] ]] && word+=\\
      word+=$char
    elif [[ -n $quote ]]; then
      word+=$char
    elif [[ $char == [\'\"] ]]; then
      quote=$char outer=$cut cut=${#word} begun=1
    elif [[ $char == [[:space:]\<\>] ]]; then
      # The number before a redirection and the file behind it are no words of svc.
      [[ $char == [\<\>] && $word != *[!0-9\&]* ]] && begun=''
      [[ -n $begun && -z $redirect ]] && words+=("$word")
      [[ -n $begun ]] && redirect=''
      [[ $char == [\<\>] ]] && redirect=yes
      word='' begun='' cut=0
    else
      word+=$char begun=1
      [[ $COMP_WORDBREAKS == *"$char"* ]] && cut=${#word}
    fi
  done

  local delegate='' value about listing=''
  local -i width=0
  local -a values=() abouts=()
  if [[ -n $redirect ]]; then
    delegate=files
  else
    {
      IFS= read -r delegate
      while IFS=$'\t' read -r value about; do
        # What is typed within quotes is escaped for them, anything else for the bare command line.
        value=${value:cut}
        if [[ $quote == "'" ]]; then
          value=${value//\'/\'\\\'\'}
        elif [[ $quote == '"' ]]; then
          value=${value//\\/\\\\} value=${value//\"/\\\"}
          value=${value//\$/\\\$} value=${value//\`/\\\`}
        else
          printf -v value %q "$value"
        fi
        # Readline closes the quote, unless the value happens to end in it.
        [[ -n $quote && $value == *"$quote" ]] && value+=$quote
        values+=("$value") abouts+=("$about")
        ((${#value} > width)) && width=${#value}
      done
    } < <(svc __complete -- "${words[@]:1}" "$word" 2>/dev/null </dev/null)
  fi

  # Descriptions are for lists alone: 63 lists after a second TAB, 33 and 64 list and insert at once.
  [[ $COMP_TYPE == 63 || -z $quote && $COMP_TYPE == @(33|64) ]] && listing=${values[1]-}
  COMPREPLY=()
  for i in "${!values[@]}"; do
    value=${values[i]}
    if [[ -n $listing && -n ${abouts[i]} ]]; then
      printf -v value '%-*s  (%s)' "$width" "$value" "${abouts[i]}"
      value=${value:0:${COLUMNS:-80}-1}
    fi
    COMPREPLY+=("$value")
  done
  if [[ $delegate == command && $cut == 0 && $word != */* ]]; then
    mapfile -t COMPREPLY < <(compgen -c -- "$word")
  fi
  [[ -n $delegate ]] && compopt -o default 2>/dev/null
}
complete -F _svc svc
