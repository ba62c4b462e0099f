#!/bin/sh
# Installs the Chromium that the browser tests drive, where this machine lacks it: as root, from
# Debian's packages. It always succeeds: without one, those tests fail and say what to do.
set -u
[ -x "${SVC_CHROMIUM:-/usr/bin/chromium}" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  echo "installing chromium from Debian's packages" >&2
  if { apt-get -qq update && apt-get -qq install --no-install-recommends chromium fonts-liberation; } >/dev/null 2>&1; then
    exit 0
  fi
fi
echo "the browser tests will fail without Chromium; try: apt-get install chromium fonts-liberation" >&2
