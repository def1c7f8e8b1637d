#!/bin/sh
# Installs the Node versions that test/pack/reproducible.test.ts runs the command under into .nodes/ (60-100 MB each).
# Usage: scripts/install-nodes.sh [version..]     default: every supported major, and the newest one
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- 20 22 24 26

case "$(uname -s)" in
  Linux) system=linux ;;
  Darwin) system=darwin ;;
  *) echo "install-nodes: no Node packages are known for $(uname -s)" >&2; exit 2 ;;
esac
case "$(uname -m)" in
  x86_64 | amd64) machine=x64 ;;
  aarch64 | arm64) machine=arm64 ;;
  *) echo "install-nodes: no Node packages are known for $(uname -m)" >&2; exit 2 ;;
esac

# One alias for each version, so that they are side by side: .nodes/node_modules/node22/bin/node
for version; do
  set -- "$@" "node$version@npm:node-$system-$machine@$version"
  shift
done
mkdir -p .nodes
npm install --no-save --no-audit --no-fund --no-package-lock --ignore-scripts --prefix .nodes "$@"

for node in .nodes/node_modules/*/bin/node; do
  echo "$node $("$node" --version)"
done
