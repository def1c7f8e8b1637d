// Many installs at once: one after the other, and the newest stays. Two processes here, ten in `.ci/run`.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { temporary } from '../support/folder.ts'
import { made, outcome, RELEASE, undisturbed, world } from '../support/install-world.ts'
import { rlp } from '../support/run.ts'
import { upTo } from '../support/runs.ts'

const folderFor = temporary('install-many')

const OLD = made({ files: { 'old.md': 'x' } }, RELEASE)
const NEW = made({ version: '1.1.0', files: { 'new.md': 'y' } }, RELEASE)

describe('many at once', () => {
  test('many processes, each with another version: the newest is there, whole', async () => {
    const here = world(folderFor('many'))
    const bundles = Array.from({ length: upTo(2, 10) }, (_, index) =>
      made({ version: `1.0.${index}` }, RELEASE),
    )
    const ran = await Promise.all(
      bundles.map((bytes, index) =>
        rlp(['agent', 'install', here.put(`b${index}`, bytes), '--yes', '--json'], {
          cwd: here.cwd,
          env: { RUNLOOP_HOME: here.home },
          timeoutMs: 120_000,
        }),
      ),
    )
    for (const [index, { exit, stdout }] of ran.entries()) {
      const { ok, reason } = JSON.parse(stdout)
      // Who comes late with an older version is told so.
      if (!ok) assert.match(String(reason), /^(?:older|rolled_back)$/, stdout)
      assert.equal(exit, ok ? 0 : 1)
      if (index === bundles.length - 1) assert.equal(ok, true)
    }
    const newest = await undisturbed(folderFor('many-expected'), bundles.slice(-1))
    assert.deepEqual(outcome(here), newest)
  })

  test('the lock of a process that is gone is taken over', async () => {
    const here = world(folderFor('dead-lock'))
    await here.install(here.put('a', OLD), '--yes')
    const { pid } = spawnSync('true')
    writeFileSync(join(here.root, '.rlp/lock'), `${pid} 0123456789abcdef ${hostname()}\n`)
    assert.equal((await here.install(here.put('b', NEW))).exit, 0)
    assert.ok(!existsSync(join(here.root, '.rlp/lock')))
  })
})
