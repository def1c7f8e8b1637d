// Agents and exports for the tests of conversions, all in memory.
import assert from 'node:assert/strict'
import { read } from '../../src/agent/read-agent.ts'
import { type ExportChoices, type ExportedTools, exportWith } from '../../src/convert/export.ts'
import { EXPORTERS } from '../../src/convert/exporters/index.ts'
import { type ImportChoices, type ImportedTools, importFrom } from '../../src/convert/import.ts'
import type { ConversionChange } from '../../src/model/conversion.ts'
import type { Tool } from '../../src/model/tools.ts'
import { writeToolV1 } from '../../src/tools/v1.ts'
import { agentTree, type Tree } from './agent.ts'
import { memoryFiles } from './memory.ts'

/** A tool with nothing in it that a format could lose, except for how it is run. */
export const PLAIN: Tool = {
  id: 'text.query',
  description: 'Run a filter',
  transport: { kind: 'exec', command: '/usr/bin/jq', args: ['-c', '.'] },
  inputSchema: {
    type: 'object',
    properties: { n: { type: 'integer' } },
    required: ['n'],
    additionalProperties: false,
  },
  resultSchema: {},
  schemaRefs: {},
  capabilities: [],
  secrets: [],
  budget: undefined,
  requiresConfirmation: false,
  tags: [],
  rlp: { stdin: true, timeoutMs: undefined, env: [] },
}

export const HTTP: Tool = {
  ...PLAIN,
  id: 'mail.send',
  transport: { kind: 'http', method: 'POST', url: 'https://api.mail.example/send', headers: {} },
  rlp: { stdin: false, timeoutMs: undefined, env: [] },
}

export function exporter(format: string) {
  const found = EXPORTERS.find(one => one.format === format)
  assert.ok(found, format)
  return found
}

/** @param entries as tools.json has them, or tools */
export function agentWith(entries: readonly object[], files: Tree = {}) {
  const written = entries.map(entry => ('inputSchema' in entry ? writeToolV1(entry as Tool) : entry))
  const tools = JSON.stringify({ version: 1, tools: written })
  return read(memoryFiles(agentTree({ files: { 'tools.json': tools, ...files } })), 'agents/mini')
}

export function exported(
  entries: readonly object[],
  format: string,
  options: ExportChoices & { readonly files?: Tree } = {},
): ExportedTools {
  const { files, ...rest } = options
  return exportWith(agentWith(entries, files), exporter(format), rest)
}

export function imported(
  document: unknown,
  options: ImportChoices & { readonly installDir?: string } = {},
): ImportedTools {
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  const { installDir = '/opt/agentcli', ...rest } = options
  return importFrom(
    { bytes: new TextEncoder().encode(text), label: 'tools.json', installDir, platform: 'posix' },
    rest,
  )
}

/** `what field: message` of each change, in order. */
export function told(changes: readonly ConversionChange[]): string[] {
  return changes.map(({ tool, what, field, message }) => `${tool ?? '*'} ${what} ${field}: ${message}`)
}

/** `what field`, without repetition. */
export function kinds(changes: readonly ConversionChange[]): string[] {
  return [...new Set(changes.map(({ what, field }) => `${what} ${field}`))].sort()
}
