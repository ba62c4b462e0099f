#!/bin/sh
# Installs the browser, shells, HTTP clients, proxies, sandbox and other programs that the tests drive
# and that this machine lacks: as root, from Debian's packages. Elsewhere it says so, and succeeds: tests
# of shells, of how-to pages and of the sandbox are then ignored, those of the browser, of clients and of
# the proxy fail. With the argument `chromium` it installs the browser alone.
set -u
PATH=$PATH:/usr/sbin
missing=
[ -x "${SVC_CHROMIUM:-/usr/bin/chromium}" ] || missing=" chromium fonts-liberation"
if [ "${1-}" != chromium ]; then
  programs="script zsh fish shellcheck tcsh ksh mksh curl python3 openssl patch nginx bwrap sqlite3 caddy faketime"
  for program in $programs mandoc systemd-analyze; do
    command -v "$program" >/dev/null || missing="$missing $program"
  done
  # The library under llama.cpp's server; a test compiles a server over it where there is a compiler.
  if command -v g++ >/dev/null && [ ! -e /usr/include/httplib.h ]; then
    missing="$missing libcpp-httplib-dev"
  fi
  # The database server that a fleet shares; its tests are skipped without it.
  if ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
    missing="$missing postgresql"
  fi
  # A pooler before it; without it the tests of poolers are skipped.
  command -v pgbouncer >/dev/null || missing="$missing pgbouncer"
fi
[ -n "$missing" ] || exit 0
packages=$(printf '%s' "$missing" | sed 's/ script/ bsdutils/; s/ ksh/ ksh93u+m/; s/ nginx/ nginx-light/; s/ bwrap/ bubblewrap/; s/ systemd-analyze/ systemd/')
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  echo "installing from Debian's packages:$packages" >&2
  # Debian starts the servers that it installs, unless this file says no (deb-systemd-invoke(1p)).
  if [ ! -e /usr/sbin/policy-rc.d ]; then
    printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
    chmod 755 /usr/sbin/policy-rc.d
    trap 'rm -f /usr/sbin/policy-rc.d' EXIT
  fi
  # shellcheck disable=SC2086 # a list of names
  if { apt-get -qq update && apt-get -qq install --no-install-recommends $packages; } >/dev/null 2>&1; then
    exit 0
  fi
fi
echo "tests that need$missing are skipped or fail; try: apt-get install$packages" >&2
