// The gzip wrapper: what we write every other program reads, and of what others write one form only is taken.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { constants, crc32, deflateRawSync, gunzipSync, gzipSync, inflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { NotCanonical } from '../../src/bundle/reader.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import { gunzip } from '../../src/io/wrappers/gzip.ts'
import { gzip } from '../../src/io/write/write-gzip.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { collect } from '../support/memory.ts'
import { PYTHON } from '../support/python.ts'
import { rlp, rlpMeasured } from '../support/run.ts'
import { upTo } from '../support/runs.ts'

const TEXT = Buffer.from('what is inside, what is inside, what is inside\n')
const BUNDLE = bundleOf(agentTree())
const folderFor = temporary('gzip')

async function* pieces(bytes: Uint8Array, size = bytes.length || 1): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const wrap = (bytes: Uint8Array, size?: number) => collect(gzip(pieces(bytes, size)))

/** What is inside, or why it was refused. */
async function unwrap(bytes: Uint8Array, size?: number): Promise<string | { refused: string }> {
  const inside: Buffer[] = []
  try {
    await gunzip(pieces(bytes, size), piece => inside.push(Buffer.from(piece)))
    return Buffer.concat(inside).toString('latin1')
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error
    return { refused: error.message }
  }
}

async function assertRefused(bytes: Uint8Array, reason: RegExp, sizes = [bytes.length || 1, 1]) {
  for (const size of sizes) {
    const result = await unwrap(bytes, size)
    assert.match(typeof result === 'string' ? `it was read: ${result.slice(0, 40)}` : result.refused, reason)
  }
}

/** A member with any header fields, and a right trailer. */
function member(header: readonly number[], content: Uint8Array, body = deflateRawSync(content)): Buffer {
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc32(content), 0)
  trailer.writeUInt32LE(content.length, 4)
  return Buffer.concat([Buffer.from(header), body, trailer])
}

const PLAIN = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]
const flagged = (flags: number, extra: readonly number[] = []) => [
  0x1f,
  0x8b,
  8,
  flags,
  0,
  0,
  0,
  0,
  0,
  0xff,
  ...extra,
]
const ascii = (text: string) => [...Buffer.from(`${text}\0`)]

describe('what we write', () => {
  test('reads back, however it comes and goes', async () => {
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 3000 }),
      fc.nat(20_000).map(size => Buffer.alloc(size, 'ab')),
    )
    await fc.assert(
      fc.asyncProperty(
        content,
        fc.integer({ min: 1, max: 5000 }),
        fc.integer({ min: 1, max: 5000 }),
        async (bytes, out, back) => {
          const wrapped = await wrap(bytes, out)
          assert.equal(await unwrap(wrapped, back), Buffer.from(bytes).toString('latin1'))
          assert.equal(Buffer.compare(gunzipSync(wrapped), bytes), 0)
        },
      ),
      { numRuns: upTo(30, 60) },
    )
  })

  test('begins and ends as docs/spec/archive.md says', async () => {
    const wrapped = await wrap(TEXT)
    assert.deepEqual([...wrapped.subarray(0, 10)], PLAIN)
    assert.equal(inflateRawSync(wrapped.subarray(10, -8)).compare(TEXT), 0)
    assert.deepEqual(
      [wrapped.readUInt32LE(wrapped.length - 8), wrapped.readUInt32LE(wrapped.length - 4)],
      [crc32(TEXT), TEXT.length],
    )
  })

  test('an empty chunk between others changes nothing', async () => {
    // The kind of empty chunk for which `crc32` of Node 20 and 22 forgets what it has counted.
    const empty = new Uint8Array(new ArrayBuffer(0))
    async function* source() {
      yield TEXT
      yield empty
      yield TEXT
    }
    assert.equal(gunzipSync(await collect(gzip(source()))).compare(Buffer.concat([TEXT, TEXT])), 0)
  })

  test('nothing at all', async () => {
    assert.equal(gunzipSync(await wrap(Buffer.alloc(0))).length, 0)
    assert.equal(await unwrap(await wrap(Buffer.alloc(0))), '')
  })

  test('a source that fails fails the whole', async () => {
    async function* source() {
      yield TEXT
      throw new RangeError('the source broke')
    }
    await assert.rejects(collect(gzip(source())), { name: 'RangeError', message: 'the source broke' })
  })

  test('gzip, gunzip and Python accept it', async t => {
    const folder = folderFor('others')
    const file = join(folder, 'x.gz')
    writeFileSync(file, await wrap(BUNDLE, 700))
    const inside = { encoding: 'buffer', cwd: folder } as const
    const programs: [string, string[]][] = [
      ['gzip', ['-dc', file]],
      ['gunzip', ['-c', file]],
      [PYTHON, ['-c', 'import gzip,sys; sys.stdout.buffer.write(gzip.open(sys.argv[1]).read())', file]],
      [
        PYTHON,
        [
          '-c',
          'import zlib,sys; sys.stdout.buffer.write(zlib.decompress(open(sys.argv[1],"rb").read(), 31))',
          file,
        ],
      ],
    ]
    let ran = 0
    for (const [program, args] of programs) {
      if (spawnSync(program, ['--version']).status !== 0) continue
      assert.equal(execFileSync(program, args, inside).compare(BUNDLE), 0, program)
      ran++
    }
    if (ran === 0) t.skip('neither gzip nor Python is here')
    else if (spawnSync('gzip', ['--version']).status === 0)
      assert.equal(execFileSync('gzip', ['-t', '-v', file], { encoding: 'utf8', stdio: 'pipe' }), '')
  })
})

describe('what we take', () => {
  const good = member(PLAIN, TEXT)

  test('the positive control, in one piece and byte by byte', async () => {
    for (const size of [good.length, 7, 1]) assert.equal(await unwrap(good, size), TEXT.toString())
  })

  test('any MTIME, XFL and OS, any level, stored and empty blocks', async () => {
    for (const [xfl, os] of [
      [2, 3],
      [4, 0],
      [255, 255],
    ] as const)
      assert.equal(await unwrap(member([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, xfl, os], TEXT)), TEXT.toString())
    for (const time of [
      [1, 0, 0, 0],
      [0, 0, 0, 0x65],
      [0x00, 0x09, 0x6e, 0x88],
    ])
      assert.equal(await unwrap(member([0x1f, 0x8b, 8, 0, ...time, 0, 0xff], TEXT)), TEXT.toString())
    for (const level of [0, 1, 9]) assert.equal(await unwrap(gzipSync(TEXT, { level })), TEXT.toString())
    const flushed = deflateRawSync(TEXT, { finishFlush: constants.Z_SYNC_FLUSH })
    assert.equal(
      await unwrap(member(PLAIN, TEXT, Buffer.concat([flushed, Buffer.from([3, 0])])), 1),
      TEXT.toString(),
    )
    assert.equal(await unwrap(member(PLAIN, Buffer.alloc(0), Buffer.from([3, 0])), 1), '')
  })

  test('the vector: a bundle that a carrier has wrapped anew is the same bundle', async () => {
    const plain = 'fixtures/bundles/minimal-1.0.0.agent.bundle'
    const [one, other] = [
      await readBundle(plain, { keep: 'all' }),
      await readBundle(`${plain}.gz`, { keep: 'all' }),
    ]
    assert.equal(readFileSync(`${plain}.gz`).subarray(0, 10).toString('hex'), '1f8b080000096e8800ff')
    assert.deepEqual([one.refusal, other.refusal, other.form], [undefined, undefined, 'gzip'])
    assert.deepEqual(other.files.list, one.files.list)
  })

  const cases: [what: string, bytes: Uint8Array, reason: RegExp][] = [
    ['nothing', Buffer.alloc(0), /cut off/],
    ['no gzip data', Buffer.from('PK\x03\x04 and more than ten bytes'), /not gzip data/],
    ['zlib data', Buffer.concat([Buffer.from([0x78, 0x9c]), good]), /not gzip data/],
    ['another method', member([0x1f, 0x8b, 7, 0, 0, 0, 0, 0, 0, 0xff], TEXT), /flags or another method/],
    ['FTEXT', member(flagged(1), TEXT), /flags or another method/],
    ['FHCRC', member(flagged(2, [0x2b, 0x9f]), TEXT), /flags or another method/],
    ['FEXTRA', member(flagged(4, [4, 0, ...Buffer.from('ab\0\0')]), TEXT), /flags or another method/],
    ['FNAME', member(flagged(8, ascii('mini-1.0.0.agent.bundle')), TEXT), /flags or another method/],
    ['FCOMMENT', member(flagged(16, ascii('hello')), TEXT), /flags or another method/],
    ['a reserved flag', member(flagged(32), TEXT), /flags or another method/],
    [
      'every flag',
      member(flagged(31, [0, 0, ...ascii('a'), ...ascii('b'), 0, 0]), TEXT),
      /flags or another method/,
    ],
    ['a flag and a time', member([0x1f, 0x8b, 8, 1, 1, 0, 0, 0, 0, 0xff], TEXT), /flags or another method/],
    ['two members', Buffer.concat([good, good]), /bytes follow the gzip trailer/],
    [
      'a second, empty member',
      Buffer.concat([good, member(PLAIN, Buffer.alloc(0))]),
      /bytes follow the gzip trailer/,
    ],
    ['a byte behind the trailer', Buffer.concat([good, Buffer.from('x')]), /bytes follow the gzip trailer/],
    ['a zero behind the trailer', Buffer.concat([good, Buffer.alloc(1)]), /bytes follow the gzip trailer/],
    [
      'many zeros behind the trailer',
      Buffer.concat([good, Buffer.alloc(100_000)]),
      /bytes follow the gzip trailer/,
    ],
    ['no deflate data', Buffer.concat([Buffer.from(PLAIN), Buffer.alloc(8)]), /damaged|cut off/],
    ['an unknown block', member(PLAIN, TEXT, Buffer.from([7, 0, 0])), /damaged/],
    ['a stored block with a wrong length', member(PLAIN, TEXT, Buffer.from([1, 1, 0, 1, 0, 65])), /damaged/],
    [
      'a distance before the beginning',
      member(PLAIN, TEXT, Buffer.from([0x4b, 0x04, 0x62, 0, 0])),
      /damaged|checksum|cut off/,
    ],
    [
      'a wrong CRC-32',
      Buffer.concat([good.subarray(0, -8), Buffer.alloc(4), good.subarray(-4)]),
      /checksum is wrong/,
    ],
    ['a wrong length', Buffer.concat([good.subarray(0, -4), Buffer.alloc(4)]), /checksum is wrong/],
    ['the CRC-32 of nothing', member(PLAIN, Buffer.alloc(0), deflateRawSync(TEXT)), /checksum is wrong/],
  ]
  for (const [what, bytes, reason] of cases) {
    const sizes = bytes.length > 10_000 ? [bytes.length, 4096] : undefined
    test(`not: ${what}`, () => assertRefused(bytes, reason, sizes))
  }

  test('not: cut anywhere', async () => {
    for (let length = 0; length < good.length; length++)
      await assertRefused(good.subarray(0, length), /cut off/)
  })

  test('not: any bit of header or trailer changed, but MTIME, XFL and OS', async () => {
    const flip = (bit: number) => {
      const changed = Buffer.from(good)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      return changed
    }
    for (let bit = 0; bit < 4 * 8; bit++)
      await assertRefused(flip(bit), /not gzip data|flags or another method/)
    for (let bit = 4 * 8; bit < 10 * 8; bit++) assert.equal(await unwrap(flip(bit)), TEXT.toString())
    for (let bit = (good.length - 8) * 8; bit < good.length * 8; bit++)
      await assertRefused(flip(bit), /checksum is wrong/)
    // In between only a bit that means nothing may change, for what is inside is what counts.
    let meant = 0
    for (let bit = 10 * 8; bit < (good.length - 8) * 8; bit++) {
      const result = await unwrap(flip(bit))
      if (typeof result === 'string') assert.equal(result, TEXT.toString())
      else meant++
    }
    assert.ok(meant > (good.length - 18) * 8 - 8)
  })

  test('a listener that throws stops it, and no more input is asked for', async () => {
    let asked = 0
    async function* source() {
      for await (const piece of pieces(await wrap(Buffer.alloc(2_000_000)), 1024)) {
        asked++
        yield piece
      }
    }
    const stop = new RangeError('enough')
    await assert.rejects(
      gunzip(source(), () => {
        throw stop
      }),
      stop,
    )
    assert.ok(asked <= 2, `${asked} pieces`)
  })
})

describe('as a bundle', () => {
  const read = async (bytes: Uint8Array) => {
    const { form, refusal } = await readBundle(bytes, { keep: 'parsed' })
    return [form, refusal?.why, refusal?.message]
  }

  test('the control, and things that are no archive', async () => {
    assert.deepEqual(await read(gzipSync(BUNDLE)), ['gzip', undefined, undefined])
    assert.deepEqual(await read(gzipSync('')), [
      'gzip',
      'form',
      'the archive is empty (byte 0 of the inflated archive)',
    ])
    assert.match(String(await read(gzipSync('hello '.repeat(200)))), /^gzip,form,.*not a regular file/)
    assert.match(String(await read(gzipSync(gzipSync(BUNDLE)))), /^gzip,form,/)
    assert.match(
      String(await read(gzipSync(Buffer.concat([BUNDLE, Buffer.alloc(512)])))),
      /^gzip,form,bytes follow the end/,
    )
  })

  test('the report speaks of the inner bytes, and names no gzip', async () => {
    const folder = folderFor('inner')
    writeFileSync(join(folder, 'plain'), BUNDLE)
    writeFileSync(join(folder, 'wrapped'), gzipSync(BUNDLE))
    const ran = await rlp(['agent', 'verify', 'plain', 'wrapped', '--json'], { cwd: folder })
    const { bundles } = JSON.parse(ran.stdout).result
    const { target, form, ...plain } = bundles[0]
    assert.deepEqual([target, form, plain.verdict], ['plain', 'archive', 'unsigned'])
    assert.deepEqual(bundles[1], { ...plain, target: 'wrapped', form: 'gzip' })
  })
})

describe('a bomb', () => {
  /** A gigabyte of zeros in a megabyte: one compressed mebibyte, 1024 times. */
  function bomb(): Buffer {
    const block = deflateRawSync(Buffer.alloc(1024 ** 2), { finishFlush: constants.Z_SYNC_FLUSH })
    const trailer = Buffer.alloc(8)
    return Buffer.concat([
      Buffer.from(PLAIN),
      ...Array<Buffer>(1024).fill(block),
      Buffer.from([3, 0]),
      trailer,
    ])
  }

  test('of a gigabyte of zeros is refused at its first bytes, in little memory', async () => {
    const folder = folderFor('bomb')
    const bytes = bomb()
    assert.ok(bytes.length < 1.2 * 1024 ** 2)
    writeFileSync(join(folder, 'bomb'), bytes)
    const ran = await rlpMeasured(['agent', 'verify', 'bomb', '--json'], { cwd: folder })
    assert.equal(ran.exit, 1)
    const [report] = JSON.parse(ran.stdout).result.bundles
    assert.deepEqual([report.verdict, report.reasons.length], ['invalid', 1])
    assert.match(
      report.reasons[0].message,
      /bytes follow the end of the archive \(byte 1024 of the inflated archive\)/,
    )
    assert.ok(ran.mebibytes < 250, `${ran.mebibytes} MiB`)
    assert.ok(ran.cpuMs < 5000, `${ran.cpuMs} ms`)
  })

  test('is not inflated any further than to the byte that decides', async () => {
    const bytes = bomb()
    const begin = process.cpuUsage()
    await assert.rejects(
      gunzip(pieces(bytes), () => {
        throw new NotCanonical('enough', 0)
      }),
      NotCanonical,
    )
    const { user, system } = process.cpuUsage(begin)
    assert.ok(user + system < 300_000, `${user + system} µs`)
  })
})
