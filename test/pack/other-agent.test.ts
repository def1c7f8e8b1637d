// An agent is packed as itself: a name leads to no folder of another agent, and a folder with a manifest of its own is not
// part of the one around it.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { read } from '../../src/agent/read-agent.ts'
import { findAgents } from '../../src/io/find/find-agents.ts'
import { readTree } from '../../src/io/read/read-tree.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { RlpError } from '../../src/model/error.ts'
import { agentTree, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { snapshot, temporary } from '../support/folder.ts'

const folder = temporary('other-agent')
const world = (agents: Record<string, Parameters<typeof agentTree>[0]>) => {
  const cwd = folder('world')
  for (const [place, facts] of Object.entries(agents)) writeTree(join(cwd, 'agents', place), agentTree(facts))
  return cwd
}
const found = async (cwd: string, arg: string) =>
  (await findAgents([arg], { agentsDir: 'agents', cwd })).map(({ label }) => label)
const refused = async (cwd: string, arg: string): Promise<RlpError> => {
  const error = await findAgents([arg], { agentsDir: 'agents', cwd }).catch(error => error)
  assert.ok(error instanceof RlpError, String(error))
  return error
}

describe('a reference', () => {
  test('leads to the agent that declares its name', async () => {
    const cwd = world({ writer: { name: 'writer' } })
    assert.deepEqual(await found(cwd, 'writer'), ['agents/writer'])
    const undeclared = await refused(cwd, 'writer@basic')
    assert.equal(
      undeclared.message,
      'Cannot use "agents/writer" as writer@basic: its manifest declares writer',
    )
  })

  test('leads to no agent of another name', async () => {
    const { code, message } = await refused(world({ writer: { name: 'other' } }), 'writer')
    assert.equal(code, 'NOT_FOUND')
    assert.equal(message, 'Cannot use "agents/writer" as writer: its manifest declares other')
  })

  test('leads to no other variant, and the hint says where the right one is', async () => {
    const pro = { name: 'writer', variant: 'pro' }
    assert.deepEqual(await found(world({ writer: pro }), 'writer@pro'), ['agents/writer'])
    const alone = await refused(world({ writer: pro }), 'writer@basic')
    assert.equal(
      alone.message,
      'Cannot use "agents/writer" as writer@basic: its manifest declares writer@pro',
    )
    assert.match(alone.hint ?? '', /^Ask for writer@pro/)
    const cwd = world({ writer: pro, writer_basic: { name: 'writer', variant: 'basic' } })
    assert.equal(
      (await refused(cwd, 'writer@basic')).hint,
      'It is in "agents/writer_basic": name that folder',
    )
  })

  const ADD = ['--kind', 'exec', '--command', '/usr/bin/jq', '--requires-confirmation', '--grant']
  const SCHEMAS = ['--input-schema', '{"type":"object"}', '--result-schema', 'true']
  const commands: readonly (readonly [what: string, argv: (agent: string) => string[]])[] = [
    ['agent lint', agent => ['agent', 'lint', agent]],
    ['agent digest', agent => ['agent', 'digest', agent]],
    ['agent pack', agent => ['agent', 'pack', agent]],
    [
      'tool add',
      agent => ['tool', 'add', agent, '--id', 'a.b', '--description', 'Runs.', ...ADD, ...SCHEMAS],
    ],
    ['tool import', agent => ['tool', 'import', agent, 'list.json', '--grant']],
    ['caps show', agent => ['caps', 'show', agent]],
  ]
  for (const [what, argv] of commands) {
    test(`is looked up so by ${what}, and what is refused writes nothing`, async () => {
      const pro = { name: 'pair', variant: 'pro' }
      const cwd = world({
        good: { name: 'good' },
        writer: { name: 'other' },
        pair: pro,
        nest: { name: 'nest' },
        'nest/variants/pro': { name: 'nest', variant: 'pro' },
      })
      writeFileSync(join(cwd, 'list.json'), '{"tools":[{"name":"q","schema":{},"command":["/usr/bin/jq"]}]}')
      const before = snapshot(join(cwd, 'agents'))
      for (const [agent, declares] of [
        ['writer', 'other'],
        ['pair@basic', 'pair@pro'],
        ['nest@basic', 'nest'],
      ] as const) {
        const { exit, stderr } = await run(argv(agent), undefined, { cwd })
        assert.equal(exit, 2, stderr)
        assert.match(
          stderr,
          new RegExp(`^rlp: Cannot use "agents/\\w+" as ${agent}: its manifest declares ${declares}`),
        )
      }
      assert.deepEqual(snapshot(join(cwd, 'agents')), before)
      for (const agent of ['good', 'pair@pro', 'nest@pro', 'agents/writer']) {
        const { exit, stderr } = await run(argv(agent), undefined, { cwd })
        assert.equal(exit, 0, `${agent}: ${stderr}`)
      }
      // What nest@pro was given is its own: the agent around it is as it was.
      const tools = (place: string) => readFileSync(join(cwd, 'agents', place, 'tools.json'), 'utf8')
      if (what.startsWith('tool')) assert.notEqual(tools('nest/variants/pro'), tools('nest'))
      assert.equal(tools('nest'), agentTree({ name: 'nest' })['tools.json'])
    })
  }
})

describe('a folder with a manifest of its own', () => {
  const tree = async (cwd: string) => {
    const path = join(cwd, 'agents/writer')
    return readTree(path, 'writer', { as: 'source', digest: 'all' })
  }
  test('is left out of the agent around it', async () => {
    const cwd = world({
      writer: { name: 'writer', files: { 'variants/notes.md': 'x' } },
      'writer/variants/pro': { name: 'writer', variant: 'pro' },
    })
    const files = await tree(cwd)
    const paths = files.list.map(({ path }) => path)
    assert.ok(paths.includes('variants/notes.md'))
    assert.ok(
      paths.every(path => !path.startsWith('variants/pro')),
      paths.join(),
    )
    assert.deepEqual(
      lintAgent(read(files, 'writer'), UNPREPARED).map(({ rule }) => rule),
      [],
    )
    assert.deepEqual(await found(cwd, 'writer@pro'), ['agents/writer/variants/pro'])
  })

  test('may hold nothing that the manifest around it names', async () => {
    const path = 'variants/pro/policy.caps'
    const cwd = world({
      writer: { name: 'writer', files: { [path]: '[capabilities]\n' } },
      'writer/variants/pro': { name: 'writer', variant: 'pro' },
    })
    const findings = lintAgent(read(await tree(cwd), 'writer'), UNPREPARED)
    const errors = findings.map(({ rule, message }) => `${rule} ${message}`)
    const why = 'variants/pro is another agent, with a manifest of its own'
    assert.deepEqual(errors, [`files/left-out ${path} is not packed: ${why}`])
  })
})
