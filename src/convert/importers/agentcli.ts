// A tools.json of agentcli → exec tools that read their arguments from standard input. That system's own loader decides what is valid.
import { decodeAgentcli } from '../../agentcli/decode.ts'
import { agentcliFieldOf, isSpelling } from '../../agentcli/entry.ts'
import { ALWAYS_PASSED } from '../../agentcli/environment.ts'
import { type AgentcliTool, loadDecoded } from '../../agentcli/load.ts'
import { findJsonProblem } from '../../json/scan.ts'
import type { ConversionChange, Fates } from '../../model/conversion.ts'
import { isTable, own } from '../../model/own.ts'
import type { JsonSchema } from '../../model/tools.ts'
import { quoteText } from '../../text/quote.ts'
import { keptAs, lostBecause } from '../../tools/fields/field.ts'
import { placeholdersIn } from '../../tools/template.ts'
import {
  type Imported,
  type ImportedTool,
  type Importer,
  type ImportSource,
  NAMED,
  UNSAID,
} from './importer.ts'
import { notConvertible, readEach } from './refuse.ts'

const FATES: Fates = {
  ...NAMED,
  input_schema: keptAs(
    'input_schema; any object if it is missing; an argument beside properties is lost, or moved by --fix',
    'inferred',
    'lost',
  ),
  result_schema: { is: 'inferred', note: 'result_schema {}: agentcli never says what a tool answers' },
  command: keptAs(
    'transport exec; a program below ./tools/bin/ becomes absolute, by --install-dir or the file’s folder',
    'inferred',
  ),
  arguments: keptAs('x-rlp.stdin: true'),
  timeout_ms: keptAs('x-rlp.timeout_ms, at most an hour', 'lost'),
  env: keptAs('x-rlp.env, without PATH and HOME, which every tool gets; never secrets'),
  requires_confirmation: { is: 'inferred', note: 'false: agentcli never asks' },
  other: lostBecause('keys that agentcli does not read'),
}

/** Milliseconds, as in the schema of tools.json. */
const MAX_TIMEOUT_MS = 3_600_000
/** Names of unknown keys in one message. */
const MOST_KEYS = 8

export const agentcli: Importer = {
  format: 'agentcli',
  summary: 'a tools.json of agentcli',
  fates: FATES,
  read(source): Imported {
    const { installDir: manifestDir, platform } = source
    const decoded = decodeAgentcli(source.bytes)
    const loaded = loadDecoded(decoded, { manifestDir, platform })
    if (!loaded.ok) throw notConvertible(source, loaded.error, 'agentcli would not load it either')
    const changes = decoded.ok ? lostKeys(JSON.parse(decoded.text), decoded.root, loaded.tools) : []
    const read = (tool: AgentcliTool) => toTool(tool, source, changes)
    return { ...readEach(loaded.tools, source, ({ name }) => name, read), changes }
  },
}

/** agentcli passes over keys that it does not know, so that an author may take them for read. */
function lostKeys(document: unknown, root: string, tools: readonly AgentcliTool[]): ConversionChange[] {
  const lost = (tool: string | undefined, value: unknown, isKnown: (key: string) => boolean) => {
    const keys = isTable(value) ? Object.keys(value).filter(key => key !== '$schema' && !isKnown(key)) : []
    if (keys.length === 0) return []
    const more = keys.length > MOST_KEYS ? ` and ${keys.length - MOST_KEYS} more` : ''
    const message = `${keys
      .slice(0, MOST_KEYS)
      .map(key => quoteText(key))
      .join(', ')}${more}: agentcli reads no such key`
    return [{ tool, field: 'other', what: 'lost', message } as const]
  }
  const list: unknown = isTable(document) ? own(document, root) : undefined
  const entries: readonly unknown[] = Array.isArray(list) ? list : []
  return [
    ...lost(undefined, document, key => isSpelling(key, 'tools')),
    ...tools.flatMap(({ name }, index) =>
      lost(name, entries[index], key => agentcliFieldOf(key) !== undefined),
    ),
  ]
}

function toTool(tool: AgentcliTool, source: ImportSource, changes: ConversionChange[]): ImportedTool {
  const { name, description, command, relative, timeoutSec, envPassthrough } = tool
  const [program = '', ...args] = command
  const refuse = (seen: string, hint: string) => notConvertible(source, `${quoteText(name)}: ${seen}`, hint)
  const template = args.find(arg => placeholdersIn(arg).length > 0)
  if (template !== undefined)
    throw refuse(`its argument ${quoteText(template)} would be a template here`, 'Write it without {{')
  if (relative !== undefined) {
    const message = `./tools/bin/ is taken to lie in ${source.installDir}`
    changes.push({ tool: name, field: 'command', what: 'inferred', message })
  }
  const timeoutMs = timeoutSec > 0 ? Math.min(timeoutSec * 1000, MAX_TIMEOUT_MS) : undefined
  if (timeoutMs !== undefined && timeoutMs < timeoutSec * 1000)
    changes.push({ tool: name, field: 'timeout_ms', what: 'lost', message: `${timeoutSec} s become an hour` })
  const env = envPassthrough.filter(variable => !ALWAYS_PASSED.includes(variable))
  return {
    ...UNSAID,
    name,
    description,
    inputSchema: schemaOf(tool, refuse),
    run: { transport: { kind: 'exec', command: program, args }, rlp: { stdin: true, timeoutMs, env } },
    inferred: relative === undefined ? [] : ['transport'],
  }
}

/** agentcli does not check it, so it may hold any value. */
function schemaOf(
  { schema: text }: AgentcliTool,
  refuse: (seen: string, hint: string) => Error,
): JsonSchema | undefined {
  if (text === undefined) return undefined
  const problem = findJsonProblem(text)
  if (problem !== undefined) throw refuse(`its schema: ${problem.message}`, 'Correct the schema')
  const schema: unknown = JSON.parse(text)
  if (schema === null) return undefined
  if (typeof schema === 'boolean' || isTable(schema)) return schema
  throw refuse('its schema is no JSON Schema', 'Write { "type": "object", … }, or leave it out')
}
