// Finds what agentcli accepts in a tools.json and its author should still change, for example schemas that a model's provider would refuse.
import type { Pointer } from '../model/document.ts'
import { isForbiddenEnv } from '../policy/code-variables.ts'
import { checkJsonSchema } from '../schema/check.ts'
import { dialectOf } from '../schema/dialect.ts'
import { probablyMeant } from '../text/did-you-mean.ts'
import { quoteText, shortText } from '../text/quote.ts'
import type { AgentcliDecoded } from './decode.ts'
import {
  AGENTCLI_FIELDS,
  type AgentcliEntry,
  type AgentcliField,
  agentcliFieldOf,
  isSpelling,
} from './entry.ts'
import { ALWAYS_PASSED } from './environment.ts'
import { elementAfter, firstElement, firstMember, memberAfter, trimSpace } from './go-json.ts'
import { type Platform, readEnvNames, resolveProgram } from './load.ts'

/** One thing to change. `about` names the rule. */
export interface Advice {
  readonly about: 'key' | 'name' | 'description' | 'schema' | 'program' | 'env' | 'timeout' | 'output'
  readonly at: Pointer
  readonly part?: 'key'
  readonly message: string
  readonly fix: string
}

type Readable = Extract<AgentcliDecoded, { ok: true }>

/** The most advice for one file. A hostile one would get millions, and each costs a look at what was meant. */
const MOST_ADVICE = 10_000

/** In the order of the document. */
export function adviseAgentcli(decoded: Readable, platform: Platform): Advice[] {
  const { text, root } = decoded
  const found: Advice[] = []
  const open = text.search(/[^ \t\r\n]/)
  if (text[open] !== '{') return found
  let member = firstMember(text, open)
  for (; member !== undefined && !isEnough(found); member = memberAfter(text, member)) {
    const { key, value } = member
    const field = isSpelling(key, 'tools') ? 'tools' : undefined
    adviseOnKey(key, field, [key], ['tools'], found)
    // Of two lists only the last one counts.
    if (key !== root || text[value.start] !== '[') continue
    let index = 0
    let element = firstElement(text, value.start)
    for (; element !== undefined && !isEnough(found); element = elementAfter(text, element)) {
      if (text[element.start] === '{') adviseOnKeys(text, element.start, [root, index], found)
      index++
    }
  }
  let hasEntries = false
  decoded.each((entry, index) => {
    hasEntries = true
    adviseOnEntry(entry, [root, index], platform, found)
    return !isEnough(found)
  })
  if (hasEntries)
    found.push({
      about: 'output',
      at: [root],
      part: 'key',
      message: 'What these programs print is not checked here: each answer must be one line of JSON',
      fix: 'Test each program: one line of JSON on stdout, an error as one line of JSON on stderr and a status other than 0',
    })
  return found.slice(0, MOST_ADVICE)
}

function isEnough(found: readonly Advice[]): boolean {
  return found.length >= MOST_ADVICE
}

function adviseOnKeys(text: string, open: number, at: Pointer, found: Advice[]): void {
  const spelled = new Map<AgentcliField, string>()
  let member = firstMember(text, open)
  for (; member !== undefined && !isEnough(found); member = memberAfter(text, member)) {
    const { key } = member
    const field = agentcliFieldOf(key)
    const other = field && spelled.get(field)
    if (field) spelled.set(field, key)
    if (other === undefined || other === key) adviseOnKey(key, field, [...at, key], AGENTCLI_FIELDS, found)
    else {
      const message = `${quoteText(other)} and ${quoteText(key)} are one key to agentcli, and the last one counts`
      found.push({ about: 'key', at: [...at, key], part: 'key', message, fix: 'Remove one of the two' })
    }
  }
}

function adviseOnKey(
  key: string,
  field: string | undefined,
  at: Pointer,
  known: readonly string[],
  found: Advice[],
): void {
  if (key === field || key === '$schema' || key.startsWith('x-')) return
  const about = { about: 'key', at, part: 'key' } as const
  if (field !== undefined) {
    const message = `${quoteText(key)} is read as ${quoteText(field)}, by agentcli and by few others`
    found.push({ ...about, message, fix: `Write ${quoteText(field)}` })
    return
  }
  const meant = probablyMeant(key, known)
  const message = `${quoteText(key)} is not a key that agentcli reads`
  const fix = meant
    ? `Did you mean ${quoteText(meant)}? If not, remove it`
    : `Remove it; known here: ${known.join(', ')}`
  found.push({ ...about, message, fix })
}

function adviseOnEntry(entry: AgentcliEntry, at: Pointer, platform: Platform, found: Advice[]): void {
  const { name, description, schema, command, timeoutSec, envPassthrough, spelled } = entry
  const place = (field: AgentcliField, ...below: number[]): Pointer =>
    spelled[field] === undefined ? at : [...at, spelled[field], ...below]
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name) && name !== '') {
    const message = `${quoteText(name)} cannot be the name of a function for OpenAI`
    found.push({
      about: 'name',
      at: place('name'),
      message,
      fix: 'Use letters, digits, "_" and "-" only, at most 64',
    })
  }
  if (trimSpace(description) === '') {
    const message = `${quoteText(name)} has no description, by which a model would choose it`
    const fix = 'Say in a sentence what the tool does, and when to use it'
    found.push({ about: 'description', at: place('description'), message, fix })
  }
  if (schema !== undefined) found.push(...schemaAdvice(schema, place('schema')))
  const [written = ''] = command
  const program = resolveProgram(written, platform === 'posix' ? '/' : 'C:\\', platform)
  if (program.ok && program.relative !== undefined && program.relative !== written) {
    const message = `${quoteText(written)} is read as ${quoteText(program.relative)}`
    found.push({
      about: 'program',
      at: place('command', 0),
      message,
      fix: `Write ${quoteText(program.relative)}`,
    })
  }
  if (timeoutSec < 0) {
    const message = `${timeoutSec} seconds are no time limit: the default counts`
    found.push({
      about: 'timeout',
      at: place('timeoutSec'),
      message,
      fix: 'Write the seconds, or leave it out',
    })
  }
  adviseOnEnv(envPassthrough, index => place('envPassthrough', index), found)
}

function adviseOnEnv(written: readonly string[], place: (index: number) => Pointer, found: Advice[]): void {
  const seen = new Set<string>()
  for (const [index, text] of written.entries()) {
    const read = readEnvNames([text])
    const [name] = read.ok ? read.names : []
    if (name === undefined) continue
    const problem = seen.has(name)
      ? { message: `${quoteText(name)} is in the list already`, fix: 'Remove one of the two' }
      : ALWAYS_PASSED.includes(name)
        ? { message: `${quoteText(name)} is passed on anyway`, fix: 'Remove it' }
        : isForbiddenEnv(name)
          ? {
              message: `${quoteText(name)} changes which code the program runs`,
              fix: 'Leave the variable out',
            }
          : name !== text
            ? { message: `${quoteText(text)} is read as ${quoteText(name)}`, fix: `Write ${quoteText(name)}` }
            : undefined
    seen.add(name)
    if (problem !== undefined) found.push({ about: 'env', at: place(index), ...problem })
  }
}

interface SchemaAdvice {
  readonly about: 'schema'
  readonly at: Pointer
  readonly message: string
  readonly fix: string
}

/** More problems of one schema would not help before these are fixed. */
const MOST = 5

/** @param text well-formed JSON */
function schemaAdvice(text: string, at: Pointer): SchemaAdvice[] {
  const schema: unknown = JSON.parse(text)
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    const message = `The schema must be an object, found ${shortText(text, 20)}`
    return [{ about: 'schema', at, message, fix: 'Write { "type": "object", … }, or leave it out' }]
  }
  const found: SchemaAdvice[] = []
  if ((schema as { readonly type?: unknown }).type !== 'object') {
    const message = 'The schema does not say that the arguments are an object'
    found.push({ about: 'schema', at, message, fix: 'Add "type": "object"' })
  }
  // Older dialects have other meta-schemas.
  if (dialectOf(schema) !== '2020-12') return found
  for (const { pointer, message, fix } of checkJsonSchema(schema).slice(0, MOST)) {
    found.push({ about: 'schema', at: [...at, ...pointer], message, fix })
  }
  return found
}
