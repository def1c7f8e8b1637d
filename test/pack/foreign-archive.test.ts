// Archives that are not ours: what is said about them, that nothing they hold is used, and that none of them takes long.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { BLOCK, TRAILER } from '../../src/bundle/archive.ts'
import { foreignReasons } from '../../src/pack/foreign-archive.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { archive, entry, sum, text } from '../support/archive.ts'
import { temporary } from '../support/folder.ts'
import { runs } from '../support/runs.ts'

const folderFor = temporary('foreign')
const folder = folderFor('files')
let count = 0

async function reasonsOf(bytes: Uint8Array): Promise<string[]> {
  const path = join(folder, `${++count}`)
  writeFileSync(path, bytes)
  return foreignReasons(path, 'b')
}

const MANIFEST = entry('manifest.toml', 'x')
/** An entry of another kind, or another name, than ours ever have. */
const odd = (change: (header: Uint8Array) => void) => archive(MANIFEST, entry('a', '', change))
const type = (letter: string, link = '') =>
  odd(header => {
    text(header, 156, 1, letter)
    text(header, 157, 100, link)
  })
const name = (full: string) => odd(header => text(header, 0, 100, full))

describe('what is said', () => {
  const cases: [what: string, bytes: Uint8Array, reasons: string[]][] = [
    ['a canonical archive has nothing odd about its entries', bundleOf(agentTree()), []],
    ['a folder', type('5'), ['agent.bundle/a is an entry for a folder; only files have entries']],
    ['a symbolic link', type('2', '/etc/passwd'), ['agent.bundle/a is a link']],
    ['a hard link', type('1', 'agent.bundle/manifest.toml'), ['agent.bundle/a is a link']],
    ['a device', type('3'), ['agent.bundle/a is no file']],
    ['a FIFO', type('6'), ['agent.bundle/a is no file']],
    [
      'a way out',
      name('agent.bundle/../../etc/x'),
      ['agent.bundle/../../etc/x has a path that leads out of any folder'],
    ],
    [
      'an absolute path',
      name('/etc/x'),
      ['/etc/x has a path that leads out of any folder', '/etc/x is not below agent.bundle/'],
    ],
    ['another root', name('mini/a'), ['mini/a is not below agent.bundle/']],
    [
      'a mode',
      odd(header => text(header, 100, 8, '0000600\0')),
      ['agent.bundle/a has a mode, owner or date of the disk it came from'],
    ],
    [
      'an owner',
      odd(header => text(header, 108, 8, '0001750\0')),
      ['agent.bundle/a has a mode, owner or date of the disk it came from'],
    ],
    [
      'an owner’s name',
      odd(header => text(header, 265, 32, 'me')),
      ['agent.bundle/a has a mode, owner or date of the disk it came from'],
    ],
    [
      'a date',
      odd(header => text(header, 136, 12, '14000000000\0')),
      ['agent.bundle/a has a mode, owner or date of the disk it came from'],
    ],
    ['no manifest', archive(entry('a', 'x')), ['There is no manifest.toml below agent.bundle/']],
    ['a text', Buffer.from('hello'.repeat(500)), []],
    ['nothing', Buffer.alloc(0), []],
    ['less than a block', Buffer.alloc(100, 1), []],
    ['an empty archive', TRAILER, []],
  ]
  for (const [what, bytes, reasons] of cases) {
    test(what, async () => {
      assert.deepEqual(await reasonsOf(bytes), reasons)
      assert.deepEqual(await reasonsOf(gzipSync(bytes)), reasons)
    })
  }

  test('several of a kind are counted', async () => {
    const all = archive(
      MANIFEST,
      ...['a', 'b', 'c'].map(path => entry(path, '', header => text(header, 156, 1, '5'))),
    )
    assert.deepEqual(await reasonsOf(all), [
      'agent.bundle/a and 2 more are entries for folders; only files have entries',
    ])
  })

  test('bytes behind a gzip member: it ends all the same', async () => {
    const whole = gzipSync(type('5'))
    const seen = ['agent.bundle/a is an entry for a folder; only files have entries']
    const behind: [what: string, bytes: Uint8Array][] = [
      ['zeros', Buffer.alloc(512)],
      ['many zeros', Buffer.alloc(3_000_000)],
      ['another member', gzipSync(Buffer.alloc(3_000_000, 'x'))],
    ]
    for (const [what, bytes] of behind)
      assert.deepEqual(await reasonsOf(Buffer.concat([whole, bytes])), seen, what)
    // The error may come before what was good.
    for (const bytes of [Buffer.alloc(3_000_000, 1), whole.subarray(0, 12)]) {
      const reasons = await reasonsOf(Buffer.concat([whole, bytes]))
      if (reasons.length > 0) assert.deepEqual(reasons, seen)
    }
  })

  test('what is compressed twice is not looked into', async () => {
    assert.deepEqual(await reasonsOf(gzipSync(gzipSync(archive(MANIFEST, entry('a', ''))))), [])
  })

  test('what is damaged is looked at as far as it goes', async () => {
    const bytes = gzipSync(Buffer.concat([type('5').subarray(0, -1024), Buffer.alloc(100_000, 1)]))
    const reasons = await reasonsOf(bytes.subarray(0, bytes.length - 20))
    assert.ok(Array.isArray(reasons))
  })
})

describe('what takes its time elsewhere', () => {
  const header = entry('a', '').subarray(0, BLOCK)
  const pax = Buffer.from(header)
  text(pax, 156, 1, 'x')
  sum(pax)
  const times = (block: Uint8Array, bytes = 4 * 1024 * 1024) =>
    Buffer.concat(Array(bytes / block.length).fill(block))
  const cases: [what: string, make: () => Uint8Array][] = [
    ['zeros', () => Buffer.alloc(8 * 1024 * 1024)],
    ['a bomb of zeros', () => gzipSync(Buffer.alloc(8 * 1024 * 1024))],
    ['a bomb that is one file', () => gzipSync(Buffer.concat([entry('big', Buffer.alloc(8 * 1024 * 1024))]))],
    ['headers and nothing else', () => times(header)],
    ['extended headers and nothing else', () => times(pax)],
    ['headers and zeros in turns', () => times(Buffer.concat([header, Buffer.alloc(BLOCK)]))],
    ['headers that are wrong', () => times(Buffer.alloc(BLOCK, 'a'))],
    [
      'a meta entry that is said to be huge',
      () =>
        odd(header => {
          text(header, 156, 1, 'x')
          text(header, 124, 12, '77777777777\0')
        }),
    ],
  ]
  for (const [what, make] of cases) {
    test(what, async () => {
      const bytes = make()
      // Of this process: what others take of the machine is not its time.
      const begin = process.cpuUsage()
      await reasonsOf(bytes)
      const { user, system } = process.cpuUsage(begin)
      assert.ok(user + system < 5_000_000, `${user + system} µs`)
    })
  }
})

test('no archive makes it throw', async () => {
  const base = archive(
    MANIFEST,
    entry('docs/a.md', 'hello'),
    entry('x', '', header => text(header, 156, 1, 'x')),
    entry('y', 'z'),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(base.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      async (changes, isRepaired) => {
        const bytes = Buffer.from(base)
        for (const [at, byte] of changes) bytes[at] = byte
        // With a checksum that is right, the reader goes on to what else is wrong.
        if (isRepaired)
          for (let at = 0; at + BLOCK <= bytes.length; at += BLOCK)
            if (bytes.toString('latin1', at + 257, at + 262) === 'ustar') sum(bytes.subarray(at, at + BLOCK))
        await reasonsOf(bytes)
      },
    ),
    { numRuns: runs(300) },
  )
})
