// What `pack` does not take of a foreign archive: each by its name, beside the same archive without it, which is packed.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { DEFAULT_LIMITS } from '../../src/bundle/archive.ts'
import { countedFindings } from '../../src/lint/lint.ts'
import { RlpError } from '../../src/model/error.ts'
import { assertPackable } from '../../src/pack/pack.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { bundleFrom, foreign, item, items, pax, record, tarOf } from '../support/foreign.ts'
import { processorTime } from '../support/processor-time.ts'
import { IN_CI } from '../support/runs.ts'

const TREE = agentTree({ files: { 'docs/a.md': 'hello' } })
const GOOD = items(TREE)
const ROOT = 'some thing/'

async function refusal(bytes: Uint8Array, options = {}): Promise<RlpError> {
  const error = await foreign(bytes, options).then(
    () => assert.fail('it is taken'),
    error => error,
  )
  assert.ok(error instanceof RlpError, String(error?.stack))
  return error
}

test('the positive control: without anything odd it is packed, with and without a root', async () => {
  const bundle = bundleOf(TREE)
  assert.deepEqual(await bundleFrom(tarOf(...GOOD)), bundle)
  assert.deepEqual(await bundleFrom(tarOf(...items(TREE, ''))), bundle)
  assert.deepEqual(await bundleFrom(tarOf(...items(TREE, './'))), bundle)
  assert.deepEqual(await bundleFrom(gzipSync(tarOf(item('./', '', { type: '5' }), ...GOOD))), bundle)
  assert.deepEqual(await bundleFrom(tarOf(pax({ comment: 'a commit' }, 'g'), ...GOOD)), bundle)
  assert.deepEqual(await bundleFrom(bundle), bundle)
  // As `tar -cf x.tar agents/mini` has it, and with what macOS adds.
  const mac = item('._agents', 'x')
  assert.deepEqual(await bundleFrom(tarOf(mac, ...items(TREE, 'agents/mini/'))), bundle)
})

describe('an entry', () => {
  const odd: [what: string, entries: Uint8Array[], state: string][] = [
    [
      'a symbolic link',
      [item(`${ROOT}l`, '', { type: '2', link: '/etc/passwd' })],
      'l is a symbolic link to /etc/passwd; bundles hold regular files only',
    ],
    [
      'a hard link',
      [item(`${ROOT}l`, '', { type: '1', link: `${ROOT}tools.json` })],
      `l is a hard link to ${ROOT}tools.json; bundles hold regular files only`,
    ],
    ['a device', [item(`${ROOT}d`, '', { type: '3' })], 'd is a device; bundles hold regular files only'],
    ['a disk', [item(`${ROOT}d`, '', { type: '4' })], 'd is a device; bundles hold regular files only'],
    ['a FIFO', [item(`${ROOT}p`, '', { type: '6' })], 'p is a FIFO; bundles hold regular files only'],
    ['a file twice', [item(`${ROOT}docs/a.md`, 'other')], `${ROOT}docs/a.md is there twice`],
    ['a dot file twice', [item(`${ROOT}.x`), item(`${ROOT}.x`)], `${ROOT}.x is there twice`],
    [
      'a file that is a folder too',
      [item(`${ROOT}docs`, 'x')],
      `${ROOT}docs is there as a folder and as a file`,
    ],
    [
      'a link that is a folder too',
      [item(`${ROOT}.l`, '', { type: '2', link: '/etc' }), item(`${ROOT}.l/passwd`)],
      `${ROOT}.l is there as a symbolic link and as a folder`,
    ],
    ['an absolute path', [item('/etc/x')], '/etc/x is an absolute path'],
    ['a drive', [item('C:/x')], 'C:/x is an absolute path'],
    ['a way out', [item(`${ROOT}../../etc/x`)], `${ROOT}../../etc/x leads out of its folder`],
    ['a way out of nothing', [item('..', '', { type: '5' })], '.. leads out of its folder'],
    [
      'a way out that is left out anyway',
      [item(`${ROOT}.git/../../x`)],
      `${ROOT}.git/../../x leads out of its folder`,
    ],
    ['an empty segment', [item(`${ROOT}a//b`)], `${ROOT}a//b has an empty segment or one that is "."`],
    ['a dot segment', [item(`${ROOT}a/./b`)], `${ROOT}a/./b has an empty segment or one that is "."`],
    [
      'a second root',
      [item('other/x')],
      'there is no manifest.toml at its top, nor in one folder that holds everything',
    ],
    [
      'GNU’s sparse file',
      [item(`${ROOT}s`, '', { type: 'S' })],
      `${ROOT}s is of a kind that is not read (SparseFile)`,
    ],
    [
      'a contiguous file',
      [item(`${ROOT}s`, '', { type: '7' })],
      `${ROOT}s is of a kind that is not read (ContiguousFile)`,
    ],
    [
      'an unknown type',
      [item(`${ROOT}s`, '', { type: 'Q' })],
      `${ROOT}s is of a kind that is not read (Unsupported)`,
    ],
    [
      'a folder with a content',
      [item(`${ROOT}f/`, 'x', { type: '5' })],
      `the headers of ${ROOT}f/ contradict each other`,
    ],
    [
      'a file that is a folder by its slash',
      [item(`${ROOT}f/`, 'x')],
      `the headers of ${ROOT}f/ contradict each other`,
    ],
    [
      'a size in base 256',
      [item(`${ROOT}f`, 'x', { change: header => header.set([128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 124) })],
      `the headers of ${ROOT}f contradict each other`,
    ],
    [
      'a size that is no number',
      [item(`${ROOT}f`, 'x', { size: '0000000001x\0' })],
      `the headers of ${ROOT}f contradict each other`,
    ],
    [
      'a path that is too long',
      [pax({ path: `${ROOT}${'a'.repeat(5000)}` }), item('a')],
      `${ROOT}${'a'.repeat(89)}… is too long for a path`,
    ],
    [
      'folders without end',
      [pax({ path: `${ROOT}${'a/'.repeat(200)}a` }), item('a')],
      `${ROOT}${'a/'.repeat(44)}a… is more than 128 folders deep`,
    ],
  ]
  for (const [what, entries, state] of odd) {
    test(what, async () => {
      const { code, message } = await refusal(tarOf(...GOOD, ...entries))
      assert.equal(message, `Cannot pack "x.tar": ${state}`)
      assert.equal(code, 'NOT_CONVERTIBLE')
    })
  }

  test('a link that the folder would leave out too is no problem', async () => {
    const link = (path: string) => item(ROOT + path, '', { type: '2', link: '/etc/passwd' })
    const ignored = item(`${ROOT}.bundleignore`, 'notes\n')
    assert.deepEqual(await bundleFrom(tarOf(...GOOD, link('.git/x'), ignored, link('notes'))), bundleOf(TREE))
  })

  test('case twins, odd names and a signed bundle: lint says so, as of a folder', async () => {
    const ruleOf = async (...more: Uint8Array[]) => {
      const { agent } = await foreign(tarOf(...GOOD, ...more))
      const findings = countedFindings(agent, new Date()).filter(({ severity }) => severity === 'error')
      assert.throws(() => assertPackable(agent, findings), RlpError)
      return findings[0]?.rule
    }
    assert.equal(await ruleOf(item(`${ROOT}Docs/A.md`)), 'files/case-twin')
    assert.equal(await ruleOf(item(`${ROOT}a b`)), 'files/name')
    assert.equal(await ruleOf(item(`${ROOT}nul.txt`)), 'files/name')
    assert.equal(await ruleOf(item(`${ROOT}SIGNATURES/manifest.sig`)), 'files/signatures')
  })
})

describe('an extended header', () => {
  const one = item(`${ROOT}x`, 'x')
  const before = `Cannot pack "x.tar": the entry after ${ROOT}docs/a.md `
  const odd: [what: string, entries: Uint8Array[], state: string][] = [
    [
      'of a sparse file',
      [pax({ 'GNU.sparse.major': '1', 'GNU.sparse.name': 'x' }), one],
      `${before}is a sparse file`,
    ],
    ['of star’s sparse file', [pax({ 'SCHILY.realsize': '100' }), one], `${before}is a sparse file`],
    ['that changes the type', [pax({ type: 'SymbolicLink' }), one], `${before}has a pax header with "type"`],
    [
      'that changes the size',
      [pax({ size: '0' }), one],
      `Cannot pack "x.tar": the headers of ${ROOT}x contradict each other`,
    ],
    [
      'for every entry, with a path',
      [pax({ path: 'x' }, 'g'), one],
      `${before}has a global pax header with "path", which would hold for every entry`,
    ],
    [
      'for every entry, with a size',
      [pax({ size: '1' }, 'g'), one],
      `${before}has a global pax header with "size", which would hold for every entry`,
    ],
    [
      'after another',
      [pax({ path: `${ROOT}y` }), pax({ path: `${ROOT}z` }), one],
      `${before}has two extended headers`,
    ],
    [
      'after a long name',
      [item('L', `${ROOT}y\0`, { type: 'L' }), pax({ path: `${ROOT}z` }), one],
      `${before}has two extended headers`,
    ],
    [
      'of an older kind',
      [pax({ path: `${ROOT}y` }, 'X'), one],
      `${before}has an extended header of the kind "X"`,
    ],
    [
      'with a path that ends in the middle',
      [pax({ path: `${ROOT}y\0z` }), one],
      `Cannot pack "x.tar": the headers of ${ROOT}y contradict each other`,
    ],
    [
      'with a path inside another value',
      [
        pax({ 'SCHILY.xattr.user.x': Buffer.concat([Buffer.from('\n'), record('path', `${ROOT}evil`)]) }),
        one,
      ],
      `Cannot pack "x.tar": the headers of ${ROOT}evil contradict each other`,
    ],
    [
      'with a name twice',
      [item('p', Buffer.concat([record('path', 'a'), record('path', 'b')]), { type: 'x' }), one],
      `${before}has a pax header with "path" twice`,
    ],
    [
      'with a length that is wrong',
      [item('p', '99 path=x\n', { type: 'x' }), one],
      `${before}has a damaged pax header`,
    ],
    [
      'with nothing in it',
      [item('p', '', { type: 'x' }), one],
      `Cannot pack "x.tar": the headers of ${ROOT}x contradict each other`,
    ],
    [
      'that is huge',
      [item('p', Buffer.alloc(100_000, 'x'), { type: 'x' }), one],
      'Cannot pack "x.tar": p has more than 65536 bytes, for an extended header',
    ],
    ['at the end', [pax({ path: 'x' })], 'Cannot pack "x.tar": its last extended header is for no entry'],
  ]
  for (const [what, entries, state] of odd) {
    test(what, async () => assert.equal((await refusal(tarOf(...GOOD, ...entries))).message, state))
  }

  test('of the usual kind is read: times, owners, attributes, a long path', async () => {
    const path = `${'docs/'.repeat(20)}deep.md`
    const more = agentTree({ files: { [path]: 'deep' } })
    const usual = pax({
      mtime: '1700000000.5',
      uname: 'Jürgen',
      size: '4',
      path: ROOT + path,
      'LIBARCHIVE.xattr.com.apple.provenance': 'AQIA',
      'SCHILY.xattr.com.apple.provenance': Buffer.from([1, 2, 0, 0xff, 10, 0xfe, 61]),
    })
    const rest = items(more).filter(bytes => !bytes.toString('latin1', 0, 100).includes('docs/docs'))
    assert.deepEqual(await bundleFrom(tarOf(...rest, usual, item('cut', 'deep'))), bundleOf(more))
    const long = item('././@LongLink', `${ROOT}${path}\0`, { type: 'L' })
    assert.deepEqual(await bundleFrom(tarOf(...rest, long, item('cut', 'deep'))), bundleOf(more))
  })
})

describe('a whole', () => {
  const good = tarOf(...GOOD)
  const at = (position: number, byte: number) => {
    const bytes = Buffer.from(good)
    bytes[position] = byte
    return bytes
  }
  const odd: [what: string, bytes: () => Uint8Array, state: string | RegExp][] = [
    ['nothing', () => Buffer.alloc(0), 'it is a file, and no tar archive'],
    ['a text', () => Buffer.from('hello '.repeat(500)), 'it is a file, and no tar archive'],
    ['a short text', () => Buffer.from('hello'), 'it is a file, and no tar archive'],
    ['a zip', () => Buffer.from('PK\x03\x04\x14\0 and more'), 'it is a zip archive'],
    ['an empty zip', () => Buffer.from('PK\x05\x06'), 'it is a zip archive'],
    ['a 7z', () => Buffer.from("7z\xbc\xaf'\x1c\0\x04", 'latin1'), 'it is a 7z archive'],
    ['a tar.xz', () => Buffer.from('\xfd7zXZ\0\0\x04', 'latin1'), 'it is compressed by xz'],
    ['a tar.zst', () => Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0]), 'it is compressed by zstd'],
    ['a tar.bz2', () => Buffer.from('BZh91AY&SY', 'latin1'), 'it is compressed by bzip2'],
    ['a text that begins as bzip2 does', () => Buffer.from('BZh9 notes'), 'it is a file, and no tar archive'],
    [
      'zeros',
      () => Buffer.alloc(10_240),
      'there is no manifest.toml at its top, nor in one folder that holds everything',
    ],
    ['a wrong checksum', () => at(GOOD[0]?.length ?? 0, 0x41), 'it is damaged (checksum failure)'],
    ['a cut within a file', () => good.subarray(0, 700), 'it is cut off'],
    ['a cut between two files', () => good.subarray(0, good.length - 1024), 'it is cut off'],
    ['a cut in the end', () => good.subarray(0, good.length - 512), 'it is cut off'],
    ['half a block', () => Buffer.concat([good, Buffer.alloc(100)]), 'it is cut off'],
    ['another archive behind it', () => Buffer.concat([good, good]), 'something follows its end'],
    [
      'an entry behind one block of zeros',
      () => Buffer.concat([...GOOD, Buffer.alloc(512), item('x'), Buffer.alloc(1024)]),
      'something follows its end',
    ],
    [
      'more zeros than any program writes',
      () => Buffer.concat([good, Buffer.alloc(2 * 1024 * 1024)]),
      'zeros follow its end, more than 1 MiB of them',
    ],
    ['compressed twice', () => gzipSync(gzipSync(good)), 'it is compressed twice'],
    ['gzip that is cut off', () => gzipSync(good).subarray(0, -4), 'the gzip data is cut off'],
    [
      'gzip with a wrong checksum',
      () => {
        const bytes = gzipSync(good)
        bytes[bytes.length - 8] = (bytes[bytes.length - 8] ?? 0) ^ 1
        return bytes
      },
      'the gzip checksum is wrong',
    ],
    [
      'gzip in two members',
      () => Buffer.concat([gzipSync(good.subarray(0, 1024)), gzipSync(good.subarray(1024))]),
      'bytes follow the gzip trailer',
    ],
    [
      'a gzip name without end',
      () => Buffer.concat([Buffer.from([31, 139, 8, 8, 0, 0, 0, 0, 0, 3]), Buffer.alloc(1_000_000, 'x')]),
      'the gzip header has more than 65536 bytes',
    ],
    [
      'a gzip of another method',
      () => Buffer.concat([Buffer.from([31, 139, 7, 0, 0, 0, 0, 0, 0, 3]), good]),
      'it is not gzip data as RFC 1952 defines it',
    ],
  ]
  for (const [what, bytes, state] of odd) {
    test(what, async () => {
      const { message, hint } = await refusal(bytes())
      assert.equal(message, `Cannot pack "x.tar": ${state}`)
      assert.ok(hint)
    })
  }

  test('a gzip header with a name, a comment, a checksum and a field is read', async () => {
    const plain = gzipSync(good)
    const fields = Buffer.concat([
      Buffer.from([2, 0, 1, 2]),
      Buffer.from('x.tar\0remark\0'),
      Buffer.from([1, 2]),
    ])
    const head = Buffer.from([31, 139, 8, 2 + 4 + 8 + 16, 1, 2, 3, 4, 0, 3])
    const bytes = Buffer.concat([head, fields, plain.subarray(10)])
    assert.deepEqual(await bundleFrom(bytes), bundleOf(TREE))
    async function* single() {
      for (const byte of bytes) yield Uint8Array.of(byte)
    }
    assert.equal((await foreign(single() as unknown as Uint8Array)).agent.files.list.length, 5)
  })

  test('limits: files, one file, all files', async () => {
    const limits = { ...DEFAULT_LIMITS, fileBytes: 2000, totalBytes: 2500, files: 7 }
    assert.equal((await foreign(tarOf(...GOOD), { limits })).agent.files.list.length, 5)
    const over = async (...more: Uint8Array[]) => {
      const { code, message } = await refusal(tarOf(...GOOD, ...more), { limits })
      assert.equal(code, 'LIMIT_EXCEEDED')
      return message.replace('Cannot pack "x.tar": ', '')
    }
    assert.equal(await over(item(`${ROOT}big`, 'x'.repeat(2001))), `${ROOT}big is larger than 2000 bytes`)
    assert.equal(
      await over(item(`${ROOT}b`, 'x'.repeat(1900)), item(`${ROOT}c`, 'x'.repeat(1900))),
      'it holds more than 2500 bytes',
    )
    const many = ['a', 'b', 'c'].map(name => item(ROOT + name))
    assert.equal(await over(...many), 'it holds more than 7 files')
    // What is only claimed takes no memory.
    assert.equal(
      await over(item(`${ROOT}b`, '', { size: '77777777777\0' })),
      `${ROOT}b is larger than 2000 bytes`,
    )
  })
})

describe('what would take long elsewhere', () => {
  const header = item('some thing/a').subarray(0, 512)
  const folder = item('some thing/a/', '', { type: '5' })
  const times = (block: Uint8Array, bytes: number) =>
    Buffer.concat(Array(Math.ceil(bytes / block.length)).fill(block))
  const cases: [what: string, bytes: () => Uint8Array, code: string][] = [
    ['an endless gzip of zeros', () => gzipSync(Buffer.alloc(8 * 1024 * 1024)), 'NOT_CONVERTIBLE'],
    [
      'an endless gzip of one file',
      () =>
        gzipSync(Buffer.concat([item('a/x', '', { size: '77777777777\0' }), Buffer.alloc(8 * 1024 * 1024)])),
      'LIMIT_EXCEEDED',
    ],
    // All bytes of an archive are counted, 65 MiB here: by themselves, folders that fill them take long to read.
    [
      'an endless gzip of folders with long comments',
      () => {
        const comment = pax({ comment: 'x'.repeat(60_000) })
        return gzipSync(times(Buffer.concat([comment, folder]), 66 * 1024 * 1024), { level: 1 })
      },
      'LIMIT_EXCEEDED',
    ],
    // More than the 10,000 files that a bundle may hold.
    ['headers and nothing else', () => times(header, 6 * 1024 * 1024), 'LIMIT_EXCEEDED'],
    [
      'extended headers and nothing else',
      () => times(pax({ mtime: '1' }), 4 * 1024 * 1024),
      'NOT_CONVERTIBLE',
    ],
    [
      'global headers and nothing else',
      () => times(pax({ comment: 'x'.repeat(400) }, 'g'), 4 * 1024 * 1024),
      'NOT_CONVERTIBLE',
    ],
  ]
  if (IN_CI) {
    const folders = () => gzipSync(times(folder, 80 * 1024 * 1024))
    cases.push(['an endless gzip of folders', folders, 'LIMIT_EXCEEDED'])
  }
  for (const [what, make, code] of cases) {
    test(what, async () => {
      const bytes = make()
      const limits = { ...DEFAULT_LIMITS, totalBytes: 1024 * 1024 }
      const begin = processorTime()
      assert.equal((await refusal(bytes, { limits })).code, code)
      assert.ok(processorTime() - begin < 8_000, `${processorTime() - begin} ms`)
    })
  }
})
