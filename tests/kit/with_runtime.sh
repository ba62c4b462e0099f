#!/bin/sh
# with_runtime.sh HOME PROGRAM [ARG]...: starts a portable build in a svc home that borrows the runtime of
# another one, since a new home unpacks its own, a second of work. tests/portable proves the unpacking.
lender=$1 program=$2
shift 2
home=${SVC_HOME:-${HOME:+$HOME/.svc}}
if [ -n "$home" ] && [ ! -e "$home/bin/runtime" ]; then
  # Where that cannot be done, the program itself says what is wrong with the home.
  (umask 077 && mkdir -p "$lender/bin/runtime" "$home/bin" &&
    ln -sn "$lender/bin/runtime" "$home/bin/runtime") 2>/dev/null
fi
exec "$program" "$@"
