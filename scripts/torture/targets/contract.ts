// Targets: what a model sends, what a tool answers, and what other systems' files say. The contract's functions never throw; arguments
// that were made to fit fit for good; a value in a url stays in its place; what is imported can be exported again.
import { resolve } from 'node:path'
import { read } from '../../../src/agent/read-agent.ts'
import { fillUrl } from '../../../src/call/http/request.ts'
import {
  checkResult,
  detect,
  type Envelope,
  fromAgentcli,
  fromMcp,
  preflight,
  truncateResult,
} from '../../../src/contract/index.ts'
import { normalizeResult } from '../../../src/contract/normalize.ts'
import { serialize } from '../../../src/contract/serialize.ts'
import { charsTooMany } from '../../../src/contract/truncate.ts'
import { exportText, exportWith } from '../../../src/convert/export.ts'
import { EXPORTERS } from '../../../src/convert/exporters/index.ts'
import { importFrom } from '../../../src/convert/import.ts'
import { IMPORTERS } from '../../../src/convert/importers/index.ts'
import { RlpError } from '../../../src/model/error.ts'
import type { JsonSchema } from '../../../src/model/tools.ts'
import { memoryFiles } from '../../../test/support/memory.ts'
import type { Json } from '../../../test/support/wrong-types.ts'
import { fixtureTree, textOf } from '../fixture-tree.ts'
import { mutateJson } from '../mutate/json.ts'
import { TEXTS } from '../mutate/nasty.ts'
import { mutateValue, Raw } from '../mutate/value.ts'
import type { Random } from '../random.ts'
import { demand, type Target } from './target.ts'
import { WORDS } from './words.ts'

const SCHEMA = {
  type: 'object',
  properties: {
    count: { type: 'integer', minimum: 0, maximum: 50 },
    ratio: { type: 'number', multipleOf: 0.5 },
    name: { type: 'string', minLength: 1, pattern: '^[a-z]+$' },
    on: { type: 'boolean' },
    mode: { enum: ['fast', 'slow', 3, null] },
    list: { type: 'array', items: { type: 'integer' }, uniqueItems: true, maxItems: 5 },
    inner: { type: 'object', properties: { a: { type: ['string', 'null'] } }, additionalProperties: false },
    either: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
  },
  required: ['count', 'name'],
  additionalProperties: false,
}
const ARGUMENTS = {
  count: '3',
  ratio: 1.5,
  name: 'abc',
  on: 'true',
  mode: 'FAST',
  list: '[1,2]',
  inner: '{"a":null}',
  either: 7,
}
/** Answers of each form that there is. */
export const ENVELOPES: readonly Json[] = [
  { ok: true, result: { kind: 'listing', entries: [{ name: 'a', size: 1 }] }, tool: 'a.b', warnings: ['x'] },
  { ok: false, kind: 'invalid_args', message: 'no', field: 'a', expected: 'b', tool: 'a.b', retryable: true },
  { content: [{ type: 'text', text: 'x' }], structuredContent: { a: 1 }, isError: false },
  { exit_code: 1, stdout: 'a', stderr: 'b', error: 'failed' },
]
const URL_TEMPLATE = 'https://a.example/v1/{{input.a}}/x/{{input.b.c}}?q={{input.d}}&r=1'
/** Files of tools, one of each system that tools are imported from. */
export const OTHERS: readonly Json[] = [
  {
    tools: [
      {
        name: 'a',
        description: 'b',
        command: ['/usr/bin/jq', '.'],
        schema: { type: 'object' },
        timeoutSec: 5,
      },
    ],
  },
  [
    {
      type: 'function',
      function: {
        name: 'a_b',
        description: 'x',
        parameters: { type: 'object', properties: {} },
        strict: true,
      },
    },
  ],
  {
    tools: [
      {
        name: 'a',
        title: 'A',
        description: 'x',
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
      },
    ],
  },
]
const AGENT = fixtureTree('every-transport')

export const CONTRACT_TARGETS: readonly Target[] = [
  { name: 'preflight', share: 900, make: makeCall, answer: judgeCall },
  {
    name: 'results',
    share: 500,
    make: random => mutateJson(random, random.pick(ENVELOPES), WORDS.envelopes),
    answer: judgeResult,
  },
  { name: 'filled-url', share: 300, make: makeUrl, answer: judgeUrl },
  {
    name: 'import',
    share: 400,
    make: random => mutateJson(random, random.pick(OTHERS), WORDS.agentcli),
    answer: judgeImport,
  },
  {
    name: 'export',
    share: 400,
    make: random => mutateJson(random, JSON.parse(textOf(AGENT, 'tools.json')), WORDS.schema),
    answer: judgeExport,
  },
]

/** Arguments and a schema, one of them or both damaged. */
function makeCall(random: Random): Buffer {
  const text = mutateJson(random, ARGUMENTS, [
    'count',
    'name',
    '1',
    '1.0',
    '-0',
    'TRUE',
    'null',
    '[]',
  ]).toString()
  const schema = random.once(2) ? mutateValue(random, SCHEMA, WORDS.schema, ['1']) : SCHEMA
  const plain = JSON.stringify(schema, (_, value: unknown) => (value instanceof Raw ? 1 : value))
  return Buffer.from(JSON.stringify({ text, schema: JSON.parse(plain) }))
}

function judgeCall(input: Uint8Array): string {
  const { text, schema } = JSON.parse(Buffer.from(input).toString()) as { text: string; schema: unknown }
  if (typeof schema !== 'boolean' && (typeof schema !== 'object' || schema === null || Array.isArray(schema)))
    return 'no schema'
  for (const options of [{}, { objectOnly: true }, { rescueKeys: true }]) {
    const ready = preflight('a.b', text, schema as JsonSchema, options)
    if (!ready.ok) {
      demand(!ready.failure.ok, 'a refusal that is no failure')
      JSON.parse(serialize(ready.failure))
      continue
    }
    if (!ready.changed) {
      demand(ready.text === text, 'other bytes, and nothing is said to have changed')
      continue
    }
    const again = preflight('a.b', ready.text, schema as JsonSchema, options)
    demand(again.ok && !again.changed, `what was made to fit does not fit: ${ready.text.slice(0, 200)}`)
  }
  const last = preflight('a.b', text, schema as JsonSchema)
  return last.ok ? (last.changed ? 'made to fit' : 'fits') : last.failure.kind
}

function judgeResult(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString()
  checkResult(text)
  detect(text)
  const envelope = normalizeResult('a.b', text, { maxChars: 2000 })
  const written = serialize(envelope)
  demandShort(envelope, 'an envelope is longer than it may be')
  demand(
    serialize(normalizeResult('a.b', written, { maxChars: 2000 })) === written,
    'a second time changes it',
  )
  JSON.parse(serialize(fromAgentcli(text, 'a.b')))
  demandShort(
    truncateResult('a.b', fromAgentcli(text, 'a.b'), { maxChars: 2000 }),
    'a cut envelope is too long',
  )
  try {
    const value: unknown = JSON.parse(text)
    // The types of `fromMcp` promise this much; a transport that reads MCP has looked.
    if (
      typeof value === 'object' &&
      value !== null &&
      Array.isArray((value as { content?: unknown }).content ?? [])
    )
      fromMcp(value as Parameters<typeof fromMcp>[0], 'a.b')
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  return envelope.ok ? 'success' : envelope.kind
}

/**
 * The cap of 2,000 is one on the main text, without escapes. Everything around it has 6,000 of its own, and so has the line in a text that
 * was cut. Counted once by the rule itself, and once without it: all that is written, each escape as one.
 */
function demandShort(envelope: Envelope, otherwise: string): void {
  demand(charsTooMany(envelope, 2000) === undefined, otherwise)
  const written = serialize(envelope)
  const plain = written.replace(/\\(?:u[0-9a-f]{4}|.)/g, '_')
  const isCut = written.includes('"truncated":true')
  demand([...plain].length <= 2000 + (isCut ? 2 : 1) * 6000, `${otherwise}, however it is counted`)
}

function makeUrl(random: Random): Buffer {
  const value = () =>
    random.pick([
      ...TEXTS,
      '%2e%2e',
      '..%2f',
      '%',
      'a/b',
      '?',
      '#',
      '@',
      ':',
      '//',
      '\\',
      '&r=2',
      '%00',
      '+',
      ' ',
    ])
  return Buffer.from(JSON.stringify({ a: value(), b: { c: value() }, d: value() }))
}

/** Whatever is filled in: the same host, as many segments, the same names in the query. */
function judgeUrl(bytes: Uint8Array): string {
  const filled = fillUrl(URL_TEMPLATE, JSON.parse(Buffer.from(bytes).toString()))
  if (!('href' in filled)) return filled.kind
  const url = new URL(filled.href)
  demand(url.host === 'a.example' && url.username === '' && url.hash === '', `another place: ${filled.href}`)
  demand(url.pathname.split('/').length === 5, `other segments: ${filled.href}`)
  demand(
    url.pathname.startsWith('/v1/') && url.pathname.split('/')[3] === 'x',
    `another path: ${filled.href}`,
  )
  demand([...url.searchParams.keys()].join() === 'q,r', `another query: ${filled.href}`)
  demand(url.searchParams.get('r') === '1', `another value: ${filled.href}`)
  return 'filled'
}

function judgeImport(bytes: Uint8Array): string {
  const source = { bytes, label: 'x.json', installDir: resolve('/srv/x'), platform: 'posix' } as const
  // As --from says, whatever it looks like.
  for (const { format: from } of IMPORTERS) {
    try {
      importFrom(source, { from })
    } catch (error) {
      if (!(error instanceof RlpError)) throw error
    }
  }
  const { format, tools } = importFrom(source)
  demand(tools.length > 0 || isEmptyList(bytes), 'imported nothing, and did not say so')
  return format
}

/** A list without tools is valid; a list of which nothing can be taken is refused. */
function isEmptyList(bytes: Uint8Array): boolean {
  const value = JSON.parse(new TextDecoder().decode(bytes)) as unknown
  const { tools, records } = (value ?? {}) as { tools?: unknown; records?: unknown }
  return [value, tools, records].some(list => Array.isArray(list) && list.length === 0)
}

function judgeExport(bytes: Uint8Array): string {
  const agent = read(memoryFiles({ ...AGENT, 'tools.json': bytes }), 'agent')
  if (agent.tools === undefined) return 'no tools'
  for (const exporter of EXPORTERS) {
    const { document } = exportWith(agent, exporter)
    demand(
      exportText(document) === exportText(exportWith(agent, exporter).document),
      'a second export differs',
    )
  }
  return 'exported'
}
