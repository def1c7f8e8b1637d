// How far long work is: on a terminal, after half a second, and nowhere else.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { defineCommand, type Registry } from '../../src/cli/command.ts'
import { EXIT } from '../../src/model/exit-code.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'

const MIB = 1024 ** 2
const folder = temporary('meter')

/** Works for some time, and prints in the middle of it. */
const command = defineCommand({
  name: 'slow',
  summary: 'works',
  options: {},
  examples: [['rlp slow', 'works']],
  async run(_, io) {
    const total = 100 * MIB
    for (let done = 0; done <= 60 * MIB; done += 10 * MIB) {
      io.onProgress?.({ what: 'x', done, total, unit: 'bytes' })
      await new Promise(resolve => setTimeout(resolve, 130))
    }
    io.stdout('result\n')
    return EXIT.ok
  },
})
const registry: Registry = {
  groups: [],
  commands: [{ name: 'slow', summary: 'works', load: async () => ({ command }) }],
}
const TTY = { stdin: true, stdout: true, stderr: true }

describe('a bar with rate and time left', { concurrency: true }, () => {
  test('on a terminal, within its width, and gone at the end', async () => {
    for (const columns of [40, 80]) {
      const ran = await run(['slow'], registry, { isTTY: TTY, columns })
      assert.equal(ran.stdout, 'result\n')
      const lines = ran.stderr.split('\r').filter(line => line.trim() !== '')
      assert.ok(lines.length > 0)
      for (const line of lines) assert.ok(line.length < columns, line)
      assert.match(ran.stderr, /\rslow \[#+ +\] +\d+%/)
      if (columns === 80) assert.match(ran.stderr, /% {2}\d+\.\d MiB\/s {2}\d+ s left/)
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
