#!/bin/sh
# old METHOD PARAMS, or new METHOD PARAMS: one request to the server whose line is in `log`, as a client of that era sends it; its answer.
url=$(sed -n 's/.*at \(http[^ ]*\) .*/\1/p' log)
set -- "$1" "$2" "${TOKEN:-$(cat token)}"
name=$(printf %s "$2" | jq -r '.name // ""')
if [ "${0##*/}" = new ]; then
  meta='{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"new","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}'
  params=$(printf %s "$2" | jq -c --argjson meta "$meta" '. + {_meta: $meta}')
  version=2026-07-28
else
  params=$2
  version=2025-11-25
fi
curl -sS "$url" -H "Authorization: Bearer $3" -H 'Content-Type: application/json' \
  -H 'Accept: application/json, text/event-stream' -H "MCP-Protocol-Version: $version" \
  ${ORIGIN:+-H "Origin: $ORIGIN"} -H "Mcp-Method: $1" ${name:+-H "Mcp-Name: $name"} \
  -d "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"$1\",\"params\":$params}" | sed '/^event: /d; /^id: /d; /^$/d; s/^data: //'
