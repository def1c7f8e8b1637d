// Installs killed at any time: the old bundle or the new one is there, whole, and the next run makes the rest good. The campaign on
// faults kills them at every system call (docs/torture.md). Twice here, a dozen times in `.ci/run`.
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { temporary } from '../support/folder.ts'
import { made, outcome, RELEASE, undisturbed, world } from '../support/install-world.ts'
import { rlp } from '../support/run.ts'
import { slice } from '../support/runs.ts'

const folderFor = temporary('install-kill')

test('by SIGKILL at any time, a number of times', async () => {
  const here = world(folderFor('kill'))
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f/${index}.md`, `${index}`]))
  const numbers = Array.from({ length: 13 }, (_, index) => index)
  const bundles = slice(numbers, 6).map(index => made({ version: `1.0.${index}`, files: many }, RELEASE))
  const [first = Buffer.alloc(0), ...rest] = bundles
  await here.install(here.put('b', first), '--yes')
  let killed = 0
  let last = 0
  for (const [index, bytes] of rest.entries()) {
    here.put('b', bytes)
    const wait = (index * 17) % 40
    const started = (child: ChildProcess) => void killWhenBusy(child, join(here.root, '.rlp/lock'), wait)
    const ran = await rlp(['agent', 'install', 'b'], {
      cwd: here.cwd,
      env: { RUNLOOP_HOME: here.home },
      started,
    })
    if (ran.signal === 'SIGKILL') killed++
    else assert.equal(ran.exit, 0, ran.stderr)
    const file = readFileSync(join(here.root, 'mini.agent.bundle'))
    const now = bundles.findIndex(other => other.equals(file))
    assert.ok(now === index + 1 || (now === last && ran.signal === 'SIGKILL'), `run ${index}: ${now}`)
    last = now
  }
  assert.ok(killed > rest.length / 5, `only ${killed} were killed in time`)
  assert.equal((await here.install('b')).exit, 0)
  const expected = await undisturbed(folderFor('kill-expected'), bundles.slice(-1))
  assert.deepEqual(outcome(here), expected)
  assert.ok(!existsSync(join(here.root, '.rlp/staging')))
})

/** From the moment when the lock is there, `wait` milliseconds later. */
async function killWhenBusy(child: ChildProcess, lock: string, wait: number): Promise<void> {
  const text = () => readFile(lock, 'latin1').catch(() => '')
  while (child.exitCode === null && !(await text()).startsWith(`${child.pid} `)) await setTimeout(1)
  await setTimeout(wait)
  child.kill('SIGKILL')
}
