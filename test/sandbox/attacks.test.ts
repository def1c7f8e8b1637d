// Programs that try to get out (fixtures/sandbox/attacks.py), as root and as an ordinary user, each attack with its control: without the
// sandbox it gets what it tries to get.
import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { agentTree, writeTree } from '../support/agent.ts'
import { missing } from '../support/needs.ts'
import { IS_ROOT, NOBODY, rlp } from '../support/run.ts'
import { grantable } from '../support/sandbox-folder.ts'
import { NO_SANDBOX_HERE } from '../support/sandbox-works.ts'

const folder = grantable('attacks')
const PYTHON = '/usr/bin/python3'
const SCRIPT = join(import.meta.dirname, '../../fixtures/sandbox/attacks.py')
const CANARY = 'canary-of-the-environment'

type Answers = Readonly<Record<string, readonly ['held' | 'open', string]>>

/** What an ordinary user cannot do without a sandbox either, or not on every host. */
const NOT_FOR_USERS = new Set([
  'reads the accounts of the host',
  'may write settings of the kernel',
  'signals a process of the host',
])
/** What no user can do on some hosts, whose kernel forbids it to all or has no such thing. */
const NOT_EVERYWHERE = new Set([
  'makes a user namespace',
  'makes a mount namespace',
  'clones into a namespace',
  'reads the keyring of the session',
  'adds a key',
  'asks for io_uring',
  'asks for openat2',
  'reaches it by IPv6',
  'takes a descriptor of a process',
  'links a file beside the grant',
  'dumps core',
  'finds a host by its name',
])

let port = 0
let port6 = 0
const servers: Server[] = []

before(async () => {
  port = await listen('127.0.0.1')
  port6 = await listen('::1').catch(() => 0)
})
after(() => {
  for (const server of servers) server.close()
})

function listen(at: string): Promise<number> {
  const server = createServer(socket => socket.destroy())
  servers.push(server)
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    const told = () => resolve((server.address() as { port: number }).port)
    if (at.startsWith('/') || at.startsWith('\0')) server.listen({ path: at }, () => resolve(0))
    else server.listen(0, at, told)
  })
}

/** One call of the script, held or not, by a user. */
async function attack(as: 'root' | 'user', mode: 'require' | 'off'): Promise<Answers> {
  const cwd = folder(`${as}-${mode}`)
  const uid = as === 'user' && IS_ROOT ? NOBODY : undefined
  const own = (path: string) => uid !== undefined && chownSync(path, uid, uid)
  const [home, readable, writable] = ['home', 'readable', 'writable'].map(name => join(cwd, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [home, join(home, '.ssh'), join(home, '.runloop'), readable, writable]) {
    mkdirSync(path, { mode: 0o755 })
    own(path)
  }
  // Root's program runs as another user.
  if (as === 'root') chmodSync(writable, 0o1777)
  const beside = join(cwd, 'beside')
  const policy = join(home, '.runloop/trust-policy.toml')
  const ssh = join(home, '.ssh/id')
  for (const path of [beside, policy, ssh]) {
    writeFileSync(path, path === policy ? 'version = 1\n' : 'secret\n', { mode: 0o644 })
    own(path)
  }
  symlinkSync(beside, join(readable, 'link'))
  own(cwd)
  chmodSync(cwd, 0o755)
  const socket = join(cwd, 'socket')
  const abstract = `rlp-attacks-${process.pid}-${as}-${mode}`
  await listen(socket)
  chmodSync(socket, 0o777)
  await listen(`\0${abstract}`)
  const name = hostname()
  const script = join(cwd, 'attacks.py')
  writeFileSync(script, readFileSync(SCRIPT), { mode: 0o644 })
  const given = {
    readable,
    writable,
    beside,
    policy,
    ssh,
    socket,
    abstract,
    port,
    port6,
    pid: process.pid,
    name,
  }
  const tool = {
    id: 'attack.all',
    description: 'Tries to get out',
    input_schema: {},
    result_schema: true,
    transport: {
      kind: 'exec',
      command: PYTHON,
      args: [script, JSON.stringify({ ...given, canary: CANARY })],
    },
    capabilities: [`fs_ro:${readable}`, `fs_rw:${writable}`, `fs_ro:${script}`],
    'x-rlp': { stdin: true },
  }
  const caps = [
    '[capabilities]',
    `exec = ["${PYTHON}"]`,
    `fs_ro = ["${readable}", "${script}"]`,
    `fs_rw = ["${writable}"]`,
    '',
  ].join('\n')
  const files = { 'tools.json': JSON.stringify({ version: 1, tools: [tool] }), 'policy.caps': caps }
  writeTree(join(cwd, 'mini'), agentTree({ files }))
  const args = ['tool', 'call', 'attack.all', './mini', '--unverified', '--json', '--sandbox', mode]
  const env = { HOME: home, RUNLOOP_HOME: join(home, '.runloop'), CANARY }
  // As another process would, once the program runs.
  const late = setInterval(() => {
    if (!existsSync(join(writable, 'begun')) || existsSync(join(readable, 'late'))) return
    clearInterval(late)
    // Under its name it is there once it listens and any user may connect: the program looks for it all the time.
    const made = join(cwd, 'late')
    void listen(made).then(() => {
      chmodSync(made, 0o777)
      renameSync(made, join(readable, 'late'))
    })
  }, 10)
  const ran = await rlp(args, { cwd, env, handsOn: true, ...(uid !== undefined && { uid }) })
  clearInterval(late)
  const envelope = JSON.parse(ran.stdout)
  assert.equal(ran.exit, 0, ran.stdout + ran.stderr)
  assert.equal(envelope.enforced.by, mode === 'off' ? 'none' : 'bubblewrap')
  return envelope.result
}

for (const as of ['root', 'user'] as const) {
  const skip =
    NO_SANDBOX_HERE || missing('python3') || (as === 'root' && !IS_ROOT && 'these tests do not run as root')
  describe(`a program of ${as === 'root' ? 'root' : 'an ordinary user'}`, { skip }, () => {
    let held: Answers = {}
    let open: Answers = {}
    before(async () => {
      held = await attack(as, 'require')
      open = await attack(as, 'off')
    })
    test('the script has tried', () => {
      assert.ok(Object.keys(held).length > 40)
      assert.deepEqual(Object.keys(held), Object.keys(open))
    })
    test('without a sandbox it gets all that it tries', () => {
      const failed = Object.entries(open).filter(
        ([name, [state]]) =>
          state === 'held' && !NOT_EVERYWHERE.has(name) && !(as === 'user' && NOT_FOR_USERS.has(name)),
      )
      assert.deepEqual(failed, [])
    })
    test('in the sandbox it gets nothing', () => {
      assert.deepEqual(
        Object.entries(held).filter(([, [state]]) => state === 'open'),
        [],
      )
    })
  })
}
