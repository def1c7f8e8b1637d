// Whatever keeps a call from running, its lines in audit and trace have the tags of its tool.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { agentTree, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { PATH } from '../support/host.ts'
import { made, RELEASE, world } from '../support/install-world.ts'
import { leaveUnheld } from '../support/unheld.ts'

const folder = temporary('denied-tags')
const tool = (id: string, more: object = {}) => ({
  id,
  description: 'Says it again.',
  transport: { kind: 'exec', command: '/bin/cat' },
  input_schema: { type: 'object', additionalProperties: false },
  result_schema: true,
  'x-rlp': { stdin: true },
  observability: { tags: ['external', `of ${id}`] },
  ...more,
})
const face = (tool_id: string, more: object) => ({
  schema_version: '0.2.0',
  interface_id: tool_id,
  tool_id,
  ...more,
})
const FILES = {
  'tools.json': JSON.stringify({
    version: 1,
    tools: [
      tool('runs'),
      tool('untagged', { observability: { tags: [] }, capabilities: ['time'] }),
      tool('no.grant', { capabilities: ['time'] }),
      tool('overridden', { transport: { kind: 'exec', command: '/bin/echo' } }),
      tool('off'),
      tool('set.up'),
      tool('asks', { requires_confirmation: true }),
      tool('approval'),
      tool('budget', { budget: { tokens: 0 } }),
      tool('secret', { secrets: ['runloop/mail/key'] }),
    ],
  }),
  'interfaces.json': JSON.stringify([
    face('off', { is_enabled: false }),
    face('set.up', { requires_setup: true }),
    face('approval', { requires_user_interaction: true }),
  ]),
  'policy.caps': '[capabilities]\nexec = ["/bin/cat", "/bin/echo"]\nsecrets = ["runloop/mail/key"]\n',
}

/** Id, arguments → the event and the reason; `undefined` for a call that ran. */
const CALLS: [id: string, args: string, event: string | undefined, reason: string | undefined][] = [
  ['runs', '{}', undefined, undefined],
  ['runs', '{"more":1}', 'invalid_args', undefined],
  ['no.grant', '{}', 'cap_denied', 'cap_missing'],
  ['overridden', '{}', 'cap_denied', 'cap_missing'],
  ['off', '{}', 'rejected', 'disabled'],
  ['set.up', '{}', 'unavailable', 'setup_required'],
  ['asks', '{}', 'user_denied', 'nobody_to_ask'],
  ['approval', '{}', 'user_denied', 'nobody_to_ask'],
  ['budget', '{}', 'rejected', 'budget_exceeded'],
  ['secret', '{}', 'cap_denied', 'secret_unknown'],
]

for (const form of ['bundle', 'source'] as const)
  test(`of a ${form}`, async () => {
    const here = world(folder(form))
    leaveUnheld(here.home)
    here.put('mini.agent.bundle', made({ files: FILES }, RELEASE))
    writeTree(join(here.cwd, 'mini'), agentTree({ files: FILES }))
    const target = form === 'bundle' ? ['mini.agent.bundle'] : ['./mini', '--unverified', '--with-secrets']
    const overrides = join(here.home, 'policy-overrides', 'mini')
    mkdirSync(overrides, { recursive: true })
    writeFileSync(join(overrides, 'policy.caps'), '[capabilities]\nexec = ["/bin/cat"]\n', { mode: 0o644 })
    process.env['RUNLOOP_HOME'] = here.home
    const env = { PATH, HOME: here.home, RUNLOOP_HOME: here.home }

    /** What audit and trace have of one call. */
    const recorded = async (id: string, args: string) => {
      const logs = ['audit', 'trace'].map(name => join(here.cwd, `${name}.ndjson`))
      for (const log of logs) writeFileSync(log, '', { mode: 0o600 })
      const [audit = '', trace = ''] = logs
      const options = ['--args', args, '--audit', audit, '--trace', trace, '--json']
      await run(['tool', 'call', id, ...target, ...options], undefined, { cwd: here.cwd, env })
      const [line, begun, ended] = [audit, trace].flatMap(log =>
        readFileSync(log, 'utf8')
          .split('\n')
          .flatMap(text => (text === '' ? [] : [JSON.parse(text)])),
      )
      const { reason } = ended.payload.error ?? {}
      return { event: line.event, reason, audit: line.tags, trace: begun.payload.tags }
    }

    for (const [id, args, event, reason] of CALLS) {
      const tags = ['external', `of ${id}`]
      assert.deepEqual(await recorded(id, args), { event, reason, audit: tags, trace: tags }, id)
    }
    const none = { audit: undefined, trace: undefined }
    const untagged = { event: 'cap_denied', reason: 'cap_missing', ...none }
    assert.deepEqual(await recorded('untagged', '{}'), untagged)
    assert.deepEqual(await recorded('nope', '{}'), { event: 'tool_not_found', reason: undefined, ...none })
  })
