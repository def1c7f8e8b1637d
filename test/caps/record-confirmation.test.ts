// A record that demands a person: then a person is asked before each call, however the tool is reached, and without one it is refused.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { read } from '../../src/agent/read-agent.ts'
import { restrictionsIn } from '../../src/caps/interface-records.ts'
import { permissionsOf, widen } from '../../src/inspect/widen.ts'
import { callTool, loadBundle, serveTools } from '../../src/library/generated/index.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { imported } from '../support/conversion.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { PATH } from '../support/host.ts'
import { made, RELEASE, world } from '../support/install-world.ts'
import { clientEnd, Pipe } from '../support/mcp.ts'
import { memoryFiles } from '../support/memory.ts'

const folder = temporary('record-confirmation')
const TOOL = {
  id: 'text.run',
  description: 'Runs.',
  transport: { kind: 'exec', command: '/bin/cat' },
  input_schema: { type: 'object' },
  result_schema: { type: 'object' },
  'x-rlp': { stdin: true },
}
const FACE = { schema_version: '0.2.0', interface_id: 'i', tool_id: 'text.run' }
const DECLARATION = {
  schema_version: '0.2.0',
  tool_id: 'text.run',
  namespace: 'text',
  name: 'run',
  description: 'Runs.',
  lifecycle: 'available',
  tool_kind: 'custom',
}
const profile = (id: string, approval_required?: unknown) => ({
  schema_version: '0.2.0',
  permission_profile_id: id,
  risk_level: 'high',
  ...(approval_required !== undefined && { approval_required }),
})
const execution = (id: string, timeout_ms: number) => ({
  schema_version: '0.2.0',
  execution_profile_id: id,
  execution_kind: 'local_process',
  timeout_ms,
})
const P = { permission_profile_ref: 'p' }

const APPROVAL = [{ ...FACE, ...P }, profile('p', true)]
const NONE = [{ ...FACE, ...P, requires_user_interaction: false }, profile('p', false)]
const USER = [{ ...FACE, requires_user_interaction: true }]

const files = (records: readonly object[], more: object = {}) => ({
  'tools.json': JSON.stringify({ version: 1, tools: [{ ...TOOL, ...more }] }),
  'policy.caps': '[capabilities]\nexec = ["/bin/cat"]\n',
  'interfaces.json': JSON.stringify(records),
})

describe('which records demand a person', () => {
  const cases: [what: string, records: readonly object[], asks: boolean][] = [
    ['a profile that needs approval', APPROVAL, true],
    ['an interface that needs the user', USER, true],
    ['neither', NONE, false],
    ['a profile that leaves it out', [{ ...FACE, ...P }, profile('p')], false],
    ['the profile of the declaration', [{ ...DECLARATION, ...P }, profile('p', true)], true],
    [
      'the profile of the declaration, also where the interface names another',
      [
        { ...DECLARATION, ...P },
        { ...FACE, permission_profile_ref: 'q' },
        profile('p', true),
        profile('q', false),
      ],
      true,
    ],
    ['a profile that no tool names', [FACE, profile('p', true)], false],
    [
      'the interface of another tool',
      [{ ...FACE, tool_id: 'other', requires_user_interaction: true }],
      false,
    ],
    ['a value that is not understood', [{ ...FACE, requires_user_interaction: 'sometimes' }], true],
    ['a destructive tool, which says nothing of persons', [{ ...FACE, is_destructive: true }], false],
  ]
  for (const [what, records, asks] of cases)
    test(what, () => assert.equal(restrictionsIn(() => records)('text.run').asks ?? false, asks))

  test('the time of the declaration’s profile counts too', () => {
    const both = [
      { ...DECLARATION, execution_profile_ref: 'short' },
      { ...FACE, execution_profile_ref: 'long' },
      execution('short', 100),
      execution('long', 900),
    ]
    assert.equal(restrictionsIn(() => both)('text.run').timeoutMs, 100)
  })
})

describe('in the library', () => {
  const load = (records: readonly object[]) =>
    loadBundle(bundleOf(agentTree({ files: files(records) })), { expect: 'any', allowUnsigned: true })
  const reasonOf = async (records: readonly object[], confirm?: () => Promise<'approved' | 'declined'>) => {
    const { envelope } = await callTool(await load(records), 'text.run', { a: 1 }, confirm && { confirm })
    return envelope.ok ? envelope.result : [envelope.kind, envelope['reason']]
  }

  test('the tool is refused without a person, and runs with a yes', async () => {
    assert.deepEqual(await reasonOf(NONE), { a: 1 })
    for (const records of [APPROVAL, USER]) {
      assert.deepEqual(await reasonOf(records), ['user_denied', 'nobody_to_ask'])
      assert.deepEqual(await reasonOf(records, async () => 'declined'), ['user_denied', 'declined'])
      assert.deepEqual(await reasonOf(records, async () => 'approved'), { a: 1 })
    }
  })

  test('the loaded tool and the plan say so', async () => {
    for (const [records, asks] of [
      [NONE, false],
      [APPROVAL, true],
      [USER, true],
    ] as const) {
      const loaded = await load(records)
      assert.equal(loaded.tools[0]?.requiresConfirmation, asks)
      const plan = await callTool(loaded, 'text.run', {}, { dryRun: true })
      assert.equal(plan.is === 'planned' && plan.requiresConfirmation, asks)
    }
  })

  test('a server refuses it, unless a yes was given before', async () => {
    const served = async (records: readonly object[], yes: boolean) => {
      const here = world(
        folder(`served-${records.length}-${yes}-${'permission_profile_id' in (records[1] ?? {})}`),
      )
      const bundle = here.put('mini.agent.bundle', bundleOf(agentTree({ files: files(records) })))
      const [up, down] = [new Pipe(), new Pipe()]
      const serving = serveTools([join(here.cwd, bundle)], {
        input: up,
        output: down,
        home: false,
        allowUnsigned: true,
        expect: ['any'],
        yes,
      })
      const client = new Client({ name: 'test', version: '1' })
      await client.connect(clientEnd(up, down).transport)
      const { content } = (await client.callTool({ name: 'text.run', arguments: { a: 1 } })) as CallToolResult
      await client.close()
      await serving
      const [item] = content
      const envelope = item?.type === 'text' ? JSON.parse(item.text) : assert.fail()
      return envelope.ok ? envelope.result : [envelope.kind, envelope.reason]
    }
    assert.deepEqual(await served(NONE, false), { a: 1 })
    for (const records of [APPROVAL, USER]) {
      assert.deepEqual(await served(records, false), ['user_denied', 'nobody_to_ask'])
      assert.deepEqual(await served(records, true), { a: 1 })
    }
  })
})

describe('on the command line', () => {
  const place = (name: string, records: readonly object[]) => {
    const here = world(folder(name))
    const bundle = here.put(
      'a.agent.bundle',
      made({ caps: 'exec = ["/bin/cat"]\n', files: files(records) }, RELEASE),
    )
    return async (...args: string[]) => {
      process.env['RUNLOOP_HOME'] = here.home
      const env = { PATH, HOME: here.home, RUNLOOP_HOME: here.home }
      return run(
        [...args.slice(0, 2), ...args.slice(2).map(arg => (arg === 'BUNDLE' ? bundle : arg))],
        undefined,
        {
          cwd: here.cwd,
          env,
        },
      )
    }
  }

  for (const [name, records, asks] of [
    ['none', NONE, false],
    ['approval', APPROVAL, true],
    ['user', USER, true],
  ] as const)
    test(`call, list and inspect: ${name}`, async () => {
      const say = place(name, records)
      const called = await say('tool', 'call', 'text.run', 'BUNDLE', '--json')
      const { reason } = JSON.parse(called.stdout)
      assert.deepEqual([called.exit, reason], asks ? [1, 'nobody_to_ask'] : [0, undefined])
      const agreed = await say('tool', 'call', 'text.run', 'BUNDLE', '--yes', '--json')
      assert.equal(agreed.exit, 0, agreed.stdout)
      const dry = await say('tool', 'call', 'text.run', 'BUNDLE', '--dry-run', '--json')
      assert.equal(JSON.parse(dry.stdout).result.requiresConfirmation, asks)
      const listed = await say('tool', 'list', 'BUNDLE', '--json')
      const [tool] = JSON.parse(listed.stdout).result.agents[0].tools
      assert.equal(tool.requiresConfirmation, asks)
      assert.match(
        (await say('tool', 'list', 'BUNDLE', '--table')).stdout,
        asks ? /exec +\| yes/ : /exec +\| no/,
      )
      const inspected = await say('agent', 'inspect', 'BUNDLE', '--json')
      assert.equal(JSON.parse(inspected.stdout).result.tools[0].requiresConfirmation, asks)
    })
})

describe('elsewhere', () => {
  const may = (records: readonly object[], more?: object) =>
    permissionsOf(read(memoryFiles(agentTree({ files: files(records, more) })), 'mini'))
  const kinds = (before: readonly object[], after: readonly object[], more?: object) =>
    widen(may(before), may(after, more)).widened.map(({ message }) => message)

  test('an upgrade that drops the demand has widened', () => {
    const said = ['calls text.run without asking']
    assert.deepEqual(kinds(APPROVAL, APPROVAL), [])
    assert.deepEqual(kinds(NONE, APPROVAL), [])
    assert.deepEqual(kinds(APPROVAL, NONE), said)
    assert.deepEqual(kinds(USER, []), said)
    // tools.json asks in its place.
    assert.deepEqual(kinds(APPROVAL, NONE, { requires_confirmation: true }), [])
  })

  test('an import asks where a record demands it', () => {
    const asks = (records: readonly object[]) =>
      imported(JSON.stringify(records), { run: { is: 'command', command: '/bin/cat' } }).tools.map(
        ({ tool }) => tool.requiresConfirmation,
      )
    assert.deepEqual([NONE, APPROVAL, USER].map(asks), [[false], [true], [true]])
  })
})
