#!/bin/sh
# The command under test, found on PATH as an installed one would be. How it ends is written down: behind a pipe, a shell forgets it.
here=${0%/*}
read -r target <"$here/target"
node "$target" "$@"
status=$?
echo "$status" >"$here/status"
exit "$status"
