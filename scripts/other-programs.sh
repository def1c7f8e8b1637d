#!/usr/bin/env bash
# Runs the programs that share no code with src/ over the kit (npm run conformance -- --large): the second reader, the second writer, and the
# vectors at the limits of size, which the tests leave out.
# Usage: bash scripts/other-programs.sh readers|writers|limits [every N-th vector]
set -euo pipefail
cd "$(dirname "$0")/.."
every=${2:-1}
reader='/usr/bin/python3 docs/spec/reader.py'
rlp='node dist/program/rlp.cjs'

case "$1" in
  readers)
    for level in 1 2 3 4 5; do
      node conformance/run.mjs --lines "$reader --lines" --level "$level" --every "$every"
    done
    node conformance/run.mjs --lines "$reader --lines" --only lock/ --every "$every"
    node conformance/run.mjs --texts --lines "$reader --texts --lines" --every "$every"
    node conformance/run.mjs --channels --lines "$reader --channels --lines"
    node conformance/run.mjs --identities --lines "$reader --identities --lines"
    node conformance/run.mjs --shards --lines "$reader --shards --lines"
    ;;
  writers)
    node conformance/run.mjs --writers --lines '/usr/bin/python3 docs/spec/writer.py --lines'
    node conformance/run.mjs --writers "$rlp agent pack {input} --out {output}" --every "$every"
    node conformance/run.mjs --writers "cp {input} {output}.new &&
      $rlp agent sign {output}.new --key {key} {notAfter:--not-after} {renew:--yes --renew} && mv {output}.new {output}" --every "$every"
    ;;
  limits)
    node conformance/run.mjs "$rlp agent verify {bundle} --trust-policy {policy} --expect any --json" --only large/
    ;;
  *)
    echo "usage: bash scripts/other-programs.sh readers|writers|limits [every N-th vector]" >&2
    exit 2
    ;;
esac
