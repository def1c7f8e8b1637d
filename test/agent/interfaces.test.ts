// interfaces.json as a part of an agent: an artifact that the manifest binds, two levels of lint, and what the package offers for it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { read } from '../../src/agent/read-agent.ts'
import { AgentTool } from '../../src/library/generated/convert.ts'
import { loadBundle, verifyBundle } from '../../src/library/generated/index.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { agentTree, bundleOf, type Tree, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { memoryFiles } from '../support/memory.ts'

const folderFor = temporary('interfaces')
// The trust policy of the user who runs the tests has no say.
process.env['RUNLOOP_HOME'] = folderFor('home')

const TOOL = {
  id: 'note.find',
  description: 'Finds notes that hold some words.',
  transport: { kind: 'exec', command: '/usr/bin/note-find' },
  input_schema: {
    type: 'object',
    properties: {
      words: { type: 'string', minLength: 1, description: 'What to look for, for example "tea"' },
    },
    required: ['words'],
    additionalProperties: false,
  },
  result_schema: { type: 'object', properties: { notes: { type: 'array', items: { type: 'string' } } } },
  requires_confirmation: false,
}
const RECORD = {
  schema_version: '0.2.0',
  interface_id: 'tool_interface:note.find',
  tool_id: 'note.find',
  classifier_input: '{{words}}',
} satisfies AgentTool.ToolInterface

function tree(records: unknown = [RECORD]): Tree {
  return agentTree({
    files: {
      'policy.caps': '[capabilities]\nexec = ["/usr/bin/note-find"]\n',
      'tools.json': JSON.stringify({ version: 1, tools: [TOOL] }),
      'interfaces.json': JSON.stringify(records),
    },
  })
}

describe('in a bundle', () => {
  const any = { expect: 'any', allowUnsigned: true } as const
  const verdictOf = async (files: Tree) => {
    const { verdict, reasons } = await verifyBundle(bundleOf(files), any)
    return [verdict, ...new Set(reasons.map(({ code }) => code))]
  }

  test('it is bound by its digest, and handed out as it was verified', async () => {
    const sound = tree()
    assert.deepEqual(await verdictOf(sound), ['unsigned', 'no_signature'])
    const bundle = await loadBundle(bundleOf(sound), any)
    assert.deepEqual(JSON.parse(Buffer.from(bundle.bytes('interfaces.json')).toString()), [RECORD])
  })

  test('changed, unlisted or gone it makes the bundle invalid', async () => {
    const sound = tree()
    const other = JSON.stringify([{ ...RECORD, is_read_only: true }])
    assert.deepEqual((await verdictOf({ ...sound, 'interfaces.json': other })).slice(0, 2), [
      'invalid',
      'manifest/digest-stale',
    ])
    const { 'interfaces.json': file = '', ...without } = sound
    assert.deepEqual((await verdictOf(without)).slice(0, 2), ['invalid', 'manifest/file-missing'])
    const { 'manifest.toml': unlisted = '' } = agentTree({
      files: { 'policy.caps': without['policy.caps'] ?? '', 'tools.json': without['tools.json'] ?? '' },
    })
    assert.deepEqual(
      (await verdictOf({ ...without, 'manifest.toml': unlisted, 'interfaces.json': file })).slice(0, 2),
      ['invalid', 'manifest/digest-missing'],
    )
  })

  test('an invalid record, and an internal field that a model sees, make it invalid', async () => {
    for (const [records, code] of [
      [[{ ...RECORD, strict: 'yes' }], 'tools/interface-shape'],
      [{}, 'tools/interface-shape'],
      [
        [
          {
            ...RECORD,
            runtime_input_schema: {
              properties: { words: { visibility: 'internal', mutation_source: 'hook' } },
            },
          },
        ],
        'tools/interface-internal-field',
      ],
    ] as const) {
      assert.deepEqual((await verdictOf(tree(records))).slice(0, 2), ['invalid', code])
    }
  })

  test('what lint alone says of records makes none invalid, and the report says how they were compared', async () => {
    const skipped = 'Records in interfaces.json were compared by properties alone'
    const words = { type: 'string', visibility: 'internal' }
    const inBranch = { ...RECORD, runtime_input_schema: { allOf: [{ properties: { words } }] } }
    const run = { schema_version: '0.2.0', invocation_id: 'i', created_at: '2026-05-08T00:00:00Z' }
    const call = { ...run, tool_id: RECORD.tool_id, status: 'running', model_input: {}, call_input: { a: 1 } }
    for (const [records, rule] of [
      [[RECORD], undefined],
      [[{ ...RECORD, runtime_input_schema: { properties: { words: {}, user: {} } } }], 'visibility'],
      [[{ ...RECORD, internal_only_fields: ['words'] }], 'visibility'],
      [[inBranch], 'visibility'],
      [[RECORD, call], 'mutation'],
    ] as const) {
      const files = tree(records)
      const { verdict, skipped: list } = await verifyBundle(bundleOf(files), any)
      assert.equal(verdict, 'unsigned')
      assert.equal(list.filter(line => line === skipped).length, 1)
      const found = lintAgent(read(memoryFiles(files), 'mini'), UNPREPARED)
      const errors = found.filter(({ rule, severity }) => severity === 'error' && rule.includes('interface'))
      assert.deepEqual(
        errors.map(one => one.rule),
        rule === undefined ? [] : [`tools/interface-${rule}`],
      )
    }
    const { 'policy.caps': policy = '', 'tools.json': tools = '' } = tree()
    const records = JSON.stringify([RECORD])
    for (const files of [
      { 'policy.caps': policy, 'tools.json': tools },
      { 'policy.caps': policy, 'tools.json': '{"version": 2}', 'interfaces.json': records },
    ]) {
      const { skipped: list } = await verifyBundle(bundleOf(agentTree({ files })), any)
      assert.ok(!list.includes(skipped))
    }
  })

  test('no other table may name it', async () => {
    const files = tree()
    const manifest = String(files['manifest.toml'])
    const digest = /"interfaces\.json" = ("[0-9a-f]+")/.exec(manifest)?.[1] ?? ''
    const own = `[artifacts.interfaces]\npath = "interfaces.json"\nblake3 = ${digest}\n`
    for (const text of [`${manifest}\n${own}`, `${manifest.replace(/^"interfaces.*\n/m, '')}\n${own}`]) {
      const [verdict, ...codes] = await verdictOf({ ...files, 'manifest.toml': text })
      assert.equal(verdict, 'invalid')
      assert.ok(codes.includes('manifest/stray-digest'), codes.join())
    }
  })
})

describe('levels of lint', () => {
  const said = async (records: unknown, ...flags: string[]) => {
    const cwd = folderFor('level')
    writeTree(`${cwd}/mini`, tree(records))
    const { exit, stdout } = await run(['agent', 'lint', 'mini', '--json', ...flags], undefined, { cwd })
    const { result } = JSON.parse(stdout) as {
      result: {
        agents: { findings: { rule: string; severity: string; suppressed?: { reason: string } }[] }[]
      }
    }
    const findings = result.agents.flatMap(({ findings }) => findings)
    return [
      exit,
      ...findings
        .filter(({ rule }) => rule.startsWith('tools/interface-'))
        .map(
          ({ rule, severity, suppressed }) =>
            `${severity} ${rule}${suppressed ? ` ${suppressed.reason}` : ''}`,
        ),
    ]
  }
  const complete = 'tools/interface-complete'

  test('what is not stated is an error at "complete", and nothing otherwise', async () => {
    assert.deepEqual(await said([RECORD]), [0])
    assert.deepEqual(await said([RECORD], '--interfaces', 'complete'), [1, `error ${complete}`])
    // Reported as suppressed, and by what.
    assert.deepEqual(await said([RECORD], '--interfaces', 'schema'), [
      0,
      `info ${complete} --interfaces schema`,
    ])
  })

  test('at "complete" a classifier has to be shown something', async () => {
    const { classifier_input: _, ...without } = RECORD
    assert.deepEqual((await said([without], '--interfaces', 'complete')).slice(1), [
      'error tools/interface-classifier',
      `error ${complete}`,
    ])
  })

  test('what breaks a schema or a MUST is an error at every level', async () => {
    const internal = { ...RECORD, internal_only_fields: ['words'], strict: 1 }
    for (const level of ['schema', 'complete']) {
      const [exit, ...lines] = await said([internal], '--interfaces', level)
      assert.deepEqual([exit, lines.includes('error tools/interface-shape')], [1, true])
    }
    const { strict: _, ...listed } = internal
    assert.ok((await said([listed], '--interfaces', 'schema')).includes('error tools/interface-visibility'))
  })

  test('--rule comes after it, and other levels are refused', async () => {
    assert.deepEqual(await said([RECORD], '--interfaces', 'complete', '--rule', `${complete}=warn`), [
      0,
      `warning ${complete}`,
    ])
    const cwd = folderFor('refused')
    assert.equal((await run(['agent', 'lint', '--interfaces', 'all'], undefined, { cwd })).exit, 2)
  })

  test('a record with defaults and a word for each part is complete', async () => {
    const { record } = AgentTool.withDefaults(
      {
        ...RECORD,
        name: 'find',
        namespace: 'note',
        description: TOOL.description,
        model_input_schema: AgentTool.modelSchema(TOOL.input_schema).schema as AgentTool.RecordData,
        is_enabled: true,
        schema_validation: 'before_permission',
        permission_matcher: 'note:{words}',
        timeout_ms: 5000,
        max_inline_chars: 4000,
        empty_result_policy: 'empty_list',
        ui_summary: 'Finds notes',
      },
      { toolKind: 'shell_command', structured: true, providerStrict: true },
    )
    assert.deepEqual(await said([record], '--interfaces', 'complete'), [0])
    assert.deepEqual(record.annotations, {
      inferred: [
        'is_concurrency_safe',
        'is_read_only',
        'is_destructive',
        'is_open_world',
        'requires_user_interaction',
        'strict',
        'interrupt_behavior',
      ],
    })
    assert.equal(AgentTool.settledFlag(record, 'is_destructive'), true)
  })
})

describe('docs/interfaces.md', () => {
  const page = readFileSync(new URL('../../docs/interfaces.md', import.meta.url), 'utf8')

  test('its example states everything, and is in order', async () => {
    const [, example = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? []
    const records = JSON.parse(example) as [AgentTool.ToolInterface]
    const cwd = folderFor('example')
    const tool = { ...TOOL, input_schema: records[0].model_input_schema }
    const { 'tools.json': _, ...files } = tree(records)
    writeTree(`${cwd}/mini`, { ...files, 'tools.json': JSON.stringify({ version: 1, tools: [tool] }) })
    const { stdout } = await run(
      ['agent', 'lint', 'mini', '--json', '--interfaces', 'complete', '--rule', 'manifest/*=off'],
      undefined,
      { cwd },
    )
    const { result } = JSON.parse(stdout) as { result: { agents: { findings: { rule: string }[] }[] } }
    const found = result.agents
      .flatMap(({ findings }) => findings)
      .filter(({ rule }) => rule.includes('interface'))
    assert.deepEqual(found, [])
  })

  test('its table has every default', () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \| `([^`]*)`/gm)].map(([, field, value = '']) => [
      field,
      JSON.parse(value),
    ])
    const closed = { toolKind: 'shell_command' }
    assert.deepEqual(
      rows,
      AgentTool.DEFAULTED.map(field => [field, AgentTool.defaultOf(field, closed)]),
    )
  })

  test('its program does what it says', () => {
    const { record, inferred } = AgentTool.withDefaults(
      { ...RECORD, is_read_only: true },
      { toolKind: 'function' },
    )
    assert.equal(AgentTool.settledFlag(record, 'is_destructive'), true)
    assert.ok(!inferred.includes('is_read_only'))
    const { schema, removed } = AgentTool.modelSchema({
      properties: { words: { type: 'string' }, user: { visibility: 'internal', mutation_source: 'hook' } },
    })
    assert.deepEqual([schema, removed], [{ properties: { words: { type: 'string' } } }, ['user']])
  })
})
