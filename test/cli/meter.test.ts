// How far long work is: on a terminal, after half a second, and nowhere else.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { defineCommand } from '../../src/cli/command.ts'
import { openTerminal } from '../../src/cli/interactive.ts'
import { EXIT } from '../../src/model/exit-code.ts'
import type { OnProgress, Progress } from '../../src/model/progress.ts'
import { agentTree, bundleOf, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { onlySlow, workSlowly } from '../support/slow-command.ts'

const folder = temporary('meter')

/** Works for some time, and prints in the middle of it. */
const command = defineCommand({
  name: 'slow',
  summary: 'works',
  options: {},
  examples: [['rlp slow', 'works']],
  async run(_, io) {
    await workSlowly(io)
    return EXIT.ok
  },
})
const registry = onlySlow(command)
const TTY = { stdin: true, stdout: true, stderr: true }

describe('a bar with rate and time left', { concurrency: true }, () => {
  test('on a terminal, within its width, and gone at the end', async () => {
    for (const columns of [40, 80]) {
      const ran = await run(['slow'], registry, { isTTY: TTY, columns })
      assert.equal(ran.stdout, 'result\n')
      const lines = ran.stderr.split('\r').filter(line => line.trim() !== '')
      assert.ok(lines.length > 0)
      // Ctrl-C adds two columns.
      for (const line of lines) assert.ok(line.length < columns - 2, line)
      if (columns === 80) assert.match(ran.stderr, /\rslow \[#+ +\] +\d+%/)
      assert.match(ran.stderr, /% {2}\d+\.\d MiB\/s {2}\d+ s left/)
      assert.match(ran.stderr, /\r +\r$/)
    }
  })
  for (const [name, argv, how] of [
    ['a pipe', ['slow'], { isTTY: { ...TTY, stderr: false } }],
    ['a pipeline', ['slow'], { isTTY: TTY, env: { CI: 'true' } }],
    ['TERM=dumb', ['slow'], { isTTY: TTY, env: { TERM: 'dumb' } }],
    ['--quiet', ['slow', '-q'], { isTTY: TTY }],
    ['--json', ['slow', '--json'], { isTTY: TTY }],
  ] as const) {
    test(`not with ${name}`, async () => {
      assert.equal((await run(argv, registry, how)).stderr, '')
    })
  }
})

test('every command reports to the one bar, and writes none of its own', async () => {
  const cwd = folder('pack')
  const large = 100_000
  const tree = agentTree({ files: { 'docs/large.bin': new Uint8Array(large) } })
  writeTree(join(cwd, 'agents/mini'), tree)
  process.env['RUNLOOP_HOME'] = join(cwd, 'home')
  for (const line of [
    'agent digest mini',
    'agent pack mini',
    'agent verify dist --allow-unsigned',
    'agent push dist/mini-1.0.0.agent.bundle oci-layout:store --allow-unsigned',
    'agent pull oci-layout:store:1.0.0 --allow-unsigned --expect mini --out-dir pulled',
  ]) {
    const reports: Progress[] = []
    const onProgress: OnProgress = one => reports.push(one)
    const { stdout, stderr } = await run(line.split(' '), undefined, { cwd, onProgress })
    const last = reports.at(-1)
    assert.ok(last !== undefined && last.done > large && last.done === last.total, `${line}: ${stderr}`)
    assert.ok(!`${stdout}${stderr}`.includes('\r'), line)
  }
  delete process.env['RUNLOOP_HOME']
})

test('a question begins where the bar was', async () => {
  let screen = ''
  let before = ''
  const asks = defineCommand({
    ...command,
    name: 'asks',
    options: {},
    async run(_, io) {
      await command.run({} as never, { ...io, stdout: () => {} })
      before = screen
      await openTerminal('go on', io)
      return EXIT.ok
    },
  })
  const entry = { name: 'asks', summary: 'asks', load: async () => ({ command: asks }) }
  const stderr = (text: string) => {
    screen += text
  }
  await run(['asks'], { groups: [], commands: [entry] }, { isTTY: TTY, stderr })
  assert.match(before, /s left *$/)
  assert.match(screen.slice(before.length), /^\r +\r$/)
})

test('sign refuses gzip before it asks for a passphrase', async () => {
  const cwd = folder('asking')
  const archive = bundleOf(agentTree())
  writeFileSync(join(cwd, 'x.agent.bundle'), archive)
  writeFileSync(join(cwd, 'x.agent.bundle.gz'), gzipSync(archive))
  process.env['RUNLOOP_HOME'] = join(cwd, 'home')
  // As OpenSSL encrypts it: `key generate` takes a hundred times as long.
  const sealed = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'a passphrase' } as const
  const key = generateKeyPairSync('ed25519').privateKey.export(sealed)
  mkdirSync(join(cwd, 'home/keys'), { recursive: true })
  writeFileSync(join(cwd, 'home/keys/k.pem'), key, { mode: 0o600 })
  // There is no passphrase here, and no terminal to ask at.
  const plain = await run(['agent', 'sign', 'x.agent.bundle', '--key', 'k'], undefined, { cwd })
  assert.match(plain.stderr, /passphrase/)
  const { stderr } = await run(['agent', 'sign', 'x.agent.bundle.gz', '--key', 'k'], undefined, { cwd })
  assert.match(stderr, /^rlp: Cannot sign "x\.agent\.bundle\.gz": it is wrapped in gzip\n/)
  delete process.env['RUNLOOP_HOME']
})

test('sign refuses gzip before it reads the rest', async () => {
  const cwd = folder('gzip')
  const whole = gzipSync(bundleOf(agentTree()))
  // What follows the first bytes is damaged: only who reads on sees it.
  writeFileSync(join(cwd, 'x.agent.bundle'), Buffer.concat([whole.subarray(0, 20), Buffer.alloc(40)]))
  process.env['RUNLOOP_HOME'] = join(cwd, 'home')
  await run(['key', 'generate', 'k', '--no-passphrase'], undefined, { cwd })
  const ran = await run(['agent', 'sign', 'x.agent.bundle', '--key', 'k'], undefined, { cwd })
  assert.equal(ran.exit, 2)
  assert.match(
    ran.stderr,
    /Cannot sign "x\.agent\.bundle": it is wrapped in gzip\nhint: Sign the archive inside/,
  )
  delete process.env['RUNLOOP_HOME']
})
