// Node's own permissions (`node --permission`): reading is enough to verify, and what is not allowed is said like any other refusal.
import assert from 'node:assert/strict'
import { appendFileSync, chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { agentTree, bundleOf } from './support/agent.ts'
import { temporary } from './support/folder.ts'
import { assertRefused, project } from './support/project.ts'
import { type Ran, type RunOptions, rlp } from './support/run.ts'

const folderFor = temporary('permission')
const FLAG = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission'
const HINT = /^hint: Allow it with --allow-fs-read or --allow-fs-write/m
const BUNDLE = 'mini-1.0.0.agent.bundle'

/** An agent that needs a new digest, and a bundle of it. */
function start(): string {
  const folder = project(folderFor('agent'), { files: { 'README.md': 'Mini\n' } })
  appendFileSync(join(folder, 'mini/README.md'), 'more\n')
  writeFileSync(join(folder, BUNDLE), bundleOf(agentTree()))
  return folder
}

/** With the right to read everything, and to write below some folders. */
function permitted(...writable: readonly string[]) {
  const flags = ['--no-warnings', FLAG, '--allow-fs-read=*']
  const nodeArgs = [...flags, ...writable.map(folder => `--allow-fs-write=${folder}/`)]
  return (args: readonly string[], options: RunOptions): Promise<Ran> => rlp(args, { ...options, nodeArgs })
}

function outcome({ exit, signal, stdout, stderr }: Ran) {
  return { exit, signal, stdout, stderr }
}

suite('the right to read is enough for', { concurrency: 2 }, () => {
  const cwd = start()
  for (const args of [
    ['agent', 'verify', BUNDLE, '--allow-unsigned'],
    ['agent', 'verify', BUNDLE],
    ['agent', 'inspect', BUNDLE],
    ['agent', 'lint', 'mini'],
    ['agent', 'lint', 'mini', '--json'],
  ]) {
    test(args.join(' '), async () => {
      const free = await rlp(args, { cwd })
      assert.ok((free.exit === 0 || free.exit === 1) && free.stdout !== '', free.stderr)
      assert.deepEqual(outcome(await permitted()(args, { cwd })), outcome(free))
    })
  }
})

suite('what needs more says so, and leaves everything as it was', { concurrency: 2 }, () => {
  for (const [args, says] of [
    [['agent', 'digest', 'mini'], /^rlp: Cannot write "mini\/manifest.toml": Node runs with --permission/m],
    [['agent', 'scaffold', 'other'], /^rlp: Cannot create the folder "\S+": Node runs with --permission/m],
    [
      ['agent', 'install', BUNDLE, '--allow-unsigned', '--yes', '--root', 'agents'],
      /^rlp: Cannot \S.*: Node runs with --permission/m,
    ],
  ] as const) {
    test(args.join(' '), async () => {
      await assertRefused(args, { exit: 3, says: [says, HINT] }, { cwd: start() }, permitted())
    })
  }
})

/** Nobody may sync a file there, and what was not synced was not written. */
const CANNOT_SYNC = Number(process.versions.node.split('.')[0]) >= 26

test('where nobody may sync, nothing is written', { skip: !CANNOT_SYNC && 'one may here' }, async () => {
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
  assert.deepEqual(readdirSync(cwd).sort(), ['mini', BUNDLE, 'new.agent.bundle'])
})
