// docs/format.md and docs/spec/archive.md against the code and the golden bundles: listing, tables, hexdump, limits. A writer made from the
// statements alone gives our bytes.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { read } from '../../src/agent/read-agent.ts'
import { outline } from '../../src/agent/read-in-turns.ts'
import { encodeHeader, MAX_FILE_BYTES, paddingAfter, readHeader, TRAILER } from '../../src/bundle/archive.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import { readTree } from '../../src/io/read/read-tree.ts'
import { gzip } from '../../src/io/write/write-gzip.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import {
  ARCHIVE_LIMITS,
  ATTESTATION_LIMITS,
  MAX_ENVELOPE_BYTES,
  MAX_NAME_LENGTH,
  MAX_SIGNATURES,
  PARSE_LIMITS,
  TEXT_LIMITS,
} from '../../src/model/limits.ts'
import { assertPackable, packedBytes } from '../../src/pack/pack.ts'
import { pathProblem } from '../../src/text/path.ts'
import { verify } from '../../src/verify/verify.ts'
import { digestOf, writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import {
  ARCHIVE_PAGE,
  cellBytes,
  codeBlock,
  hexdump,
  pageOf,
  sectionOf,
  statements,
  tableUnder,
} from '../support/format-doc.ts'
import { rlpHere } from '../support/here.ts'
import { LIST_BOUNDS, LIST_LIMITS } from '../support/list-limits.ts'
import { collect } from '../support/memory.ts'
import { runs } from '../support/runs.ts'
import { installKeys } from '../support/trust-world.ts'

const FOLDER = join(import.meta.dirname, '../../fixtures/bundles')
const GOLDEN = readdirSync(FOLDER).filter(name => name.endsWith('.agent.bundle'))
const golden = (name: string) => readFileSync(join(FOLDER, `${name}-1.0.0.agent.bundle`))
const folderFor = temporary('format')

const FORMAT_PAGE = pageOf('format.md')
const EXAMPLE = '## 1.7 An archive, byte by byte'
const STATEMENTS = statements()
const says = (number: string) => STATEMENTS.get(number)?.words ?? ''

const [, EXAMPLE_HEADER = ''] = ARCHIVE_PAGE.split('Its first header')
const HEADER = tableUnder(`${EXAMPLE}\n${EXAMPLE_HEADER}`, EXAMPLE).map(
  ([offset, length, field = '', bytes = '', statement = '']) => ({
    offset: Number(offset),
    length: Number(length),
    field,
    bytes: cellBytes(bytes),
    statement,
  }),
)

/** A writer made from the page: its example, its rules in words, and nothing of ours. */
function headerByPage(path: string, size: number): Buffer {
  const full = `agent.bundle/${path}`
  // A-18: at the last slash that has at most 155 bytes before it.
  const cut = full.length <= 100 ? -1 : full.slice(0, 156).lastIndexOf('/')
  const variable: Record<string, string> = {
    name: full.slice(cut + 1),
    prefix: full.slice(0, Math.max(cut, 0)),
    mode: path.startsWith('bin/') ? '0000755' : '0000644',
    size: size.toString(8).padStart(11, '0'),
    chksum: ' '.repeat(8),
  }
  const header = Buffer.alloc(512)
  for (const { offset, field, bytes } of HEADER)
    (variable[field] === undefined ? bytes : Buffer.from(variable[field])).copy(header, offset)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}

describe('1.2 The header', () => {
  test('the fields follow one another and fill 512 bytes', () => {
    let at = 0
    for (const { offset, length } of HEADER) {
      assert.equal(offset, at)
      at += length
    }
    assert.equal(at, 512)
  })

  test('each field is where the statement says that the example names, and holds what is the same in every header', () => {
    const VARIABLE = ['name', 'mode', 'size', 'chksum', 'prefix', 'padding']
    for (const { offset, length, field, bytes, statement } of HEADER) {
      const words = says(statement)
      const place =
        field === 'padding'
          ? `last ${length} bytes \\(${offset}\\)`
          : `\\*${field}\\* \\((?:offset )?${offset}, ${length}\\b`
      assert.match(words, new RegExp(place), statement)
      if (bytes.length > 0 && !VARIABLE.includes(field)) assert.ok(words.includes(`\`${bytes}\``), statement)
    }
  })

  test('the example is the header that the code writes and the golden file has', () => {
    const header = Buffer.alloc(512)
    for (const { offset, length, bytes } of HEADER) {
      assert.ok(bytes.length <= length)
      bytes.copy(header, offset)
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
    const shown = [...sectionOf(ARCHIVE_PAGE, '## 1.2 The header').matchAll(/^prefix *(.*)\nname *(.*)$/gm)]
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

test('1.3 Paths: a rule made from the page answers as the code does', () => {
  const segment = new RegExp(/matches `(.*?)`/.exec(says('A-20'))?.[1] ?? '^$')
  const [names = '', numbered = ''] = says('A-22').split(' or one of ')
  const words = (text: string) => [...text.matchAll(/`([a-z]{3})`/g)].map(([, word = '']) => word)
  const devices = [
    ...words(names),
    ...words(numbered).flatMap(word => [...'0123456789'].map(at => word + at)),
  ]
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

test('A-25: the order that the page tells is that of the golden file', async () => {
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

test('1.1 Form: the length formula', () => {
  assert.match(
    ARCHIVE_PAGE,
    /length of an archive is 1,024, and for each file 512 and its size, rounded up to a multiple of 512/,
  )
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

/** Where the specification says each limit on what a bundle may hold. */
const SAID_IN: Readonly<Record<string, readonly string[]>> = {
  'ARCHIVE_LIMITS.files': ['A-30'],
  'ARCHIVE_LIMITS.fileBytes': ['A-31'],
  'ARCHIVE_LIMITS.totalBytes': ['A-31'],
  'PARSE_LIMITS.textBytes': ['U-3'],
  'PARSE_LIMITS.allTextBytes': ['U-4'],
  'PARSE_LIMITS.allJsonValues': ['U-15'],
  'PARSE_LIMITS.jsonMembers': ['U-14'],
  'PARSE_LIMITS.jsonDepth': ['U-13'],
  'PARSE_LIMITS.tomlDepth': ['U-23'],
  'PARSE_LIMITS.tomlString': ['U-24'],
  'PARSE_LIMITS.tomlWord': ['U-25'],
  'PARSE_LIMITS.allTomlTokens': ['U-26'],
  'PARSE_LIMITS.trustPolicyTokens': ['K-3'],
  'PARSE_LIMITS.wasmBytes': ['W-4'],
  'PARSE_LIMITS.allWasmBytes': ['W-4'],
  'PARSE_LIMITS.wasmSections': ['W-11'],
  'PARSE_LIMITS.wasmEntries': ['W-10'],
  'TEXT_LIMITS.id': ['T-6', 'T-10', 'T-13', 'T-16', 'T-23'],
  'TEXT_LIMITS.url': ['T-24'],
  'TEXT_LIMITS.header': ['T-24'],
  'TEXT_LIMITS.argument': ['T-20'],
  'TEXT_LIMITS.grant': ['C-3', 'T-11', 'T-20'],
  'TEXT_LIMITS.description': ['T-8'],
  'LIST_LIMITS.ofOneTool': ['T-11', 'T-13', 'T-16', 'T-20', 'T-24'],
  'MAX_ENVELOPE_BYTES.all': ['S-3'],
  'MAX_SIGNATURES.all': ['S-7', 'R-20'],
  'MAX_NAME_LENGTH.all': ['M-10'],
  'ATTESTATION_LIMITS.bytes': ['V-5'],
  'ATTESTATION_LIMITS.signerEnvelopes': ['V-17'],
  'ATTESTATION_LIMITS.signerBytes': ['V-17'],
  'ATTESTATION_LIMITS.signatures': ['V-17'],
  'ATTESTATION_LIMITS.allBytes': ['V-3', 'R-22'],
  'ATTESTATION_LIMITS.lines': ['V-3'],
}

test('each limit is the number of its statements', () => {
  const { mostFileBytes, ...archive } = ARCHIVE_LIMITS
  const limits = Object.entries({
    ARCHIVE_LIMITS: archive,
    PARSE_LIMITS,
    TEXT_LIMITS,
    LIST_LIMITS,
    MAX_ENVELOPE_BYTES: { all: MAX_ENVELOPE_BYTES },
    MAX_SIGNATURES: { all: MAX_SIGNATURES },
    MAX_NAME_LENGTH: { all: MAX_NAME_LENGTH },
    ATTESTATION_LIMITS,
  }).flatMap(([name, group]) => Object.entries(group).map(([key, most]) => [`${name}.${key}`, most] as const))
  assert.deepEqual(limits.map(([name]) => name).sort(), Object.keys(SAID_IN).sort())
  const has = (text: string, most: number) =>
    new RegExp(`(?<![0-9,])${most.toLocaleString('en')}(?![0-9,])`).test(text.replaceAll(/,(?= |$)/g, ''))
  for (const [name, most] of limits)
    for (const number of SAID_IN[name] ?? []) assert.ok(has(says(number), most), `${name}: ${number}`)
  assert.ok(has(sectionOf(ARCHIVE_PAGE, '## 1.5 Limits'), mostFileBytes))
  assert.equal(mostFileBytes, MAX_FILE_BYTES)
  assert.ok(!has('110,000 and 10,0000', 10_000))
})

test('1.6 The gzip wrapper: the header that the page shows is the one we write, and "any" is any', async () => {
  const section = sectionOf(ARCHIVE_PAGE, '## 1.6 The gzip wrapper')
  const shown = /writes the ten bytes `([0-9a-f ]+)`/.exec(section)?.[1] ?? ''
  async function* source() {
    yield golden('minimal')
  }
  const wrapped = await collect(gzip(source()))
  assert.deepEqual(wrapped.subarray(0, 10), Buffer.from(shown.replaceAll(' ', ''), 'hex'))
  assert.match(says('G-3'), /any value of the other six bytes/)
  for (let at = 0; at < 10; at++) {
    const changed = Buffer.from(wrapped)
    changed[at] = (changed[at] ?? 0) ^ 0x10
    const { refusal } = await readBundle(changed, { keep: 'parsed' })
    assert.equal(refusal === undefined, at >= 4, `byte ${at}`)
  }
})

test('1.7: the hexdump and its map are those of the golden file', async () => {
  const bytes = golden('minimal')
  assert.equal(codeBlock(ARCHIVE_PAGE, 'hexdump'), hexdump(bytes))
  const { files } = await readBundle(bytes, { keep: 'all' })
  let end = 0
  for (const [offset = '', count, what = ''] of tableUnder(ARCHIVE_PAGE, EXAMPLE)) {
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

describe('1.8 Golden files', () => {
  const rows = tableUnder(ARCHIVE_PAGE, '## 1.8 Golden files')

  test('table, folder and BLAKE3SUMS name the same files', () => {
    const sums = readFileSync(join(FOLDER, 'BLAKE3SUMS'), 'utf8').trim().split('\n')
    assert.deepEqual(rows.map(([name]) => name?.replaceAll('`', '')).sort(), GOLDEN.sort())
    assert.deepEqual(sums.map(line => line.split('  ')[1]).sort(), GOLDEN.sort())
    for (const [name = '', size = '', digest = ''] of rows) {
      const bytes = readFileSync(join(FOLDER, name.replaceAll('`', '')))
      assert.equal(bytes.length, Number(size.replaceAll(',', '')))
      assert.equal(`\`${digestOf(bytes)}\``, digest)
      assert.ok(sums.includes(`${digestOf(bytes)}  ${name.replaceAll('`', '')}`))
    }
  })

  for (const name of GOLDEN) {
    test(`${name} is sound, and its sources pack to its very bytes`, async () => {
      const bytes = readFileSync(join(FOLDER, name))
      const candidate = await readBundle(bytes, { keep: 'all' })
      assert.equal(candidate.refusal, undefined)
      const { report } = await verify(await outline(candidate), { expect: 'any' })
      assert.equal(report.verdict, 'unsigned', JSON.stringify(report.reasons))
      // Through a disk, in another order than the archive's.
      const folder = folderFor(name)
      const sources = [...candidate.files.list].reverse()
      writeTree(folder, Object.fromEntries(sources.map(({ path, content = '' }) => [path, content])))
      const agent = read(await readTree(folder, name, { as: 'source', digest: 'all' }), name)
      assertPackable(agent, lintAgent(agent, UNPREPARED))
      assert.deepEqual(await collect(packedBytes(agent)), bytes)
    })
  }
})

describe('docs/format.md', () => {
  const isGnuTar = /GNU tar/.test(spawnSync('tar', ['--version'], { encoding: 'utf8' }).stdout ?? '')
  const SOURCE = join(import.meta.dirname, '../../fixtures/valid/every-transport')
  const sourceText = (name: string) => readFileSync(join(SOURCE, name), 'utf8')
  const blocks = (info: string) =>
    [...FORMAT_PAGE.matchAll(new RegExp(`^\`\`\`${info}\\n([^]*?)^\`\`\`$`, 'gm'))].map(
      ([, text = '']) => text,
    )
  /** Whether a text has these lines one after another, where `…` is any text without a quotation mark. */
  const hasLines = (text: string, lines: string) =>
    new RegExp(
      `^${lines
        .trimEnd()
        .split('…')
        .map(part => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join('[^"]+')}$`,
      'm',
    ).test(text)

  test('the listing is what tar prints of the agent that the page names, signed', {
    skip: !isGnuTar && 'needs GNU tar',
  }, async () => {
    const cwd = folderFor('listing')
    const name = 'mailer-1.3.0.agent.bundle'
    installKeys(cwd)
    const env = { RUNLOOP_HOME: cwd }
    assert.equal((await rlpHere(['agent', 'pack', SOURCE, '--out', name], { cwd, env })).exit, 0)
    assert.equal((await rlpHere(['agent', 'sign', name, '--key', 'release'], { cwd, env })).exit, 0)
    const tar = (...args: string[]) => spawnSync('tar', args, { cwd, encoding: 'utf8' }).stdout
    assert.deepEqual(blocks('console'), [`$ tar --utc -tvf ${name}\n${tar('--utc', '-tvf', name)}`])
    const [envelope = '', tool = ''] = blocks('json')
    assert.ok(hasLines(tar('-xOf', name, 'agent.bundle/SIGNATURES/manifest.sig'), envelope))
    const { tools } = JSON.parse(sourceText('tools.json')) as { tools: Record<string, unknown>[] }
    for (const [member, value] of Object.entries(JSON.parse(tool)))
      assert.deepEqual(value, tools[0]?.[member])
  })

  test('manifest and policy have the lines that the page shows', () => {
    const [manifest = '', policy = ''] = blocks('toml')
    assert.ok(hasLines(sourceText('manifest.toml'), manifest))
    assert.ok(hasLines(sourceText('policy.caps'), policy))
    assert.ok(!hasLines(sourceText('policy.caps'), policy.replace('contacts', 'contact')))
    assert.equal(blocks('[a-z]*').length, 5)
  })
})

test('the schemas state the same lengths', () => {
  const stated = new Set<number>()
  for (const name of ['tools.v1', 'policy']) {
    const text = readFileSync(join(import.meta.dirname, `../../schemas/${name}.schema.json`), 'utf8')
    for (const [, most] of text.matchAll(/"maxLength": ([0-9]+)/g)) stated.add(Number(most))
  }
  assert.deepEqual([...stated].sort(), [...new Set<number>(Object.values(TEXT_LIMITS))].sort())
})

test('each list of a tool has its bound in the schema', () => {
  assert.deepEqual(LIST_BOUNDS, Array(6).fill(LIST_LIMITS.ofOneTool))
})
