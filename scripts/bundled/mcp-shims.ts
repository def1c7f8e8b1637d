// In place of what the library of MCP chooses for Node: the same without a second copy of ajv, which checks the answers to questions of a
// server. The one question that is asked here is read strictly where its answer is used (src/call/mcp-server.ts).
export { default as process } from 'node:process'

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('no schema is checked by the library of MCP')
  }
}
