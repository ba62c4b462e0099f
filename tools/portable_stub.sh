#!/bin/sh
# svc @VERSION@, portable: this script, then a gzipped tar of Deno and the program. The first start
# unpacks it, verified and atomically; later starts only run what was unpacked.
set -u
fail() {
  printf 'svc: %s\ntry: %s\n' "$1" "$2" >&2
  exit 5
}
# Deno ends with a stack trace there; a job's work tree goes once its ticket is done.
[ . -ef "${PWD:-}" ] || [ "$(pwd -P 2>/dev/null)" ] ||
  fail 'Cannot run in the current folder: it was removed' 'cd'
home=${SVC_HOME:-${HOME:+$HOME/.svc}}
case $home in
  /*) ;;
  *) [ -n "${SVC_HOME:-}" ] && found="SVC_HOME is \"$SVC_HOME\"" || found="HOME is \"${HOME:-}\""
    fail "Cannot find the svc home: $found, not an absolute path" 'export SVC_HOME=/absolute/folder' ;;
esac
# A file that may grow no further (ulimit -f) is then an error that svc tells, and no end without a word.
trap '' XFSZ
runtimes=$home/bin/runtime
# Deno keeps what it compiled by path: homes whose links lead to one folder share that, too.
[ -h "$runtimes" ] && linked=$(cd -P -- "$runtimes" 2>/dev/null && pwd) && runtimes=$linked
runtime=$runtimes/@HASH@
# A cleaner takes files that are old, a copy of the home may lose modes and what is in them: an empty Deno
# would run as a script that does nothing, and call it a success.
whole() { [ -s "$runtime/deno" ] && [ -x "$runtime/deno" ] && [ -s "$runtime/main.js" ]; }
# Each version unpacks 130 MB: the newest three stay, and those of the last week or that a process runs.
# Any svc that needs one again unpacks it again.
drop_old() {
  [ -e /proc/self/exe ] || return 0
  ls -t "$runtimes" | grep -x '[0-9a-f]\{64\}' | tail -n +4 | while read -r old; do
    [ -n "$(find "$runtimes/$old" -prune -mtime +7)" ] || continue
    ls -l /proc/[0-9]*/exe 2>/dev/null | grep -qF "/$old/deno" || mv "$runtimes/$old" "$work/"
  done
}
unpack() {
  for needed in tar gzip; do
    command -v "$needed" >/dev/null || fail "Cannot unpack svc: there is no \"$needed\" here" "install $needed"
  done
  usual=$(umask)
  umask 077
  mkdir -p "$runtimes" 2>/dev/null || {
    # As root's svc leaves it where sudo kept HOME.
    [ ! -d "$home" ] || [ -O "$home" ] || fail "Cannot use \"$home\": it belongs to another user" \
      "sudo chown -R $(id -u) \"$home\", or set SVC_HOME to a folder of your own"
    fail "Cannot create \"$runtimes\"" 'make the folder writable, or set SVC_HOME to one that is'
  }
  # Containers may share a home: a process id counts only where it was given, and each has a process 1.
  space=$(readlink /proc/self/ns/pid 2>/dev/null | tr -cd 0-9)
  work=$runtimes/.unpack-$space-$$
  for left in "$runtimes"/.unpack-*; do
    case ${left##*/} in
      .unpack-"$space"-"$$") rm -rf "$left" ;;
      .unpack-"$space"-*) kill -0 "${left##*-}" 2>/dev/null || rm -rf "$left" ;;
      *) [ -z "$(find "$left" -prune -mmin +60 2>/dev/null)" ] || rm -rf "$left" ;;
    esac
  done
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM HUP
  mkdir "$work" && tail -c +@OFFSET@ "$0" >"$work/payload" 2>/dev/null ||
    fail "Cannot unpack svc into \"$work\"" 'free some space there (200 MB), see that files may grow (ulimit -f), or set SVC_HOME'
  if command -v sha256sum >/dev/null; then found=$(sha256sum <"$work/payload")
  else found=$(shasum -a 256 <"$work/payload"); fi
  [ "${found%% *}" = @HASH@ ] ||
    fail "Cannot run \"$0\": its content does not match its checksum" 'install svc again'
  mkdir "$work/runtime" && tar -xzf "$work/payload" -C "$work/runtime" 2>/dev/null ||
    fail "Cannot unpack svc into \"$work\"" 'free some space there (200 MB), see that files may grow (ulimit -f), or set SVC_HOME'
  # In a subshell, so that it is the shell that says why: another libc or processor, a mount without programs.
  why=$( ("$work/runtime/deno" --version) 2>&1 >/dev/null) ||
    fail "Cannot start Deno, in which svc runs: ${why##*[0-9]: }" \
      'use Linux with glibc 2.27 (Alpine has another libc), and for SVC_HOME a disk that may hold programs (no noexec)'
  # Before it has its name: a power cut soon after would leave files that are empty, or cut.
  sync -f "$work/runtime" 2>/dev/null || sync 2>/dev/null
  whole || mv "$runtime" "$work/damaged" 2>/dev/null
  # Renaming is atomic, and with -n -T the loser of a race neither replaces nor nests.
  mv -nT "$work/runtime" "$runtime" 2>/dev/null || [ -d "$runtime" ] || mv "$work/runtime" "$runtime"
  # Never made here: an empty file in its place, while another start replaces it, would keep that one's out.
  touch -c "$runtime" 2>/dev/null
  drop_old 2>/dev/null
  rm -rf "$work"
  trap - EXIT INT TERM HUP
  umask "$usual"
}
whole || unpack
# Of several that found it damaged at once, one may have taken away what another had just put there.
whole || unpack
[ -O "$runtime" ] || {
  # Root can take the folder away, and what root puts there the user cannot.
  [ "$(id -u)" = 0 ] && way='run svc as that user, or set SVC_HOME to a folder of your own' || way="sudo rm -r \"$runtime\""
  fail "Cannot run \"$runtime\": it belongs to another user" "$way"
}
# Two arenas of malloc, a small nursery of V8, no early collection: docs/decisions/0082-sources-and-heaps.md.
DENO_DIR=$runtime/cache DENO_NO_UPDATE_CHECK=1 DENO_NO_PROMPT=1 MALLOC_ARENA_MAX=2
export DENO_DIR DENO_NO_UPDATE_CHECK DENO_NO_PROMPT MALLOC_ARENA_MAX
exec "$runtime/deno" run -A -q --no-config --no-lock --cached-only --unstable-worker-options \
  --v8-flags=--max-semi-space-size=1,--initial-heap-size=48 "$runtime/main.js" "$@"
exit 5
