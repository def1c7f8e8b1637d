// All that a lock names, from a registry and with a person: one question after the other; and a stop is no refusal of one agent.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { parse } from '../../src/cli/parse.ts'
import { command } from '../../src/lock/verbs/install.ts'
import { fakeTerminal, run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { good, made, RELEASE, type World, world } from '../support/install-world.ts'
import { FakeRegistry } from '../support/oci-registry.ts'
import { scripted } from '../support/scripted-prompter.ts'

const folder = temporary('install-asked')
const AGENTS = ['alpha', 'beta', 'gamma']

let server: FakeRegistry
before(async () => {
  server = await new FakeRegistry({ referrers: true }).start()
})
after(() => server.stop())

async function locked(name: string): Promise<World> {
  const here = world(folder(name))
  for (const [at, agent] of AGENTS.entries()) {
    // The registry of these tests has one list of tags for all repositories.
    const version = `${at + 1}.0.0`
    const repository = `oci://${server.host}/${name}/${agent}`
    here.put(agent, made({ name: agent, version }, RELEASE))
    await good(here, 'agent', 'push', agent, repository)
    await good(here, 'lock', 'add', `${repository}:${version}`)
  }
  return here
}

const isThere = (here: World, agent: string) => existsSync(join(here.root, `${agent}.agent.bundle`))

test('a person gets one question at a time', async () => {
  const here = await locked('questions')
  process.env['RUNLOOP_HOME'] = here.home
  const isTTY = { stdin: true, stdout: true, stderr: true }
  const { terminal } = fakeTerminal({ cwd: here.cwd, isTTY })
  let [open, most] = [0, 0]
  const exit = await command.run(
    parse(command, ['--locked']) as never,
    { ...terminal, color: false },
    async () => {
      most = Math.max(most, ++open)
      const { prompter } = scripted([['Install it?', 'yes']])
      return {
        ...prompter,
        async line(question: string) {
          for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve))
          open--
          return prompter.line(question)
        },
      }
    },
  )
  assert.deepEqual([exit, most, AGENTS.map(agent => isThere(here, agent))], [0, 1, [true, true, true]])
})

test('a stop ends the call, and is not told as what became of one agent', async () => {
  const here = await locked('stopped')
  process.env['RUNLOOP_HOME'] = here.home
  const stopped = (words: readonly string[]) => {
    const stop = new AbortController()
    stop.abort()
    return run(['agent', 'install', ...words], undefined, { cwd: here.cwd, env: {}, signal: stop.signal })
  }
  const { exit, stdout } = await stopped(['--lock', 'rlp.lock'])
  assert.deepEqual([exit, stdout, AGENTS.some(agent => isThere(here, agent))], [130, '', false])
  await good(here, 'agent', 'install', '--lock', 'rlp.lock')
  // Also where what is installed does not suffice any more, and is fetched again.
  here.policy('[[require]]\nsignatures = 2\n')
  const stop = new AbortController()
  server.meddle = () => {
    stop.abort()
    return false
  }
  try {
    const options = { cwd: here.cwd, env: {}, signal: stop.signal }
    const again = await run(['agent', 'install', '--lock', 'rlp.lock'], undefined, options)
    assert.deepEqual([again.exit, again.stdout], [130, ''])
  } finally {
    server.meddle = undefined
  }
})
