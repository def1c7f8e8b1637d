#!/usr/bin/env bash
# Installs the package from git, as pre-commit 4 does for `language: node`, and runs the entries of both hooks. From the cache of npm: the
# packages are those of `npm ci`.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -z "$(git status --porcelain)" ] || echo 'install-from-git: what is not committed is not tried' >&2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

git clone --quiet --no-hardlinks . "$place/repository"
export NPM_CONFIG_PREFIX="$place/node_env" npm_config_prefix="$place/node_env"
# The option is known from npm 11 on.
allow_git=()
if [ "$(npm --version | cut -d. -f1)" -ge 11 ]; then allow_git=(--allow-git=root); fi
npm install --prefer-offline --loglevel=error --no-audit "${allow_git[@]}" --install-links -g "git+file://$place/repository"

export PATH="$place/node_env/bin:$PATH"
mkdir "$place/user"
cd "$place/user"
rlp agent scaffold mailer --non-interactive --quiet >/dev/null
sed -n 's/^  entry: //p' "$place/repository/.pre-commit-hooks.yaml" | while read -r entry; do
  echo "$entry"
  # shellcheck disable=SC2086
  $entry
done
