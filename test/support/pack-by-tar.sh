#!/bin/sh
# pack-by-tar.sh FOLDER BUNDLE: the archive that GNU tar makes, without dot files (docs/verify-by-hand.md).
# WITH has other options for tar, SORT another order.
set -eu
cd "$1"
find . -type f -exec chmod 0644 {} +
[ ! -d bin ] || find bin -type f -exec chmod 0755 {} +
{
  echo manifest.toml
  find . -mindepth 1 -name '.*' -prune -o -type f -print | sed 's|^\./||' | grep -vxF manifest.toml | LC_ALL=C sort ${SORT:-}
} > "$2.list"
# shellcheck disable=SC2086
tar --format=ustar --numeric-owner --owner=0 --group=0 --mtime=@499162500 -b1 --hard-dereference \
  --transform 's|^|agent.bundle/|' ${WITH:-} --no-recursion -T "$2.list" -cf "$2" || {
  rm "$2"
  exit 1
}
