// Recognises the system that a document about tools belongs to. agentcli and the bundle both use the name tools.json, so the content decides. A document
// with marks of two systems is refused, not guessed; one without tools is named in a message.
import { RECORD_SCHEMA_ID } from '../agent-tool/records.ts'
import { isSpelling } from '../agentcli/entry.ts'
import { isTable, own } from '../model/own.ts'

/**
 * `runloop`: the bundle's own tools.json. `anthropic`: tools of the Messages API. `gemini`: function declarations. `mixture`: marks of more
 * than one system. `unknown`: no marks, such as an empty list of tools without a version.
 */
export type ToolsKind =
  | 'runloop'
  | 'agentcli'
  | 'openai'
  | 'mcp'
  | 'agent-tool'
  | 'anthropic'
  | 'gemini'
  | OtherDocument
  | 'mixture'
  | 'unknown'

const MIXED: readonly ToolsKind[] = ['mixture']

type Json = Readonly<Record<string, unknown>>

/** @param value plain data, from any reader */
export function detectToolsKind(value: unknown): ToolsKind {
  const kinds = new Set(Array.isArray(value) ? value.map(elementKind) : isTable(value) ? marksOf(value) : [])
  // One broken element does not hide which system a list is of.
  if (kinds.size > 1) kinds.delete('unknown')
  const [first] = kinds
  if (first === undefined) return isTable(value) ? (otherDocument(value) ?? 'unknown') : 'unknown'
  return kinds.size === 1 ? first : 'mixture'
}

/** Marks that only one system has. */
function marksOf(root: Json): ToolsKind[] {
  const marks: ToolsKind[] = []
  const has = (key: string) => Object.hasOwn(root, key)
  const entries = entriesOf(root)
  if (has('schema_version') && isRecord(root)) marks.push('agent-tool')
  const records = own(root, 'records')
  if (Array.isArray(records) && records.some(one => isTable(one) && Object.hasOwn(one, 'schema_version')))
    marks.push('agent-tool')
  if (Number.isInteger(root['version']))
    marks.push('runloop', ...(entries.some(entry => Object.hasOwn(entry, 'command')) ? MIXED : []))
  if (entries.some(isAgentcliEntry)) {
    // agentcli has no version, and there is no other mark that could decide.
    marks.push('agentcli', ...(has('version') || entries.some(isRunloopEntry) ? MIXED : []))
  }
  if (entries.some(entry => Object.hasOwn(entry, 'inputSchema'))) marks.push('mcp')
  // A request that holds the list.
  if (entries.some(isOpenAiEntry)) marks.push('openai')
  if (entries.some(isAnthropicEntry)) marks.push('anthropic')
  if ([root, ...entries].some(hasDeclarations)) marks.push('gemini')
  return marks
}

/** agentcli reads its keys in any case. MCP's answer may still be inside its JSON-RPC response. */
function entriesOf(whole: Json): Json[] {
  const result = Object.hasOwn(whole, 'jsonrpc') ? whole['result'] : undefined
  const root = isTable(result) ? result : whole
  const key = Object.hasOwn(root, 'tools') ? 'tools' : Object.keys(root).find(key => isSpelling(key, 'tools'))
  const tools = key === undefined ? undefined : own(root, key)
  return Array.isArray(tools) ? tools.filter(isTable) : []
}

function isAgentcliEntry(entry: Json): boolean {
  return Object.keys(entry).some(key => isSpelling(key, 'command') && Array.isArray(own(entry, key)))
}

function isRunloopEntry(entry: Json): boolean {
  return isTable(entry['transport'])
}

/** A record alone, of any of the fifteen kinds: each has an id of its own. */
function isRecord(root: Json): boolean {
  return Object.values(RECORD_SCHEMA_ID).some(id => Object.hasOwn(root, id))
}

/** The form of chat completions, or of the responses API. */
function isOpenAiEntry(entry: Json): boolean {
  return entry['type'] === 'function' && (isTable(entry['function']) || typeof entry['name'] === 'string')
}

/** An entry of an agent has an id, and one of agentcli a command. */
function isAnthropicEntry(entry: Json): boolean {
  const isOther = ['id', 'transport', 'command', 'inputSchema', 'schema_version'].some(key =>
    Object.hasOwn(entry, key),
  )
  return !isOther && typeof entry['name'] === 'string' && isTable(entry['input_schema'])
}

function hasDeclarations(entry: Json): boolean {
  return Array.isArray(entry['functionDeclarations'] ?? entry['function_declarations'])
}

/** The system of one element of a list at the root. */
function elementKind(element: unknown): ToolsKind {
  if (!isTable(element)) return 'unknown'
  if (isOpenAiEntry(element)) return 'openai'
  if (Object.hasOwn(element, 'inputSchema')) return 'mcp'
  if (isAnthropicEntry(element)) return 'anthropic'
  if (hasDeclarations(element)) return 'gemini'
  return Object.hasOwn(element, 'schema_version') ? 'agent-tool' : 'unknown'
}

const WORDS = {
  'server-json': 'it is a server.json, which says how an MCP server is started, and not which tools it has',
  mcpb: 'it is the manifest of an MCP bundle (.mcpb), which names tools without saying what they take',
  'mcp-clients':
    'it is the settings of an MCP client, which say how servers are started, and not which tools they have',
  openapi: 'it is an OpenAPI document, which describes requests, and no list of tools',
} as const

type OtherDocument = keyof typeof WORDS

type JsonTable = Readonly<Record<string, unknown>>

/** Asked of a document without any system's marks. */
function otherDocument(root: JsonTable): OtherDocument | undefined {
  const text = (key: string) => typeof own(root, key) === 'string'
  if (isTable(own(root, 'server')) && (text('manifest_version') || text('dxt_version'))) return 'mcpb'
  if (isServerJson(root)) return 'server-json'
  if (isTable(own(root, 'mcpServers')) || isTable(own(root, 'servers'))) return 'mcp-clients'
  return isTable(own(root, 'paths')) && (text('openapi') || text('swagger')) ? 'openapi' : undefined
}

/** A registry's answer holds it as `server`. */
function isServerJson(root: JsonTable): boolean {
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
