// The canonical archive: the bytes GNU tar writes, and nothing else is read. One of seven bits of a header is changed here, so that each place
// in a byte is met, and an archive is cut at one of seven places; at all of them in `.ci/run`.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import * as tar from 'tar'
import { archiveOrder, BLOCK, encodeHeader, modeOf, readHeader } from '../../src/bundle/archive.ts'
import { ArchiveReader, NotCanonical } from '../../src/bundle/reader.ts'
import { pathProblem } from '../../src/text/path.ts'
import { archive, entry, sum, text } from '../support/archive.ts'
import { step } from '../support/runs.ts'

const STEP = step(7)
const M = entry('manifest.toml', 'm')

interface Read {
  files: Record<string, string>
  refused?: string
}

function read(
  bytes: Uint8Array,
  pieces = [bytes.length],
  limits?: ConstructorParameters<typeof ArchiveReader>[1],
): Read {
  const files: Record<string, string> = {}
  let path = ''
  const reader = new ArchiveReader(
    {
      open(name) {
        path = name
        files[path] = ''
      },
      write(chunk) {
        files[path] += Buffer.from(chunk).toString('latin1')
      },
      close() {},
    },
    limits,
  )
  try {
    let at = 0
    for (const piece of pieces) {
      reader.push(bytes.subarray(at, at + piece))
      at += piece
    }
    reader.push(bytes.subarray(at))
    reader.end()
    return { files }
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error
    return { files, refused: error.message }
  }
}

const segment = fc
  .array(fc.constantFrom(...'abcXYZ019._@+-'), { minLength: 1, maxLength: 30 })
  .map(chars => chars.join(''))
const path = fc
  .array(segment, { minLength: 1, maxLength: 8 })
  .map(parts => parts.join('/'))
  .filter(text => pathProblem(text) === undefined)
const tree = fc
  .dictionary(path, fc.uint8Array({ maxLength: 1500 }), { minKeys: 1, maxKeys: 8 })
  .filter(files => {
    const names = Object.keys(files)
    const lower = new Set<string>()
    for (const name of names) {
      const parts = name.split('/')
      for (let n = 1; n <= parts.length; n++) lower.add(parts.slice(0, n).join('/').toLowerCase())
    }
    // No two names alike, and none that is the folder of another.
    const prefixes = new Set(
      names.flatMap(name => name.split('/').map((_, n, parts) => parts.slice(0, n + 1).join('/'))),
    )
    return (
      lower.size === prefixes.size && !names.some(name => names.some(other => other.startsWith(`${name}/`)))
    )
  })

describe('one byte sequence', () => {
  test('header and trailer are those of GNU tar', t => {
    try {
      if (!execFileSync('tar', ['--version'], { encoding: 'utf8' }).includes('GNU'))
        return t.skip('tar is not GNU tar')
    } catch {
      return t.skip('no tar on this machine')
    }
    const folder = mkdtempSync(join(tmpdir(), 'rlp-tar-'))
    try {
      const long = `schemas/${'d'.repeat(60)}/${'e'.repeat(60)}/${'f'.repeat(90)}.json`
      const hundred = `schemas/${'x'.repeat(100 - 'agent.bundle/schemas/'.length)}`
      const files: Record<string, string> = {
        'manifest.toml': 'manifest',
        'README.md': '',
        'bin/a.wasm': 'x'.repeat(512),
        'bin/sub/b': 'y'.repeat(513),
        'policy.caps': 'p',
        [hundred]: 'h',
        [`${hundred}y`]: 'h',
        [long]: 'l',
        'tools.json': '{}',
      }
      for (const [path, content] of Object.entries(files)) {
        const full = join(folder, 'agent.bundle', path)
        mkdirSync(dirname(full), { recursive: true })
        writeFileSync(full, content)
        chmodSync(full, modeOf(path))
      }
      const names = Object.keys(files).sort(archiveOrder)
      const made = execFileSync(
        'tar',
        [
          ...[
            '--format=ustar',
            '--numeric-owner',
            '--owner=0',
            '--group=0',
            '--mtime=@499162500',
            '-b1',
            '-cf',
            '-',
          ],
          ...names.map(name => `agent.bundle/${name}`),
        ],
        { cwd: folder },
      )
      const ours = archive(...names.map(name => entry(name, files[name] ?? '')))
      assert.equal(Buffer.compare(made, ours), 0)
      // And back: it extracts them without a word.
      const out = join(folder, 'out')
      mkdirSync(out)
      writeFileSync(join(folder, 'x.agent.bundle'), ours)
      const said = execFileSync('tar', ['xf', '../x.agent.bundle'], {
        cwd: out,
        encoding: 'utf8',
        stdio: 'pipe',
      })
      assert.equal(said, '')
      for (const name of names)
        assert.equal(readFileSync(join(out, 'agent.bundle', name), 'latin1'), files[name])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('what is written reads back, in any pieces', () => {
    fc.assert(
      fc.property(tree, fc.array(fc.integer({ min: 1, max: 700 }), { maxLength: 20 }), (files, pieces) => {
        const names = Object.keys(files).sort(archiveOrder)
        const bytes = archive(...names.map(name => entry(name, files[name] ?? '')))
        const result = read(bytes, pieces)
        assert.equal(result.refused, undefined)
        assert.deepEqual(
          result.files,
          Object.fromEntries(names.map(name => [name, Buffer.from(files[name] ?? '').toString('latin1')])),
        )
      }),
    )
  })

  test('a second reader sees the same files', async () => {
    await fc.assert(
      fc.asyncProperty(tree, async files => {
        const names = Object.keys(files).sort(archiveOrder)
        const bytes = archive(...names.map(name => entry(name, files[name] ?? '')))
        const seen: Record<string, string> = {}
        const parser = new tar.Parser({
          strict: true,
          onReadEntry(one) {
            const chunks: Buffer[] = []
            one.on('data', chunk => chunks.push(chunk))
            one.on('end', () => {
              seen[one.path.replace('agent.bundle/', '')] = Buffer.concat(chunks).toString('latin1')
              assert.equal(one.mode, modeOf(one.path.replace('agent.bundle/', '')))
              assert.equal(one.mtime?.toISOString(), '1985-10-26T08:15:00.000Z')
            })
          },
        })
        await new Promise<void>((resolve, reject) => {
          parser.on('end', () => resolve())
          parser.on('error', reject)
          parser.end(bytes)
        })
        assert.deepEqual(
          seen,
          Object.fromEntries(names.map(name => [name, Buffer.from(files[name] ?? '').toString('latin1')])),
        )
      }),
      { numRuns: 30 },
    )
  })

  test('every bit of a header counts', () => {
    const header = encodeHeader('bin/agent.wasm', 1234)
    assert.deepEqual(readHeader(header), { ok: true, path: 'bin/agent.wasm', size: 1234 })
    for (let bit = 0; bit < BLOCK * 8; bit += STEP) {
      const changed = header.slice()
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      const result = readHeader(changed)
      assert.equal(result.ok, false, `bit ${bit} changes nothing`)
      // A reader that recomputes the checksum must not be fooled either, unless the change makes another canonical header.
      sum(changed)
      const again = readHeader(changed)
      if (again.ok) assert.equal(Buffer.compare(changed, encodeHeader(again.path, again.size)), 0)
    }
  })
})

describe('what is refused', () => {
  const file = (path: string, content = 'x') => entry(path, content)
  const cases: [what: string, bytes: Uint8Array, reason: RegExp][] = [
    ['nothing at all', Buffer.alloc(0), /is empty/],
    ['a trailer only, one block', Buffer.alloc(512), /is cut off/],
    ['a text file', Buffer.from('hello'.repeat(200)), /not a regular file/],
    ['no trailer', M, /is cut off/],
    ['half a trailer', Buffer.concat([M, Buffer.alloc(512)]), /is cut off/],
    ['a byte after the trailer', Buffer.concat([archive(M), Buffer.from('\0')]), /bytes follow the end/],
    ['a third zero block', Buffer.concat([archive(M), Buffer.alloc(512)]), /bytes follow the end/],
    ['two archives, one after the other', Buffer.concat([archive(M), archive(M)]), /bytes follow the end/],
    [
      'an entry after one zero block',
      Buffer.concat([M, Buffer.alloc(512), file('z'), Buffer.alloc(1024)]),
      /two zero blocks/,
    ],
    [
      'padding that is not zero',
      archive(Buffer.concat([M.subarray(0, 1023), Buffer.from('!')])),
      /padding after manifest.toml/,
    ],
    ['two entries of one path', archive(M, file('a'), file('a')), /a appears twice/],
    ['a wrong order', archive(M, file('b'), file('a')), /a comes after b/],
    ['the manifest not first', archive(file('a'), M), /manifest.toml comes after a/],
    ['the signature not second', archive(M, file('a'), file('SIGNATURES/manifest.sig')), /comes after a/],
    ['case twins', archive(M, file('A'), file('a')), /differ only in case/],
    ['case twins as folders', archive(M, file('Bin/x'), file('bin/y')), /differ only in case/],
    [
      'an entry outside the root',
      archive(entry('manifest.toml', 'm', h => text(h, 0, 100, 'other/manifest.toml'))),
      /outside the root folder/,
    ],
    [
      'an absolute path',
      archive(entry('a', 'x', h => text(h, 0, 100, '/agent.bundle/a'))),
      /outside the root folder/,
    ],
    [
      'a path that climbs',
      archive(entry('a', 'x', h => text(h, 0, 100, 'agent.bundle/../a'))),
      /".." segment/,
    ],
    [
      'a leading ./',
      archive(entry('a', 'x', h => text(h, 0, 100, './agent.bundle/a'))),
      /outside the root folder/,
    ],
    ['a dot file', archive(entry('a', 'x', h => text(h, 0, 100, 'agent.bundle/.a'))), /begins with a dot/],
    ['a device name', archive(entry('a', 'x', h => text(h, 0, 100, 'agent.bundle/nul.txt'))), /device name/],
    ['a backslash', archive(entry('a', 'x', h => text(h, 0, 100, 'agent.bundle/a\\b'))), /backslash/],
    [
      'a high byte in a path',
      archive(entry('a', 'x', h => text(h, 0, 100, 'agent.bundle/\xe9'))),
      /character other than/,
    ],
    [
      'bytes after the NUL of a name',
      archive(entry('a', 'x', h => h.set(Buffer.from('evil'), 50))),
      /name field .* not canonical/,
    ],
    [
      'a path split differently than GNU tar does',
      archive(
        entry('a', 'x', h => {
          text(h, 0, 100, 'a')
          text(h, 345, 155, 'agent.bundle')
        }),
      ),
      /name field/,
    ],
    ['another mode', archive(entry('a', 'x', h => text(h, 100, 8, '0000600\0'))), /mode field/],
    [
      'a setuid mode under bin/',
      archive(entry('bin/a', 'x', h => text(h, 100, 8, '0004755\0'))),
      /mode field/,
    ],
    ['another owner', archive(entry('a', 'x', h => text(h, 108, 8, '0001750\0'))), /uid field/],
    ['another date', archive(entry('a', 'x', h => text(h, 136, 12, '14722637204\0'))), /mtime field/],
    ['a user name', archive(entry('a', 'x', h => text(h, 265, 32, 'root'))), /user name field/],
    ['the magic of GNU tar', archive(entry('a', 'x', h => text(h, 257, 8, 'ustar  \0'))), /magic field/],
    ['a link name', archive(entry('a', 'x', h => text(h, 157, 100, '/etc/passwd'))), /link name field/],
    ['bytes in the header padding', archive(entry('a', 'x', h => text(h, 500, 12, 'x'))), /padding field/],
    [
      'a size in base 256',
      archive(entry('a', 'x', h => h.set([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 124))),
      /size field/,
    ],
    ['a negative size', archive(entry('a', 'x', h => h.fill(0xff, 124, 136))), /size field/],
    ['a size with spaces', archive(entry('a', 'x', h => text(h, 124, 12, '          1\0'))), /size field/],
    [
      'a size that ends in a space',
      archive(entry('a', 'x', h => text(h, 124, 12, '00000000001 '))),
      /size field/,
    ],
    ...(
      [
        ['0', '\0', /old-style file/],
        ['1', '1', /hard link/],
        ['2', '2', /symbolic link/],
        ['3', '3', /character device/],
        ['4', '4', /block device/],
        ['5', '5', /directory/],
        ['6', '6', /FIFO/],
        ['7', '7', /contiguous/],
        ['x', 'x', /pax header/],
        ['g', 'g', /global pax header/],
        ['L', 'L', /GNU long name/],
        ['K', 'K', /GNU long link/],
        ['S', 'S', /sparse/],
        ['V', 'V', /unknown type/],
      ] as const
    ).map(([name, flag, reason]): [string, Uint8Array, RegExp] => [
      `an entry of type ${name}`,
      archive(entry('a', 'x', h => text(h, 156, 1, flag))),
      reason,
    ]),
  ]

  test('the positive control is read', () => {
    assert.deepEqual(read(archive(M, file('SIGNATURES/manifest.sig'), file('A'), file('b'))), {
      files: { 'manifest.toml': 'm', 'SIGNATURES/manifest.sig': 'x', A: 'x', b: 'x' },
    })
  })

  for (const [what, bytes, reason] of cases) {
    test(what, () => {
      assert.match(read(bytes).refused ?? 'it was read', reason)
      // However the bytes arrive.
      assert.equal(read(bytes, Array(bytes.length).fill(1)).refused, read(bytes).refused)
    })
  }

  test('every truncation', () => {
    const whole = archive(M, file('a', 'y'.repeat(600)))
    assert.equal(read(whole).refused, undefined)
    for (let length = 0; length < whole.length; length += STEP) {
      assert.match(read(whole.subarray(0, length)).refused ?? 'it was read', /is cut off|is empty/)
    }
  })

  test('limits', () => {
    const limits = { files: 2, fileBytes: 10, totalBytes: 15 }
    const bytes = archive(M, file('a', '0123456789'))
    assert.equal(read(bytes, undefined, limits).refused, undefined)
    assert.match(
      read(archive(M, file('a', '01234567890')), undefined, limits).refused ?? '',
      /a is larger than 10 bytes/,
    )
    assert.match(read(archive(M, file('a'), file('b')), undefined, limits).refused ?? '', /more than 2 files/)
    assert.match(
      read(archive(M, file('a', '0123456789'), file('b', '012345')), undefined, { ...limits, files: 9 })
        .refused ?? '',
      /more than 15 bytes/,
    )
    const huge = encodeHeader('a', 2 ** 30 + 1)
    assert.match(
      read(huge, undefined, { files: 9, fileBytes: 2 ** 32, totalBytes: 2 ** 33 }).refused ?? '',
      /larger than/,
    )
  })
})
