// docs/format.md against the code and the golden bundles: tables, hexdump, commands. A writer made from the page alone gives our bytes.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  DEFAULT_LIMITS,
  encodeHeader,
  MAX_FILE_BYTES,
  paddingAfter,
  readHeader,
  TRAILER,
} from '../../src/format/archive/header.ts'
import { pathProblem } from '../../src/format/path.ts'
import { outline, read } from '../../src/format/read-agent.ts'
import { MAX_TEXT_BYTES } from '../../src/format/text/decode.ts'
import { gzip } from '../../src/io/gzip.ts'
import { readBundle } from '../../src/io/read-bundle.ts'
import { readTree } from '../../src/io/read-tree.ts'
import { lint } from '../../src/lint/lint.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { LIST_LIMITS, PARSE_LIMITS, TEXT_LIMITS } from '../../src/model/limits.ts'
import { assertPackable, pack } from '../../src/pack/pack.ts'
import { verify } from '../../src/verify/verify.ts'
import { digestOf, writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import {
  amount,
  cellBytes,
  codeBlock,
  FORMAT_DOC,
  hexdump,
  sectionOf,
  tableUnder,
} from '../support/format-doc.ts'
import { collect } from '../support/memory.ts'
import { runs } from '../support/runs.ts'

const FOLDER = join(import.meta.dirname, '../../fixtures/bundles')
const GOLDEN = readdirSync(FOLDER).filter(name => name.endsWith('.agent.bundle'))
const golden = (name: string) => readFileSync(join(FOLDER, `${name}-1.0.0.agent.bundle`))
const folderFor = temporary('format')

const HEADER = tableUnder('### 4.1 The header').map(
  ([offset, length, field = '', content = '', example = '']) => ({
    offset: Number(offset),
    length: Number(length),
    field,
    isFixed: content.startsWith('always'),
    example: cellBytes(example),
  }),
)

/** A writer made from the page: its table, its rules in words, and nothing of ours. */
function headerByPage(path: string, size: number): Buffer {
  const full = `agent.bundle/${path}`
  // 4.2: at the last slash that has at most 155 bytes before it.
  const cut = full.length <= 100 ? -1 : full.slice(0, 156).lastIndexOf('/')
  const variable: Record<string, string> = {
    name: full.slice(cut + 1),
    prefix: full.slice(0, Math.max(cut, 0)),
    mode: path.startsWith('bin/') ? '0000755' : '0000644',
    size: size.toString(8).padStart(11, '0'),
    chksum: ' '.repeat(8),
  }
  const header = Buffer.alloc(512)
  for (const { offset, field, isFixed, example } of HEADER)
    (isFixed ? example : Buffer.from(variable[field] ?? '')).copy(header, offset)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}

describe('4 One entry', () => {
  test('the fields follow one another and fill 512 bytes', () => {
    let at = 0
    for (const { offset, length } of HEADER) {
      assert.equal(offset, at)
      at += length
    }
    assert.equal(at, 512)
  })

  test('the example column is the header that the code writes and the golden file has', () => {
    const header = Buffer.alloc(512)
    for (const { offset, length, example } of HEADER) {
      assert.ok(example.length <= length)
      example.copy(header, offset)
    }
    assert.deepEqual(header, Buffer.from(encodeHeader('manifest.toml', 454)))
    assert.deepEqual(header, golden('minimal').subarray(0, 512))
  })

  test('a writer made from the page writes our headers', () => {
    const segment = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9._@+-]{0,60}$/)
    const path = fc
      .array(segment, { minLength: 1, maxLength: 6 })
      .map(parts => parts.join('/'))
      .filter(text => pathProblem(text) === undefined)
    const size = fc.oneof(fc.nat(2000), fc.integer({ min: 0, max: MAX_FILE_BYTES }))
    fc.assert(
      fc.property(path, size, fc.boolean(), (tail, bytes, isProgram) => {
        const name = isProgram && tail.length < 200 ? `bin/${tail}` : tail
        if (pathProblem(name) !== undefined) return
        assert.deepEqual(headerByPage(name, bytes), Buffer.from(encodeHeader(name, bytes)))
      }),
      { numRuns: runs(500) },
    )
  })

  test('the two long paths', () => {
    const bytes = golden('long_path')
    const shown = [...sectionOf('### 4.2 Long paths').matchAll(/^prefix *(.*)\nname *(.*)$/gm)]
    assert.deepEqual(
      shown.map(([, prefix = '', name = '']) => prefix.length + name.length + (prefix === '' ? 0 : 1)),
      [100, 101],
    )
    for (const [, prefix = '', name = ''] of shown) {
      const at = bytes.indexOf(`${name}\0`.slice(0, 100))
      const header = bytes.subarray(at, at + 512)
      assert.equal(readHeader(header).ok, true)
      assert.equal(header.toString('latin1', 345, 500).replace(/\0+$/, ''), prefix)
    }
    assert.equal(pathProblem(`${'a'.repeat(142)}/${'b'.repeat(100)}`), undefined)
    assert.match(pathProblem(`${'a'.repeat(143)}/${'b'.repeat(100)}`) ?? '', /too long/)
  })
})

test('2 Paths: a rule made from the page answers as the code does', () => {
  const section = sectionOf('## 2 Paths')
  const segment = new RegExp(/matches `(.*)`/.exec(section)?.[1] ?? '^$')
  const devices = [...section.matchAll(/`([a-z]{3}[0-9]?)`/g)].map(([, name]) => name)
  assert.equal(devices.length, 24)
  const isPath = (path: string) =>
    path
      .split('/')
      .every(
        part =>
          segment.test(part) &&
          !part.endsWith('.') &&
          !devices.includes(part.split('.')[0]?.toLowerCase() ?? ''),
      )
  const part = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'aB9._@+-~ :\\é\n\0'), maxLength: 5 }),
    fc.constantFrom('con', 'NUL', 'Com7', 'lpt0.txt', 'console', 'com10', 'aux.', '.', '..', ''),
  )
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), parts => {
      const path = parts.join('/')
      assert.equal(pathProblem(path) === undefined, isPath(path), JSON.stringify(path))
    }),
    { numRuns: runs(2000) },
  )
})

test('3 Order: the order that the page tells is that of the golden file', async () => {
  const archive = golden('several_files')
  const order: string[] = []
  for (let at = 0; at < archive.length - 1024; ) {
    const header = readHeader(archive.subarray(at, at + 512))
    assert.ok(header.ok)
    order.push(header.path)
    at += 512 + header.size + paddingAfter(header.size)
  }
  const [first, ...rest] = order
  assert.equal(first, 'manifest.toml')
  assert.deepEqual(
    rest,
    rest
      .map(path => Buffer.from(path))
      .sort(Buffer.compare)
      .map(String),
  )
  const shown = ['schemas-note.txt', 'schemas.txt', 'schemas/']
  assert.deepEqual(
    shown.map(path => order.findIndex(other => other.startsWith(path))),
    [10, 11, 12],
  )
})

test('5 The end: the length formula', () => {
  assert.equal(TRAILER.length, 1024)
  for (const name of GOLDEN) {
    const bytes = readFileSync(join(FOLDER, name))
    let length = 1024
    for (let at = 0; at < bytes.length - 1024; ) {
      const size = Number.parseInt(bytes.toString('latin1', at + 124, at + 135), 8)
      at += 512 + Math.ceil(size / 512) * 512
      length += 512 + Math.ceil(size / 512) * 512
    }
    assert.equal(bytes.length, length)
  }
})

test('6 Limits', () => {
  assert.deepEqual(
    tableUnder('## 6 Limits').map(([, most = '']) => amount(most)),
    [
      DEFAULT_LIMITS.files,
      DEFAULT_LIMITS.fileBytes,
      DEFAULT_LIMITS.totalBytes,
      MAX_FILE_BYTES,
      MAX_TEXT_BYTES,
      PARSE_LIMITS.allTextBytes,
      PARSE_LIMITS.allJsonValues,
      PARSE_LIMITS.jsonMembers,
      PARSE_LIMITS.allTomlTokens,
      PARSE_LIMITS.wasmBytes,
      PARSE_LIMITS.allWasmBytes,
      PARSE_LIMITS.wasmSections,
      PARSE_LIMITS.wasmEntries,
      TEXT_LIMITS.id,
      TEXT_LIMITS.url,
      TEXT_LIMITS.header,
      TEXT_LIMITS.argument,
      TEXT_LIMITS.grant,
      TEXT_LIMITS.description,
      LIST_LIMITS.ofOneTool,
    ],
  )
})

test('7 The gzip wrapper: the header that the page shows is the one we write, and "any" is any', async () => {
  const rows = tableUnder('## 7 The gzip wrapper').map(([offset, length, , writes = '', accepts = '']) => ({
    offset: Number(offset),
    length: Number(length),
    writes: Buffer.from(writes.replace(/[` ]/g, ''), 'hex'),
    isAny: accepts === 'any',
  }))
  async function* source() {
    yield golden('minimal')
  }
  const wrapped = await collect(gzip(source()))
  assert.deepEqual(wrapped.subarray(0, 10), Buffer.concat(rows.map(({ writes }) => writes)))
  for (const { offset, length, isAny } of rows) {
    for (let at = offset; at < offset + length; at++) {
      const changed = Buffer.from(wrapped)
      changed[at] = (changed[at] ?? 0) ^ 0x10
      const { refusal } = await readBundle(changed, { keep: 'parsed' })
      assert.equal(refusal === undefined, isAny, `byte ${at}`)
    }
  }
})

test('10 A whole bundle: the hexdump and its map are those of the golden file', async () => {
  const bytes = golden('minimal')
  assert.equal(codeBlock('hexdump'), hexdump(bytes))
  const { files } = await readBundle(bytes, { keep: 'all' })
  let end = 0
  for (const [offset = '', count, what = ''] of tableUnder('## 10 A whole bundle, byte by byte')) {
    assert.equal(Number(offset), end)
    const part = bytes.subarray(end, end + Number(count))
    end += Number(count)
    const path = /of `(.*)`/.exec(what)?.[1] ?? ''
    const entry = files.get(path)
    if (entry === undefined) assert.deepEqual(part, Buffer.alloc(part.length), what)
    else if (what.startsWith('header')) assert.deepEqual(part, headerByPage(path, entry.size), what)
    else assert.deepEqual(part, Buffer.from(entry.content ?? []), what)
  }
  assert.equal(end, bytes.length)
})

describe('12 Golden files', () => {
  const rows = tableUnder('## 12 Golden files')

  test('table, folder and BLAKE3SUMS name the same files', () => {
    const sums = readFileSync(join(FOLDER, 'BLAKE3SUMS'), 'utf8').trim().split('\n')
    assert.deepEqual(rows.map(([name]) => name?.replaceAll('`', '')).sort(), GOLDEN.sort())
    assert.deepEqual(sums.map(line => line.split('  ')[1]).sort(), GOLDEN.sort())
    for (const [name = '', size = '', digest = ''] of rows) {
      const bytes = readFileSync(join(FOLDER, name.replaceAll('`', '')))
      assert.equal(bytes.length, amount(size))
      assert.equal(`\`${digestOf(bytes)}\``, digest)
      assert.ok(sums.includes(`${digestOf(bytes)}  ${name.replaceAll('`', '')}`))
    }
  })

  for (const name of GOLDEN) {
    test(`${name} is sound, and its sources pack to its very bytes`, async () => {
      const bytes = readFileSync(join(FOLDER, name))
      const candidate = await readBundle(bytes, { keep: 'all' })
      assert.equal(candidate.refusal, undefined)
      const { report } = verify(outline(candidate), { expect: 'any' })
      assert.equal(report.verdict, 'unsigned', JSON.stringify(report.reasons))
      // Through a disk, in another order than the archive's.
      const folder = folderFor(name)
      const sources = [...candidate.files.list].reverse()
      writeTree(folder, Object.fromEntries(sources.map(({ path, content = '' }) => [path, content])))
      const agent = read(await readTree(folder, name, { as: 'source', digest: 'all' }), name)
      assertPackable(agent, lint(agent, UNPREPARED))
      assert.deepEqual(await collect(pack(agent)), bytes)
    })
  }
})

describe('11 By hand', () => {
  const isGnuTar = says('tar', ['--version'], /GNU tar/)
  const hasB3sum = says('b3sum', ['--version'], /b3sum/)
  const sh = (script: string, cwd: string, BUNDLE = '') =>
    execFileSync('sh', ['-eu', '-c', script], { cwd, encoding: 'utf8', env: { ...process.env, BUNDLE } })

  for (const name of GOLDEN) {
    test(`tar makes ${name}`, { skip: !isGnuTar && 'needs GNU tar' }, () => {
      const folder = folderFor(`make-${name}`)
      sh('tar -xf "$BUNDLE" && chmod -R u=rwx,go= agent.bundle', folder, join(FOLDER, name))
      sh(codeBlock('sh make'), folder)
      assert.equal(sh(codeBlock('sh form'), folder, join(FOLDER, name)), '')
      // And the comparison can fail.
      chmodSync(join(folder, 'agent.bundle/manifest.toml'), 0o600)
      writeFileSync(join(folder, 'agent.bundle/manifest.toml'), 'x')
      sh(codeBlock('sh make'), folder)
      assert.throws(() => sh(codeBlock('sh form'), folder, join(FOLDER, name)), { status: 1 })
    })
  }

  test('a signed bundle has its signature second', { skip: !isGnuTar && 'needs GNU tar' }, () => {
    const folder = folderFor('signed')
    sh(
      'tar -xf "$BUNDLE" && mkdir agent.bundle/SIGNATURES',
      folder,
      join(FOLDER, 'several_files-1.0.0.agent.bundle'),
    )
    writeFileSync(join(folder, 'agent.bundle/SIGNATURES/manifest.sig'), '{}')
    sh(codeBlock('sh make'), folder)
    const listed = sh('tar -tf by-hand.agent.bundle', folder).split('\n')
    assert.deepEqual(listed.slice(0, 3), [
      'agent.bundle/manifest.toml',
      'agent.bundle/SIGNATURES/manifest.sig',
      'agent.bundle/README.md',
    ])
  })

  for (const name of GOLDEN) {
    test(`b3sum checks ${name}`, { skip: !(hasB3sum && isGnuTar) && 'needs GNU tar and b3sum' }, async () => {
      const folder = folderFor(`check-${name}`)
      const bundle = join(FOLDER, name)
      const { files } = await readBundle(bundle, { keep: 'parsed' })
      assert.match(
        sh(codeBlock('sh look'), folder, bundle),
        new RegExp(`\n${files.get('manifest.toml')?.digest}\n$`),
      )
      const said = sh(codeBlock('sh digests'), folder, bundle).trim().split('\n')
      const expected = files.list.flatMap(({ path }) => (path === 'manifest.toml' ? [] : [`ok      ${path}`]))
      assert.deepEqual(said, expected)
      // And the check can fail: one byte changed, one file added.
      const script = codeBlock('sh digests').replace(
        'tar -xf "$BUNDLE"',
        'printf x >> agent.bundle/policy.caps; printf x > agent.bundle/more',
      )
      assert.deepEqual(
        sh(script, folder, bundle)
          .split('\n')
          .filter(line => line.startsWith('NOT OK')),
        ['NOT OK  more', 'NOT OK  policy.caps'],
      )
    })
  }

  test('b3sum --check BLAKE3SUMS', { skip: !hasB3sum && 'needs b3sum' }, () => {
    assert.equal(sh('b3sum --check BLAKE3SUMS', FOLDER).match(/: OK$/gm)?.length, GOLDEN.length)
  })
})

test('every link inside the page leads somewhere', () => {
  const anchors = [...FORMAT_DOC.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-'),
  )
  const links = [...FORMAT_DOC.matchAll(/\]\(#([^)]*)\)/g)].map(([, anchor]) => anchor ?? '')
  assert.ok(links.length > 12)
  for (const link of links) assert.ok(anchors.includes(link), link)
})

function says(program: string, args: readonly string[], word: RegExp): boolean {
  const { stdout } = spawnSync(program, args, { encoding: 'utf8' })
  return word.test(stdout ?? '')
}

test('6 Limits: the schemas state the same lengths', () => {
  const stated = new Set<number>()
  for (const name of ['tools.v1', 'policy']) {
    const text = readFileSync(join(import.meta.dirname, `../../schemas/${name}.schema.json`), 'utf8')
    for (const [, most] of text.matchAll(/"maxLength": ([0-9]+)/g)) stated.add(Number(most))
  }
  assert.deepEqual([...stated].sort(), [...new Set<number>(Object.values(TEXT_LIMITS))].sort())
})

test('6 Limits: each list of a tool has its bound in the schema', () => {
  const text = readFileSync(join(import.meta.dirname, '../../schemas/tools.v1.schema.json'), 'utf8')
  const bounds = [...text.matchAll(/"max(?:Items|Properties)": ([0-9]+)/g)].map(([, most]) => Number(most))
  assert.deepEqual(bounds, Array(6).fill(LIST_LIMITS.ofOneTool))
})
