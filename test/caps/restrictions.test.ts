// A record of interfaces.json grants nothing, and may restrict: what is kept back, and what is lowered.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { read } from '../../src/agent/read-agent.ts'
import { CALL_LIMITS, type CallableAgent } from '../../src/call/context.ts'
import { Ledger } from '../../src/call/ledger.ts'
import { callableSource } from '../../src/call/open-agent.ts'
import { prepareCall } from '../../src/call/prepare-call.ts'
import { effectivePolicy } from '../../src/caps/effective.ts'
import { diffAgents } from '../../src/inspect/diff.ts'
import { loadBundle } from '../../src/library/generated/index.ts'
import type { RunHost, RunLimits } from '../../src/model/run.ts'
import { SecretMask } from '../../src/secret/secret-mask.ts'
import { agentTree, bundleOf, type Tree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, world } from '../support/install-world.ts'
import { memoryFiles } from '../support/memory.ts'

const TOOLS = JSON.stringify({
  version: 1,
  tools: [
    {
      id: 'text.run',
      description: 'Runs.',
      transport: { kind: 'exec', command: '/bin/x' },
      input_schema: { type: 'object' },
      result_schema: { type: 'object' },
      'x-rlp': { timeout_ms: 5000 },
    },
  ],
})
const FACE = { schema_version: '0.2.0', interface_id: 'i', tool_id: 'text.run' }
const DECLARATION = {
  schema_version: '0.2.0',
  tool_id: 'text.run',
  namespace: 'text',
  name: 'run',
  description: 'Runs.',
  tool_kind: 'shell',
}

function files(records?: readonly object[]): Tree {
  return {
    'tools.json': TOOLS,
    'policy.caps': '[capabilities]\nexec = ["/bin/x"]\n',
    ...(records && { 'interfaces.json': JSON.stringify(records) }),
  }
}

function callable(records?: readonly object[], policy?: string): CallableAgent {
  const changed = policy === undefined ? {} : { 'policy.caps': policy }
  const agent = read(memoryFiles(agentTree({ files: { ...files(records), ...changed } })), 'mini')
  const found = agent.policy && callableSource(agent, effectivePolicy(agent.policy))
  assert.ok(found)
  return found
}

/** How a call is refused, or with what limits it would run. */
async function called(agent: CallableAgent, timeoutMs?: number): Promise<string | RunLimits> {
  const host: RunHost = {
    kind: 'exec',
    plan: () => ({ ok: true, plan: { kind: 'exec', command: '/bin/x', args: [] } }),
    run: () => assert.fail('nothing is run'),
  } as unknown as RunHost
  const prepared = await prepareCall(
    { tool: 'text.run', text: '{}' },
    {
      agent,
      hosts: [host],
      ledger: new Ledger(),
      mask: new SecretMask(),
      variables: { env: {}, handsOver: 'all' },
      limits: { ...CALL_LIMITS, ...(timeoutMs !== undefined && { timeoutMs }) },
    },
  )
  return 'failure' in prepared ? `${prepared.failure.kind}: ${prepared.failure.message}` : prepared.limits
}

describe('a record', () => {
  const off = "rejected: Tool 'text.run' is switched off by interfaces.json."
  const setup = "unavailable: Tool 'text.run' has to be set up first, as interfaces.json says."
  const cases: [what: string, records: readonly object[] | undefined, expected: string | number][] = [
    ['none at all', undefined, 5000],
    ['that says nothing', [FACE], 5000],
    ['enabled', [{ ...FACE, is_enabled: true }], 5000],
    ['not enabled', [{ ...FACE, is_enabled: false }], off],
    [
      'enabled as another flag that is off',
      [{ ...FACE, is_enabled: 'same_as:is_read_only', is_read_only: false }],
      off,
    ],
    ['enabled in words that are not understood', [{ ...FACE, is_enabled: 'classifier:weekday' }], off],
    ['of a disabled tool', [{ ...DECLARATION, lifecycle: 'disabled' }], off],
    ['that wants a setup', [{ ...FACE, requires_setup: true }], setup],
    ['of a tool that wants a setup', [{ ...DECLARATION, lifecycle: 'requires_setup' }], setup],
    ['with a shorter time', [{ ...FACE, timeout_ms: 100 }], 100],
    ['with a longer time', [{ ...FACE, timeout_ms: 60_000 }], 5000],
    ['of another tool', [{ ...FACE, tool_id: 'other', is_enabled: false }], 5000],
  ]
  for (const [what, records, expected] of cases) {
    test(what, async () => {
      const found = await called(callable(records))
      assert.deepEqual(typeof found === 'string' ? found : found.timeoutMs, expected)
    })
  }

  test('lowers what the caller asks for too', async () => {
    const found = await called(callable([{ ...FACE, timeout_ms: 100 }]), 9000)
    assert.equal(typeof found === 'object' && found.timeoutMs, 100)
  })

  test('grants nothing', async () => {
    const found = await called(callable([{ ...FACE, is_enabled: true }], '[capabilities]\n'))
    assert.match(String(found), /^rejected: .*exec:\/bin\/x is not granted by policy\.caps/)
  })

  test('lowers the characters of an answer, and never raises them', () => {
    assert.equal(callable([{ ...FACE, max_inline_chars: 900 }]).restrict?.('text.run').maxInlineChars, 900)
    for (const wrong of [0, -1, 1.5, '9', null])
      assert.equal(
        callable([{ ...FACE, max_inline_chars: wrong }]).restrict?.('text.run').maxInlineChars,
        undefined,
      )
  })
})

test('the library hands out no tool that a record keeps back', async () => {
  const load = (records?: readonly object[]) =>
    loadBundle(bundleOf(agentTree({ files: files(records) })), { expect: 'any', allowUnsigned: true })
  const open = await load([FACE])
  assert.deepEqual([open.tools.map(({ id }) => id), open.denied], [['text.run'], []])
  const kept = await load([{ ...FACE, is_enabled: false }])
  assert.deepEqual(kept.tools, [])
  assert.deepEqual(kept.denied, [
    { id: 'text.run', capability: '', reason: 'disabled', by: 'interfaces.json' },
  ])
})

test('the library hands out what records say of safety, of denied tools too', async () => {
  const load = (records?: readonly object[]) =>
    loadBundle(bundleOf(agentTree({ files: files(records) })), { expect: 'any', allowUnsigned: true })
  assert.deepEqual([...(await load()).safety], [])
  assert.deepEqual([...(await load([FACE])).safety], [])
  const profiles = [
    {
      ...FACE,
      is_destructive: true,
      timeout_ms: 300,
      permission_profile_ref: 'p',
      execution_profile_ref: 'e',
    },
    { ...DECLARATION, lifecycle: 'disabled' },
    { schema_version: '0.2.0', permission_profile_id: 'p', risk_level: 'high', sandbox_profile: 'wide' },
    {
      schema_version: '0.2.0',
      execution_profile_id: 'e',
      execution_kind: 'local_process',
      sandbox_profile: 'tight',
      timeout_ms: 200,
    },
  ]
  const { safety, denied } = await load(profiles)
  assert.deepEqual(denied[0]?.reason, 'disabled')
  assert.deepEqual(Object.fromEntries(safety), {
    'text.run': {
      lifecycle: 'disabled',
      risk_level: 'high',
      sandbox_profile: 'tight',
      is_destructive: true,
      timeout_ms: 200,
    },
  })
})

describe('diff', () => {
  const at = (records?: readonly object[]) => read(memoryFiles(agentTree({ files: files(records) })), 'mini')
  const changed = (before: readonly object[] | undefined, after: readonly object[] | undefined) =>
    diffAgents(at(before), at(after)).tools.flatMap(({ id, fields }) =>
      fields.map(({ field, before, after }) => [id, field, before, after]),
    )

  test('the same facts, written again, are no difference', () => {
    assert.deepEqual(changed([{ ...FACE, is_enabled: true }], [{ is_enabled: true, ...FACE }]), [])
    assert.deepEqual(changed(undefined, [FACE]), [])
  })

  test('a restriction that comes, goes or changes', () => {
    assert.deepEqual(changed([{ ...FACE, is_enabled: false }], [{ ...FACE, is_enabled: true }]), [
      ['text.run', 'restricted', 'disabled', undefined],
      ['text.run', 'interfaces.is_enabled', false, true],
    ])
    assert.deepEqual(changed([{ ...FACE, requires_setup: true }], undefined), [
      ['text.run', 'restricted', 'setup_required', undefined],
      ['text.run', 'interfaces.requires_setup', true, undefined],
    ])
    assert.deepEqual(changed([FACE], [{ ...DECLARATION, lifecycle: 'retired' }]), [
      ['text.run', 'restricted', undefined, 'disabled'],
      ['text.run', 'interfaces.lifecycle', undefined, 'retired'],
    ])
    const limits = (timeout: number, chars: number) => [
      { ...FACE, max_inline_chars: chars, execution_profile_ref: 'e' },
      {
        schema_version: '0.2.0',
        execution_profile_id: 'e',
        execution_kind: 'shell',
        timeout_ms: timeout,
      },
    ]
    assert.deepEqual(changed(limits(10, 20), limits(30, 40)), [
      ['text.run', 'interfaces.max_inline_chars', 20, 40],
      ['text.run', 'interfaces.timeout_ms', 10, 30],
    ])
  })
})

test('tool list says why a tool is hidden, and what records say of the others', async () => {
  const here = world(temporary('restrictions')('list'))
  const tools = (id: string) => ({ ...JSON.parse(TOOLS).tools[0], id })
  const ids = ['a.off', 'b.setup', 'c.open', 'd.poor']
  const poor = { ...tools('d.poor'), transport: { kind: 'exec', command: '/bin/other' } }
  const bytes = made(
    {
      caps: 'exec = ["/bin/x"]\n',
      files: {
        'tools.json': JSON.stringify({ version: 1, tools: [...ids.slice(0, 3).map(tools), poor] }),
        'interfaces.json': JSON.stringify([
          { ...FACE, interface_id: 'a', tool_id: 'a.off', is_enabled: false },
          { ...FACE, interface_id: 'b', tool_id: 'b.setup', requires_setup: true },
          { ...FACE, interface_id: 'c', tool_id: 'c.open', is_read_only: true, timeout_ms: 100 },
        ]),
      },
    },
    RELEASE,
  )
  const { exit, stdout, stderr } = await here.say(
    'tool',
    'list',
    here.put('a.agent.bundle', bytes),
    '--table',
  )
  assert.equal(exit, 0, stderr)
  assert.match(stdout, /c\.open/)
  assert.doesNotMatch(stdout, /a\.off|b\.setup/)
  assert.match(
    stdout,
    /what interfaces\.json says of them\n {2}c\.open: is_read_only true, timeout_ms 100\n$/,
  )
  assert.match(stderr, /^1 tool of .* is not granted what it needs$/m)
  assert.match(stderr, /^a\.off of .* is hidden: disabled by interfaces\.json$/m)
  assert.match(stderr, /^b\.setup of .* is hidden: setup_required, says interfaces\.json$/m)
  const json = await here.say('tool', 'list', here.put('a.agent.bundle', bytes), '--json')
  const [agent] = JSON.parse(json.stdout).result.agents
  assert.deepEqual(agent.denied.slice(0, 2), [
    { id: 'a.off', reason: 'disabled', by: 'interfaces.json', capability: '' },
    { id: 'b.setup', reason: 'setup_required', by: 'interfaces.json', capability: '' },
  ])
  assert.deepEqual(agent.safety, { 'c.open': { is_read_only: true, timeout_ms: 100 } })
})

test('inspect says so, and what else the record says of safety', async () => {
  const here = world(temporary('restrictions')('inspect'))
  const record = { ...FACE, requires_setup: true, is_destructive: true, timeout_ms: 100 }
  const bytes = made(
    {
      caps: 'exec = ["/bin/x"]\n',
      files: { 'tools.json': TOOLS, 'interfaces.json': JSON.stringify([record]) },
    },
    RELEASE,
  )
  const { stdout } = await here.say('agent', 'inspect', here.put('a', bytes))
  assert.match(stdout, /✗ text\.run .*, not exposed/)
  assert.match(stdout, /kept back by interfaces\.json: setup_required/)
  assert.match(stdout, /interfaces\.json: is_destructive true/)
  assert.match(stdout, /interfaces\.json: timeout_ms 100/)
})
