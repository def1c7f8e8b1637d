// The table of fields between the systems, of their errors, and of how to tell their files apart.
import assert from 'node:assert/strict'
import { ERROR_CLASSES } from '../../src/agent-tool/pipeline.ts'
import { outcomeOf } from '../../src/agentcli/answer.ts'
import { fromAgentcli, RETRYABLE } from '../../src/contract/index.ts'
import { EXPORTERS } from '../../src/convert/exporters/index.ts'
import { IMPORTERS } from '../../src/convert/importers/index.ts'
import { type Fate, FIELDS, type Field } from '../../src/model/conversion.ts'
import type { FailureKind } from '../../src/model/error.ts'
import { needsOf } from '../../src/policy/needs.ts'
import { detectToolsKind, type ToolsKind } from '../../src/tools/detect-tools.ts'
import { exported, HTTP, imported, kinds, PLAIN, told } from '../support/conversion.ts'
import { type Checks, check } from './case.ts'

const TARGETS = { agentcli: 'agentcli', openai: 'openai', mcp: 'mcp', agent_tool: 'agent-tool' } as const
type Target = keyof typeof TARGETS

type Row = {
  readonly concept: string
  readonly runloop: string
  readonly lost: string
  readonly inferred: string
} & Readonly<Record<Target, string>>

/** Concepts that are no facts about a tool, and where they are at home. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'success value': 'an answer: contract/from-foreign.ts and host/mcp.ts',
  'failure value': 'an answer: contract/from-foreign.ts and host/mcp.ts',
  audit: 'a call: agentcli/audit.ts and calling/',
  integrity: 'a bundle: manifest.toml',
}

/** Where a format has a word that says nothing about one tool, or not what ours says: the table speaks of a system as a whole. */
const NO_FACT: readonly (readonly [concept: string, target: Target])[] = [
  ['program', 'mcp'],
  ['arguments channel', 'openai'],
  ['arguments channel', 'mcp'],
  // Shared with those of our tools that read standard input; the others are the ones that lose something.
  ['arguments channel', 'agentcli'],
  ['parallel use', 'agentcli'],
  ['parallel use', 'openai'],
  // Chat completions do not have it; with --api responses it is kept, and a test of its own asks for that.
  ['deferred loading', 'openai'],
  ['deferred loading', 'mcp'],
  ['large output', 'agentcli'],
  ['large output', 'mcp'],
]

export const checks: Checks = {
  fields: check<Row, Row>(row => {
    if (Object.hasOwn(ELSEWHERE, row.concept)) return
    const field = (Object.keys(FIELDS) as Field[]).find(field => FIELDS[field] === row.concept)
    assert.ok(field, `no field of ours is called "${row.concept}"`)
    for (const [target, format] of Object.entries(TARGETS) as [Target, string][]) {
      const fate = EXPORTERS.find(one => one.format === format)?.fates[field]
      checkFate(row, target, fate)
    }
    if (row.inferred.startsWith('agentcli -> Runloop')) {
      const fate = IMPORTERS.find(({ format }) => format === 'agentcli')?.fates[field]
      assert.ok(fate?.is === 'inferred' || fate?.may?.includes('inferred'), 'import of agentcli')
    }
    BEHAVIOUR[row.concept]?.()
  }),

  errors: check<ErrorRow, ErrorRow>(({ osaurus, retryable, agent_tool, agentcli }) => {
    for (const name of agent_tool.match(/\b[a-z]+(?:_[a-z]+)+\b|\b(?:timeout|canceled)\b/g) ?? []) {
      if (WORDS_OF_NOTES.includes(name)) continue
      assert.ok(
        ERROR_CLASSES.some(known => known === name),
        `${name} is no error class`,
      )
    }
    const [kind = ''] = osaurus.split(' ')
    if (kind === 'success,') return
    assert.ok(Object.hasOwn(RETRYABLE, kind), `${kind} is no kind`)
    const said = /retryable:(true|false)/.exec(osaurus)?.[1]
    assert.equal(said === undefined ? RETRYABLE[kind as FailureKind] : said === 'true', retryable)
    // What agentcli's own texts become, where they say what happened.
    if (agentcli === outcome({ timedOut: true })) assert.equal(kindOf(agentcli), kind)
    if (agentcli.startsWith('unknown tool')) assert.equal(kindOf('unknown tool: NAME'), kind)
    if (/exit status/.test(agentcli)) assert.equal(kindOf(outcome({ exitCode: 3 })), kind)
    if (agentcli === 'signal: killed') assert.equal(outcome({ exitCode: null, signal: 'SIGKILL' }), agentcli)
  }),

  detectFileKind: check<{ test: string; kind: string }, unknown>(({ test, kind }) => {
    const [expected, documents] = FILES[kind] ?? []
    assert.ok(expected && documents, `${kind}: ${test}`)
    for (const document of documents)
      assert.equal(detectToolsKind(document), expected, JSON.stringify(document))
  }),
}

function checkFate({ concept, runloop, lost, ...row }: Row, target: Target, fate: Fate | undefined): void {
  const cell = row[target]
  const about = `${concept}, ${target}: "${cell}", ours ${JSON.stringify(fate)}`
  const isNoFact = NO_FACT.some(([one, other]) => one === concept && other === target)
  // "- (annotations)": no word of its own, and a place for it all the same.
  const hasPlace = !cell.startsWith('-') || cell.startsWith('- (annotations)')
  if (hasPlace && !isNoFact) {
    // No field on this side says it, so there is nothing to convert.
    const isUnsaid = runloop === '-' && (row.agent_tool === '-' || row.agent_tool.startsWith('- ('))
    if (!isUnsaid) assert.ok(fate?.is === 'kept' || fate?.is === 'inferred', about)
  } else if (fate !== undefined) assert.ok(fate.is === 'lost' || fate.is === 'apart', about)
  // The note may speak of a system with "readers" of it, which is no loss on the way.
  const names = {
    agentcli: /\bagentcli\b/,
    openai: /\bOpenAI\b/,
    mcp: /\bMCP\b(?! readers)/,
    agent_tool: /(?!)/,
  }[target]
  if (names.test(lost) && runloop !== '-')
    assert.ok(fate?.is === 'lost' || fate?.may?.some(what => what === 'lost' || what === 'renamed'), about)
}

const lines = (tool: object, format: string) => told(exported([tool], format).changes)
const record = (tool: object, at: number) =>
  (exported([tool], 'agent-tool').document as Record<string, unknown>[])[at]

/** What the table says in words, done. */
const BEHAVIOUR: Readonly<Record<string, () => void>> = {
  'machine name'() {
    assert.deepEqual(exported([HTTP], 'openai').names, { mail__send: 'mail.send' })
    assert.deepEqual([record(HTTP, 0)?.['namespace'], record(HTTP, 0)?.['name']], ['mail', 'send'])
    assert.deepEqual(record(HTTP, 1)?.['native_ids'], { openai: 'mail__send' })
  },
  'display title'() {
    assert.equal(record(HTTP, 0)?.['title'], 'send')
  },
  description() {
    assert.equal(imported({ tools: [{ name: 'a', command: ['/a'] }] }).tools[0]?.tool.description, 'a')
  },
  'input schema'() {
    assert.deepEqual(imported({ tools: [{ name: 'a', command: ['/a'] }] }).tools[0]?.tool.inputSchema, {
      type: 'object',
    })
    const refers = { ...PLAIN, inputSchema: { $ref: '#/$defs/a', $defs: { a: { type: 'object' } } } }
    for (const { format } of EXPORTERS)
      assert.doesNotMatch(JSON.stringify(exported([refers], format).document), /\$ref/)
  },
  'result schema'() {
    assert.deepEqual(imported({ tools: [{ name: 'a', command: ['/a'] }] }).tools[0]?.inferred, [
      'description',
      'input_schema',
      'result_schema',
    ])
  },
  program() {
    const { tools } = imported(
      { tools: [{ name: 'a', command: ['./tools/bin/a'] }] },
      { installDir: '/opt/x' },
    )
    assert.deepEqual(tools[0]?.tool.transport, { kind: 'exec', command: '/opt/x/tools/bin/a', args: [] })
  },
  'arguments channel'() {
    assert.equal(imported({ tools: [{ name: 'a', command: ['/a'] }] }).tools[0]?.tool.rlp.stdin, true)
  },
  'http call'() {
    assert.equal(exported([HTTP], 'agentcli').tools, 0)
  },
  'time limit'() {
    assert.equal(
      imported({ tools: [{ name: 'a', command: ['/a'], timeoutSec: 7 }] }).tools[0]?.tool.rlp.timeoutMs,
      7000,
    )
  },
  environment() {
    const { tool } =
      imported({ tools: [{ name: 'a', command: ['/a'], envPassthrough: ['OAI_API_KEY'] }] }).tools[0] ?? {}
    assert.deepEqual([tool?.rlp.env, tool?.secrets], [['OAI_API_KEY'], []])
  },
  secrets() {
    const secret = { ...PLAIN, secrets: ['runloop/mail/smtp_api_key'] }
    assert.ok(
      lines(secret, 'agentcli').some(line => line.endsWith(': it was given RUNLOOP_MAIL_SMTP_API_KEY')),
    )
  },
  capabilities() {
    assert.deepEqual(
      needsOf(HTTP).map(({ capability }) => capability),
      ['net:api.mail.example:443'],
    )
    assert.deepEqual(
      needsOf(PLAIN).map(({ capability }) => capability),
      ['exec:/usr/bin/jq'],
    )
  },
  'read only'() {
    const get = { ...HTTP, transport: { ...HTTP.transport, method: 'GET' } }
    assert.equal(record(get, 1)?.['is_read_only'], false)
  },
  destructive() {
    assert.deepEqual(Object.keys((exported([HTTP], 'mcp').document as { tools: object[] }).tools[0] ?? {}), [
      'name',
      'description',
      'inputSchema',
    ])
  },
  'open world'() {
    assert.deepEqual([record(HTTP, 1)?.['is_open_world'], record(PLAIN, 1)?.['is_open_world']], [true, true])
  },
  'parallel use'() {
    assert.equal(record(PLAIN, 1)?.['is_concurrency_safe'], false)
  },
  'strict schema'() {
    assert.ok(kinds(exported([PLAIN], 'openai').changes).includes('inferred strict'))
    assert.ok(
      !kinds(exported([{ ...PLAIN, inputSchema: { type: 'object' } }], 'openai').changes).includes(
        'inferred strict',
      ),
    )
  },
  'deferred loading'() {
    const files = {
      'interfaces.json': JSON.stringify([
        { schema_version: '0.2.0', interface_id: 'i', tool_id: PLAIN.id, should_defer: true },
      ]),
    }
    const { document, changes } = exported([PLAIN], 'openai', { api: 'responses', files })
    assert.equal((document as { defer_loading?: boolean }[])[0]?.defer_loading, true)
    assert.ok(!kinds(changes).includes('lost deferred'))
  },
}

interface ErrorRow {
  readonly osaurus: string
  readonly retryable: boolean | null
  readonly agent_tool: string
  readonly agentcli: string
}

/** Of the column of error classes. */
const WORDS_OF_NOTES = ['native_error_ref', 'not_found']

function outcome(end: Partial<Parameters<typeof outcomeOf>[0]>): string {
  const { timedOut = false, exitCode = 1, signal = null } = end
  const found = outcomeOf({ timedOut, exitCode, signal, stdout: '', stderr: '' })
  return found.ok ? '' : found.error
}

function kindOf(error: string): string {
  const envelope = fromAgentcli(JSON.stringify({ error }))
  return envelope.ok ? 'success' : envelope.kind
}

const command = { name: 'a', command: ['/a'] }
const FILES: Readonly<Record<string, readonly [ToolsKind, readonly unknown[]]>> = {
  'runloop v1': ['runloop', [{ version: 1, tools: [{ id: 'a', transport: {} }] }, { version: 1 }]],
  agentcli: ['agentcli', [{ tools: [command] }, { Tools: [command] }]],
  openai: [
    'openai',
    [
      [{ type: 'function', function: { name: 'a' } }],
      [{ type: 'function', name: 'a' }],
      { tools: [{ type: 'function', name: 'a' }] },
    ],
  ],
  'mcp tools/list result': [
    'mcp',
    [
      { tools: [{ name: 'a', inputSchema: {} }] },
      [{ name: 'a', inputSchema: {} }],
      { jsonrpc: '2.0', result: { tools: [{ inputSchema: {} }] } },
    ],
  ],
  'agent tool record': [
    'agent-tool',
    [
      { schema_version: '0.2.0', tool_id: 'a' },
      { schema_version: '0.2.0', interface_id: 'a' },
    ],
  ],
  'error: ambiguous': [
    'mixture',
    [
      { version: 1, tools: [command] },
      { tools: [command, { inputSchema: {} }] },
      [{ type: 'function', function: {} }, { inputSchema: {} }],
    ],
  ],
}
