#!/bin/sh
# The command under test, found on PATH as an installed one would be. How it ends is written down: behind a pipe, a shell forgets it.
node "$(cat "$(dirname "$0")/target")" "$@"
status=$?
echo "$status" >"$(dirname "$0")/status"
exit "$status"
