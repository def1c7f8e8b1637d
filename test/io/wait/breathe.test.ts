// Work that needs no waiting: timers, signals and other people's work get their turn all the same.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type OpenFile, readChunks } from '../../../src/io/read/read-file.ts'
import { breathe } from '../../../src/io/wait/breathe.ts'
import { verifyBundle } from '../../../src/library/generated/index.ts'
import { RlpError } from '../../../src/model/error.ts'
import { agentTree, bundleOf, writeTree } from '../../support/agent.ts'
import { temporary } from '../../support/folder.ts'

const folderFor = temporary('breathe')
const BUNDLE = bundleOf(agentTree())

async function ticksDuring(work: () => Promise<unknown>): Promise<number> {
  let ticks = 0
  const timer = setInterval(() => ticks++, 1)
  await work()
  clearInterval(timer)
  return ticks
}

describe('many bundles, one after another', () => {
  const path = join(
    writeTree(folderFor('many'), { 'mini-1.0.0.agent.bundle': BUNDLE }),
    'mini-1.0.0.agent.bundle',
  )
  const sources: [string, string | Uint8Array][] = [
    ['from files', path],
    ['from memory', BUNDLE],
  ]
  for (const [what, source] of sources) {
    test(`${what}: others get their turn`, async () => {
      const ticks = await ticksDuring(async () => {
        const end = Date.now() + 300
        while (Date.now() < end) await verifyBundle(source, { expect: 'mini' })
      })
      assert.ok(ticks > 2, `${ticks} ticks`)
    })

    test(`${what}: an abort is heard`, async () => {
      const stop = new AbortController()
      setTimeout(() => stop.abort(), 50)
      await assert.rejects(
        async () => {
          // Without an end a loop that hears nothing would hang instead of failing.
          const end = Date.now() + 5000
          while (Date.now() < end) await verifyBundle(source, { expect: 'mini', signal: stop.signal })
        },
        { code: 'CANCELLED' },
      )
    })
  }

  test('also when the clock was set back', async t => {
    await breathe()
    const real = Date.now
    t.mock.method(Date, 'now', () => real() - 3_600_000)
    let turned = false
    setImmediate(() => {
      turned = true
    })
    const until = real() + 2000
    while (!turned && real() < until) await breathe()
    assert.ok(turned)
  })
})

test('a chunk that cannot be read while no caller waits for it is reported to the next', async () => {
  const MIB = 1024 * 1024
  let reads = 0
  const handle = {
    async read(buffer: Uint8Array) {
      reads++
      if (reads === 1) return buffer.length
      throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' })
    },
  }
  const chunks = readChunks({ handle, label: 'x', size: 3 * MIB } as unknown as OpenFile)
  assert.equal((await chunks.next()).value?.length, MIB)
  // A rejection meanwhile without a listener ends the process.
  await new Promise(resolve => setTimeout(resolve, 20))
  await assert.rejects(chunks.next(), (error: unknown) => error instanceof RlpError && error.code === 'IO')
})
