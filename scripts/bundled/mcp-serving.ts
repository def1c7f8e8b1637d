// What is used of the library of MCP that serves (src/call/mcp-library.ts), as one file of the program: its two entries share most of their modules.
export {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  createRequestStateCodec,
  deserializeMessage,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  serializeMessage,
} from '@modelcontextprotocol/server'
export { serveStdio } from '@modelcontextprotocol/server/stdio'
