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

type Json = Readonly<Record<string, unknown>>

/** @param value plain data, from any reader */
export function detectToolsKind(value: unknown): ToolsKind {
  if (isTable(value)) return kindOfMarks(value) ?? otherDocument(value) ?? 'unknown'
  let kind: ToolsKind = 'unknown'
  if (Array.isArray(value)) for (const element of value) kind = both(kind, elementKind(element))
  return kind
}

/** One broken element does not hide which system a list is of. */
function both(kind: ToolsKind, other: ToolsKind): ToolsKind {
  if (other === 'unknown' || other === kind) return kind
  return kind === 'unknown' ? other : 'mixture'
}

/** By marks that only one system has; undefined if there are none. */
function kindOfMarks(root: Json): ToolsKind | undefined {
  const entries = entriesOf(root)
  const isVersioned = Number.isInteger(root['version'])
  let kind: ToolsKind = 'unknown'
  if (Object.hasOwn(root, 'schema_version') && isRecord(root)) kind = 'agent-tool'
  const records = own(root, 'records')
  if (Array.isArray(records) && records.some(isVersionedRecord)) kind = 'agent-tool'
  if (isVersioned) kind = both(kind, 'runloop')
  if (hasDeclarations(root)) kind = both(kind, 'gemini')
  for (const entry of entries) {
    if (!isTable(entry)) continue
    if (isVersioned && Object.hasOwn(entry, 'command')) return 'mixture'
    if (kind !== 'agentcli' && isAgentcliEntry(entry)) {
      // agentcli has no version, and there is no other mark that could decide.
      if (Object.hasOwn(root, 'version') || entries.some(isRunloopEntry)) return 'mixture'
      kind = both(kind, 'agentcli')
    }
    if (Object.hasOwn(entry, 'inputSchema')) kind = both(kind, 'mcp')
    // A request that holds the list.
    if (isOpenAiEntry(entry)) kind = both(kind, 'openai')
    if (isAnthropicEntry(entry)) kind = both(kind, 'anthropic')
    if (hasDeclarations(entry)) kind = both(kind, 'gemini')
    if (kind === 'mixture') return kind
  }
  return kind === 'unknown' ? undefined : kind
}

function isVersionedRecord(one: unknown): boolean {
  return isTable(one) && Object.hasOwn(one, 'schema_version')
}

/** agentcli reads its keys in any case. MCP's answer may still be inside its JSON-RPC response. */
function entriesOf(whole: Json): readonly unknown[] {
  const result = Object.hasOwn(whole, 'jsonrpc') ? whole['result'] : undefined
  const root = isTable(result) ? result : whole
  const key = Object.hasOwn(root, 'tools') ? 'tools' : Object.keys(root).find(key => isSpelling(key, 'tools'))
  const tools = key === undefined ? undefined : own(root, key)
  return Array.isArray(tools) ? tools : []
}

function isAgentcliEntry(entry: Json): boolean {
  for (const key in entry) if (isSpelling(key, 'command') && Array.isArray(own(entry, key))) return true
  return false
}

function isRunloopEntry(entry: unknown): boolean {
  return isTable(entry) && isTable(entry['transport'])
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
  if (typeof entry['name'] !== 'string' || !isTable(entry['input_schema'])) return false
  return !OTHER_KEYS.some(key => Object.hasOwn(entry, key))
}

const OTHER_KEYS = ['id', 'transport', 'command', 'inputSchema', 'schema_version']

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
