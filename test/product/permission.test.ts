// Node's own permissions (`node --permission`): reading is enough to verify, and what is not allowed is said like any other refusal.
import assert from 'node:assert/strict'
import { appendFileSync, chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { agentTree, bundleOf, writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { rlpHere } from '../support/here.ts'
import { assertRefused, project } from '../support/project.ts'
import { type Ran, READ_ONLY, type RunOptions, rlp } from '../support/run.ts'
import { slice } from '../support/runs.ts'

const folderFor = temporary('permission')
const HINT = /^hint: Allow it with --allow-fs-read or --allow-fs-write/m
const BUNDLE = 'mini-1.0.0.agent.bundle'

/** An agent that needs a new digest, and a bundle of it. */
function start(): string {
  const folder = project(folderFor('agent'), { files: { 'README.md': 'Mini\n' } })
  appendFileSync(join(folder, 'mini/README.md'), 'more\n')
  writeFileSync(join(folder, BUNDLE), bundleOf(agentTree()))
  writeTree(join(folder, 'fresh'), agentTree({ name: 'fresh' }))
  return folder
}

/** With the right to read everything, and to write below some folders. */
function permitted(...writable: readonly string[]) {
  const nodeArgs = [...READ_ONLY, ...writable.map(folder => `--allow-fs-write=${folder}/`)]
  return (args: readonly string[], options: RunOptions): Promise<Ran> => rlp(args, { ...options, nodeArgs })
}

function outcome({ exit, signal, stdout, stderr }: Ran) {
  return { exit, signal, stdout, stderr }
}

suite('the right to read is enough for', { concurrency: 2 }, () => {
  const cwd = start()
  const calls = [
    ['agent', 'verify', BUNDLE, '--allow-unsigned'],
    ['agent', 'verify', BUNDLE],
    ['agent', 'inspect', BUNDLE],
    ['agent', 'lint', 'mini'],
    ['agent', 'lint', 'mini', '--json'],
  ]
  for (const args of slice(calls, 2, ([, verb = '']) => verb)) {
    test(args.join(' '), async () => {
      const free = await rlpHere(args, { cwd })
      assert.ok((free.exit === 0 || free.exit === 1) && free.stdout !== '', free.stderr)
      assert.deepEqual(outcome(await permitted()(args, { cwd })), outcome(free))
    })
  }
})

suite('what needs more says so, and leaves everything as it was', { concurrency: 2 }, () => {
  const calls = [
    [['agent', 'digest', 'mini'], /^rlp: Cannot write "mini\/manifest.toml": Node runs with --permission/m],
    [
      ['agent', 'pack', 'fresh', '--out', 'new.agent.bundle'],
      /^rlp: Cannot write "new.agent.bundle": Node runs with --permission/m,
    ],
    [['agent', 'scaffold', 'other'], /^rlp: Cannot create the folder "\S+": Node runs with --permission/m],
    [
      ['agent', 'install', BUNDLE, '--allow-unsigned', '--yes', '--root', 'agents'],
      /^rlp: Cannot \S.*: Node runs with --permission/m,
    ],
  ] as const
  for (const [args, says] of slice(calls, 2)) {
    test(args.join(' '), async () => {
      await assertRefused(args, { exit: 3, says: [says, HINT] }, { cwd: start() }, permitted())
    })
  }
})

suite('a tool that is called', { concurrency: 2 }, () => {
  const cwd = folderFor('tools')
  const exec = { id: 'a.run', transport: { kind: 'exec', command: '/bin/true' } }
  const http = { id: 'a.get', transport: { kind: 'http', method: 'GET', url: 'http://127.0.0.1:9/' } }
  const tools = [exec, http].map(tool => ({
    ...tool,
    description: 'Do it',
    input_schema: {},
    result_schema: true,
  }))
  const caps = '[capabilities]\nexec = ["/bin/true"]\nnet = { hosts = ["127.0.0.1:9"], allow_http = true }\n'
  const files = { 'tools.json': JSON.stringify({ version: 1, tools }), 'policy.caps': caps }
  writeFileSync(join(cwd, BUNDLE), bundleOf(agentTree({ files })))
  const NO = 'Node runs with --permission and without'

  const calls = [
    [
      'needs a folder',
      'a.run',
      [],
      new RegExp(`private folder for the call in \\S+: ${NO} --allow-fs-write`),
    ],
    ['is a program', 'a.run', ['/*'], new RegExp(`Cannot start "/bin/true": ${NO} --allow-child-process`)],
    ['is reached by the network', 'a.get', ['/*'], new RegExp(`${NO} --allow-net|nothing listens there`)],
  ] as const
  for (const [what, tool, writable, says] of slice(calls, 2)) {
    test(`and ${what}: unavailable, and why`, async () => {
      const args = ['tool', 'call', tool, BUNDLE, '--allow-unsigned', '--yes']
      const { exit, stdout, stderr } = await permitted(...writable)(args, { cwd })
      assert.equal(exit, 1, stderr)
      assert.match(stdout + stderr, /unavailable/)
      assert.match(stdout + stderr, says)
    })
  }
})

/** No user may sync a file there, and what was not synced was not written. */
const CANNOT_SYNC = Number(process.versions.node.split('.')[0]) >= 26

test('where no user may sync, nothing is written', { skip: !CANNOT_SYNC && 'one may here' }, async () => {
  const cwd = start()
  const manifest = () => readFileSync(join(cwd, 'mini/manifest.toml'), 'utf8')
  const before = [manifest(), readdirSync(join(cwd, 'mini'))]
  const { exit, stderr } = await permitted(cwd)(['agent', 'digest', 'mini'], { cwd })
  assert.equal(exit, 3)
  assert.match(stderr, /^rlp: Cannot write "mini\/manifest.toml": Node runs with --permission/m)
  assert.match(stderr, HINT)
  assert.deepEqual([manifest(), readdirSync(join(cwd, 'mini'))], before)
})

test('with the right to write there, digest and pack do what they do', { skip: CANNOT_SYNC }, async () => {
  const cwd = start()
  chmodSync(join(cwd, 'mini/manifest.toml'), 0o600)
  const run = permitted(cwd)
  const digest = await run(['agent', 'digest', 'mini'], { cwd })
  assert.deepEqual([digest.exit, digest.stderr], [0, ''])
  assert.equal(statSync(join(cwd, 'mini/manifest.toml')).mode & 0o7777, 0o600)
  const pack = await run(['agent', 'pack', 'mini', '--out', 'new.agent.bundle'], { cwd })
  assert.deepEqual([pack.exit, pack.stderr], [0, ''])
  assert.deepEqual(readdirSync(cwd).sort(), ['fresh', 'mini', BUNDLE, 'new.agent.bundle'])
})

test('a key can be made where files can be synced', { skip: CANNOT_SYNC }, async () => {
  const cwd = folderFor('key')
  const args = ['key', 'generate', 'release', '--no-passphrase']
  const { exit, stderr } = await permitted(cwd)(args, {
    cwd,
    env: { RUNLOOP_HOME: join(cwd, 'home') },
    umask: '022',
  })
  assert.deepEqual([exit, stderr.match(/Cannot/)], [0, null], stderr)
  assert.equal(statSync(join(cwd, 'home/keys/release.pem')).mode & 0o7777, 0o600)
})

test('what is not uninstalled is installed as it was', async () => {
  const cwd = start()
  // A home is not believed below a folder that others may write.
  chmodSync(cwd, 0o755)
  const env = { RUNLOOP_HOME: join(cwd, 'home') }
  const install = ['agent', 'install', BUNDLE, '--allow-unsigned', '--yes', '--root', 'agents']
  assert.equal((await rlpHere(install, { cwd, env })).exit, 0)
  const list = async () => (await rlpHere(['agent', 'list', '--root', 'agents'], { cwd, env })).stdout
  const before = await list()
  // Everything but to sync is allowed; where that is allowed as well, the rest of the disk is not.
  const writable = CANNOT_SYNC ? [cwd] : [join(cwd, 'home')]
  const ran = await permitted(...writable)(['agent', 'uninstall', 'mini', '--yes', '--root', 'agents'], {
    cwd,
    env,
  })
  assert.equal(ran.exit, 3, ran.stderr)
  assert.match(ran.stderr, /^rlp: Cannot .*: Node runs with --permission/m)
  assert.equal(await list(), before)
})
