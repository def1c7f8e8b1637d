// The commands about tools print with --json what the functions of the library answer: where tools are withheld, in a dry run, and for
// a folder that an author works in.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { callTool, capsShow, listTools, loadBundle, replay } from '../../src/library/generated/index.ts'
import { writeTree } from '../support/agent.ts'
import { asPrinted } from '../support/as-printed.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { good, made, madeTree, RELEASE, STRANGER, world } from '../support/install-world.ts'
import { leaveUnheld } from '../support/unheld.ts'

const ECHO = {
  id: 'text.echo',
  description: 'Says it again',
  transport: { kind: 'exec', command: '/bin/cat' },
  input_schema: { type: 'object', properties: { q: { type: 'string' } }, additionalProperties: false },
  result_schema: {},
  'x-rlp': { stdin: true },
}
const ASK = { ...ECHO, id: 'text.ask', requires_confirmation: true }
const RUN = { ...ECHO, id: 'text.run', transport: { kind: 'exec', command: '/bin/other' } }
const OFF = { ...ECHO, id: 'text.off' }
const FACES = [
  { schema_version: '0.2.0', interface_id: 'i:off', tool_id: 'text.off', is_enabled: false },
  { schema_version: '0.2.0', interface_id: 'i:ask', tool_id: 'text.ask', is_destructive: true },
]
const FACTS = {
  caps: 'exec = ["/bin/cat"]\n',
  files: {
    'tools.json': JSON.stringify({ version: 1, tools: [ECHO, ASK, RUN, OFF] }),
    'interfaces.json': JSON.stringify(FACES),
  },
}

const here = world(temporary('answers')('call'))
leaveUnheld(here.home)
const { cwd, home } = here
const env = { RUNLOOP_HOME: home }
here.put('mini-1.0.0.agent.bundle', made(FACTS, RELEASE))
here.put('next', made({ ...FACTS, version: '1.1.0', caps: '' }, RELEASE))
writeTree(join(cwd, 'agents/mini'), madeTree({ ...FACTS, variant: 'pro' }))

const printed = async (...args: string[]) => {
  process.env['RUNLOOP_HOME'] = home
  return JSON.parse((await run([...args, '--json'], undefined, { cwd, env })).stdout).result
}
const loaded = (path: string) => loadBundle(join(cwd, path), { expect: 'mini', home })

describe('tool list', () => {
  test('of a bundle some of whose tools are withheld', async () => {
    const answer = await listTools('mini-1.0.0.agent.bundle', { cwd, home })
    const { target, agent, version, isTrusted, tools, denied, safety } = answer
    assert.deepEqual([target, agent, version, isTrusted], ['mini-1.0.0.agent.bundle', 'mini', '1.0.0', true])
    assert.deepEqual(
      [tools, denied].map(list => list.map(({ id }) => id)),
      [
        ['text.echo', 'text.ask'],
        ['text.run', 'text.off'],
      ],
    )
    assert.deepEqual(Object.keys(safety), ['text.ask'])
    const result = await printed('tool', 'list', 'mini-1.0.0.agent.bundle')
    assert.deepEqual(result, { agents: [asPrinted(answer)], refused: [] })
  })

  test('of a folder that an author works in', async () => {
    const answer = await listTools('agents/mini', { cwd, home, unverified: true })
    const { agent, identity, isTrusted } = answer
    assert.deepEqual([agent, identity, isTrusted], ['mini@pro', null, false])
    const result = await printed('tool', 'list', 'agents/mini', '--unverified')
    assert.deepEqual(result, { agents: [asPrinted(answer)], refused: [] })
  })

  test('of what is installed, with a bundle that may not be used', async () => {
    const own = world(temporary('answers')('installed'))
    own.put('mini-1.0.0.agent.bundle', made(FACTS, RELEASE))
    await good(own, 'agent', 'install', 'mini-1.0.0.agent.bundle', '--yes')
    writeFileSync(join(own.root, 'other.agent.bundle'), made({ name: 'other' }, STRANGER))
    const { envelope } = await own.rlp('tool', 'list')
    const { agents, refused } = envelope.result as unknown as Record<string, Record<string, string>[]>
    const path = join(own.root, 'mini.agent.bundle')
    const answer = asPrinted(await listTools(path, { home: own.home })) as object
    assert.deepEqual(agents, [{ ...answer, target: agents?.[0]?.['target'] }])
    assert.deepEqual(
      refused?.map(({ verdict }) => verdict),
      ['untrusted'],
    )
  })
})

describe('tool call --dry-run', () => {
  for (const id of ['text.echo', 'text.ask'])
    test(`of ${id}`, async () => {
      const bundle = await loaded('mini-1.0.0.agent.bundle')
      const answer = await callTool(bundle, id, { q: 'a' }, { cwd, env, dryRun: true })
      assert.deepEqual(answer.is === 'planned' && [answer.tool, answer.requiresConfirmation], [
        id,
        id === 'text.ask',
      ])
      const args = ['--args', '{"q":"a"}', '--dry-run']
      const result = await printed('tool', 'call', id, 'mini-1.0.0.agent.bundle', ...args)
      assert.deepEqual(result, asPrinted(answer))
    })
})

test('tool replay, alone and beside another bundle', async () => {
  const args = ['--args', '{"q":"a"}', '--trace', 'calls.ndjson']
  assert.deepEqual(await printed('tool', 'call', 'text.echo', 'mini-1.0.0.agent.bundle', ...args), { q: 'a' })
  assert.deepEqual(
    await printed('tool', 'replay', 'calls.ndjson'),
    asPrinted(await replay('calls.ndjson', { cwd })),
  )
  const answer = await replay('calls.ndjson', { cwd, bundle: await loaded('next') })
  assert.deepEqual(
    answer.calls[0]?.differences.map(({ code }) => code),
    ['bundle_changed', 'tool_denied'],
  )
  const result = await printed('tool', 'replay', 'calls.ndjson', '--bundle', 'next', '--expect', 'mini')
  assert.deepEqual(result, asPrinted(answer))
})

test('caps show --sandbox', async () => {
  const answer = await capsShow('agents/mini', { cwd, env, sandbox: true })
  assert.deepEqual([answer.target, answer.agent], ['agents/mini', 'mini@pro'])
  const result = await printed('caps', 'show', 'agents/mini', '--sandbox')
  assert.deepEqual(result, { agents: [asPrinted(answer)] })
})
