#!/bin/sh
# `rlp` for a shell that test/support/shell-here.ts answers: it hands each call to the test, which answers with a script. A call
# that the test cannot answer starts the program: one that runs until it is stopped, one at another time, and one in a shell that lost
# descriptor 9.
here=${RLP_HERE:-${0%/*}}
if [ "$2" = dev ] || [ "$2" = serve ] || [ -n "$FAKETIME" ] || ! { : >&9; } 2>/dev/null; then
  read -r target <"$here/target"
  node "$target" "$@"
  status=$?
else
  call=$here/call-$$
  printf '%s\0' "$(pwd)" "$(umask)" "$#" "$@" >"$call.words"
  env -0 >"$call.env"
  cat >"$call.input"
  mkfifo "$call.answer"
  # A reader may close the pipe first, as `head` does. The program ends as usual then.
  trap '' PIPE
  echo $$ >&9
  . "$call.answer"
fi
echo "$status" >"$here/status"
exit "$status"
