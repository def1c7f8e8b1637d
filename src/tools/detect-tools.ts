// A parsed document → the system that it belongs to. agentcli and the bundle both use the name tools.json, so the content decides. A
// document with marks of two systems is refused, not guessed.

import { RECORD_SCHEMA_ID } from '../agent-tool/records.ts'
import { isSpelling } from '../agentcli/decode.ts'
import { isTable, own } from '../model/own.ts'
import { type OtherDocument, otherDocument } from './other-documents.ts'

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
