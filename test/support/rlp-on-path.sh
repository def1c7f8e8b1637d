#!/bin/sh
# The command under test, found on PATH as an installed one would be.
exec node "$(cat "$(dirname "$0")/target")" "$@"
