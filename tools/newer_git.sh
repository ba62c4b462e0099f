#!/bin/sh
# Fetches git of a newer Debian (2.47 in trixie) into .deno/newer-git: Debian 12 has 2.39, which knows no
# reftable. Tests of it are skipped where apt-get, patchelf or the network is missing.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
to=$root/.deno/newer-git
[ ! -x "$to/bin/git" ] || exit 0
for program in apt-get dpkg patchelf; do
  command -v "$program" >/dev/null || exit 0
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/files"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main" \
  >"$work/sources"
: >"$work/status"
apt() {
  apt-get -qq -o "Dir::Etc::SourceList=$work/sources" -o Dir::Etc::SourceParts=/dev/null \
    -o "Dir::State::Lists=$work/lists" -o "Dir::State::status=$work/status" -o "Dir::Cache=$work/cache" \
    -o Acquire::Languages=none -o APT::Sandbox::User=root "$@"
}
cd "$work"
if ! { apt update && apt download git libc6 libpcre2-8-0 zlib1g; } >log 2>&1; then
  echo "tests of a newer git are skipped: $(tail -n 1 log)" >&2
  exit 0
fi
for package in *.deb; do dpkg -x "$package" files; done
libraries=$(dirname "$(find files -name libc.so.6)")
mkdir -p files/own/lib files/own/bin files/own/core
cp -L "$libraries"/libc.so.6 "$libraries"/ld-linux-*.so.* files/own/lib/
find files -name 'libpcre2-8.so.0' -exec cp -L {} files/own/lib/ \;
find files -name 'libz.so.1' -exec cp -L {} files/own/lib/ \;
cp -L files/usr/bin/git files/own/core/git
loader=$(basename files/own/lib/ld-linux-*)
patchelf --set-interpreter "$to/lib/$loader" --set-rpath "$to/lib" files/own/core/git
# git starts itself for some of its verbs, from the folder that this names.
printf '#!/bin/sh\nGIT_EXEC_PATH=%s exec %s "$@"\n' "'$to/core'" "'$to/core/git'" >files/own/bin/git
chmod 755 files/own/bin/git
rm -rf "$to"
mv files/own "$to"
"$to/bin/git" --version
