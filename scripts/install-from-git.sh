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
# An entry is folded lines of YAML: one line of words for a shell, in which nothing is expanded.
node -e '
  const hooks = require("node:fs").readFileSync(process.argv[1], "utf8")
  for (const [, lines] of hooks.matchAll(/^ {2}entry: >-\n((?: {4}.*\n)+)/gm)) console.log(lines.trim().replace(/\n */g, " "))
' "$place/repository/.pre-commit-hooks.yaml" > "$place/entries"
[ "$(wc -l < "$place/entries")" = 2 ]
while read -r entry; do
  echo "${entry##*\" }"
  eval "$entry" < /dev/null
done < "$place/entries"
