// Recognises documents about tools that hold no tools that could be imported, so that a message can name them.
import { isTable, own } from '../model/own.ts'

const WORDS = {
  'server-json': 'it is a server.json, which says how an MCP server is started, and not which tools it has',
  mcpb: 'it is the manifest of an MCP bundle (.mcpb), which names tools without saying what they take',
  'mcp-clients':
    'it is the settings of an MCP client, which say how servers are started, and not which tools they have',
  openapi: 'it is an OpenAPI document, which describes requests, and no list of tools',
} as const

export type OtherDocument = keyof typeof WORDS

type Json = Readonly<Record<string, unknown>>

/** Asked of a document without any system's marks. */
export function otherDocument(root: Json): OtherDocument | undefined {
  const text = (key: string) => typeof own(root, key) === 'string'
  if (isTable(own(root, 'server')) && (text('manifest_version') || text('dxt_version'))) return 'mcpb'
  if (isServerJson(root)) return 'server-json'
  if (isTable(own(root, 'mcpServers')) || isTable(own(root, 'servers'))) return 'mcp-clients'
  return isTable(own(root, 'paths')) && (text('openapi') || text('swagger')) ? 'openapi' : undefined
}

/** A registry's answer holds it as `server`. */
function isServerJson(root: Json): boolean {
  const inner = own(root, 'server')
  const server = isTable(inner) ? inner : root
  const schema = own(server, '$schema')
  if (typeof schema === 'string' && /\/server\.schema\.json$/.test(schema)) return true
  return (
    typeof own(server, 'name') === 'string' &&
    [own(server, 'packages'), own(server, 'remotes')].some(Array.isArray)
  )
}

/** What a document is, and how to get at the tools; undefined for what may hold tools. */
export function otherWords(kind: string): { readonly state: string; readonly hint: string } | undefined {
  const state = own<string>(WORDS, kind)
  if (state === undefined) return undefined
  const hint =
    kind === 'openapi'
      ? 'Add a tool for each request with rlp tool add'
      : 'Start the server, save its answer to tools/list, and import that file'
  return { state, hint }
}
