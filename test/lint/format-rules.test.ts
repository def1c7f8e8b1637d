// docs/spec/archive.md and docs/spec/manifest.md: bundles that break one statement, and what a person is told.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { outline } from '../../src/agent/read-in-turns.ts'
import { DEFAULT_LIMITS, type Limits } from '../../src/bundle/archive.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import { verify } from '../../src/verify/verify.ts'
import { agentTree, bundleOf, digestOf, type Tree } from '../support/agent.ts'
import { archive, entry, sum, text } from '../support/archive.ts'
import { statements } from '../support/format-doc.ts'

const GOOD = agentTree({ files: { 'docs/a.md': 'x' } })
const BUNDLE = bundleOf(GOOD)
const END = Buffer.alloc(1024)
const WRAPPED = gzipSync(BUNDLE)

/** The good bundle with one more entry behind its own, and an end. */
const more = (...entries: Uint8Array[]) => Buffer.concat([BUNDLE.subarray(0, -1024), ...entries, END])
/** The good bundle with its last header changed; the checksum is right. */
function spoilt(change: (header: Uint8Array) => void, path = 'zz', content = 'x'): Buffer {
  return more(entry(path, content, change))
}
const patched = (bytes: Uint8Array, at: number, ...values: number[]) => {
  const copy = Buffer.from(bytes)
  copy.set(values, at < 0 ? copy.length + at : at)
  return copy
}
const without = (path: string) =>
  bundleOf(Object.fromEntries(Object.entries(GOOD).filter(([key]) => key !== path)))
const manifest = (change: (text: string) => string): Buffer =>
  bundleOf({ ...GOOD, 'manifest.toml': change(String(GOOD['manifest.toml'])) })
const beside = (tree: Tree) => bundleOf({ ...GOOD, ...tree })
/** Files that the manifest names, so that nothing but themselves is wrong. */
const listed = (files: Tree) => bundleOf(agentTree({ files }))

type Broken = readonly [what: string, bytes: Uint8Array, reason: RegExp]

const RULES: Readonly<Record<string, readonly Broken[]>> = {
  'A-3': [
    ['nothing', Buffer.alloc(0), /empty/],
    ['cut inside an entry', BUNDLE.subarray(0, 700), /cut off/],
    ['no end', BUNDLE.subarray(0, -1024), /cut off/],
    ['half an end', BUNDLE.subarray(0, -512), /cut off/],
    ['one byte short', BUNDLE.subarray(0, -1), /cut off/],
  ],
  'A-4': [
    ['a zero byte', Buffer.concat([BUNDLE, Buffer.alloc(1)]), /bytes follow the end/],
    [
      'filled up to 10,240 bytes',
      Buffer.concat([BUNDLE, Buffer.alloc(10_240 - BUNDLE.length)]),
      /bytes follow/,
    ],
    ['the bundle once more', Buffer.concat([BUNDLE, BUNDLE]), /bytes follow/],
  ],
  'A-5': [['one zero block', more(Buffer.alloc(512), entry('zz', 'x')), /two zero blocks/]],
  'A-7': [
    ['an owner', spoilt(header => text(header, 108, 8, '0001750\0')), /uid field/],
    ['a group', spoilt(header => text(header, 116, 8, '0001750\0')), /gid field/],
    ['a date', spoilt(header => text(header, 136, 12, '14722637204\0')), /mtime field/],
    ['a mode', spoilt(header => text(header, 100, 8, '0000755\0')), /mode field/],
    ['a user name', spoilt(header => text(header, 265, 32, 'root')), /user name field/],
    ['bytes behind a text', spoilt(header => header.set([33], 50)), /name field/],
    ['a checksum without zeros before it', uncounted(), /checksum field/],
    [
      'a short path cut in two',
      spoilt(header => {
        text(header, 0, 100, 'zz')
        text(header, 345, 155, 'agent.bundle')
      }),
      /name field/,
    ],
  ],
  'A-14': [...'1234567xgLKSV\0'].map(
    type =>
      [
        `type ${JSON.stringify(type)}`,
        spoilt(header => text(header, 156, 1, type)),
        /not a regular file/,
      ] as const,
  ),
  'A-11': [
    ['base 256', spoilt(header => header.set([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 124)), /size field/],
    ['a space at the end', spoilt(header => text(header, 124, 12, '00000000001 ')), /size field/],
  ],
  'A-19': [
    ['another root', spoilt(header => text(header, 0, 100, 'agent/zz')), /outside the root/],
    ['no root', spoilt(header => text(header, 0, 100, 'zz')), /outside the root/],
    ['the root itself', spoilt(header => text(header, 0, 100, 'agent.bundle')), /outside the root/],
    ['absolute', spoilt(header => text(header, 0, 100, '/etc/passwd')), /outside the root/],
  ],
  ...paths({
    'A-20': ['../x', 'a/../x', '.x', 'a//x', 'x/', 'a b', 'a:b', 'a\\b', '\xe9'],
    'A-21': ['x.'],
    'A-22': ['NUL', 'nul.txt'],
  }),
  'A-25': [
    ['out of order', more(entry('zz', 'x'), entry('zy', 'x')), /comes after/],
    ['a late manifest', archive(entry('a', 'x'), entry('manifest.toml', 'x')), /comes after/],
    ['a late signature', more(entry('SIGNATURES/manifest.sig', 'x')), /comes after/],
  ],
  'A-26': [['twice', more(entry('zz', 'x'), entry('zz', 'x')), /appears twice/]],
  'A-27': [
    ['files', more(entry('zZ', 'x'), entry('zz', 'x')), /differ only in case/],
    ['folders', more(entry('zZ/a', 'x'), entry('zz/b', 'x')), /differ only in case/],
  ],
  'A-28': [
    ['side by side', listed({ docs: 'x', 'docs/a.md': 'x' }), /docs/],
    ['with others between them', listed({ docs: 'x', 'docs-b': 'x', 'docs/a.md': 'x' }), /docs/],
  ],
  'A-29': [['one byte', patched(BUNDLE, -1025, 1), /padding after/]],
  'G-1': [['another method', patched(WRAPPED, 2, 7), /flags or another method/]],
  'G-2': [
    ['a name', patched(WRAPPED, 3, 8), /flags or another method/],
    ['a name and a time', patched(patched(WRAPPED, 3, 8), 4, 1), /flags or another method/],
  ],
  'G-6': [
    ['a second member', Buffer.concat([WRAPPED, gzipSync('')]), /bytes follow the gzip trailer/],
    ['a zero byte', Buffer.concat([WRAPPED, Buffer.alloc(1)]), /bytes follow the gzip trailer/],
  ],
  'G-4': [
    ['damaged', patched(WRAPPED, 10, 0xff), /damaged/],
    ['cut off', WRAPPED.subarray(0, -1), /cut off/],
  ],
  'G-5': [
    ['another CRC-32', patched(WRAPPED, -8, ...WRAPPED.subarray(-8, -7).map(byte => byte ^ 1)), /checksum/],
    ['another length', patched(WRAPPED, -1, 1), /checksum/],
  ],
  'G-7': [
    ['a text', gzipSync('hello\n'.repeat(100)), /not a regular file/],
    ['a wrapper', gzipSync(WRAPPED), /cut off|not a regular file/],
    ['nothing', gzipSync(''), /empty/],
  ],
  'M-1': [
    ['no manifest.toml', without('manifest.toml'), /manifest.toml is missing/],
    ['no policy.caps', without('policy.caps'), /policy.caps is missing/],
    ['no tools.json', without('tools.json'), /tools.json is missing/],
  ],
  'M-27': [['one file more', beside({ zz: 'x' }), /No digest names zz/]],
  'M-26': [['one file less', without('docs/a.md'), /docs\/a.md/]],
  'M-30': [['one byte', beside({ 'docs/a.md': 'y' }), /digest of docs\/a.md is/]],
  'M-29': [['64 zeros', manifest(all => all.replace(digestOf('x'), '0'.repeat(64))), /docs\/a.md/]],
  'M-25': [
    [
      'in two tables',
      manifest(all => `${all}"tools.json" = "${digestOf(String(GOOD['tools.json']))}"\n`),
      /tools.json/,
    ],
  ],
  'A-24': [['beside the signature', beside({ 'SIGNATURES/other': 'x' }), /SIGNATURES\/other/]],
}

function paths(
  wrong: Readonly<Record<string, readonly string[]>>,
): Readonly<Record<string, readonly Broken[]>> {
  const broken = (path: string): Broken => [
    path,
    spoilt(header => text(header, 0, 100, `agent.bundle/${path}`)),
    /an entry's path/,
  ]
  return Object.fromEntries(Object.entries(wrong).map(([number, list]) => [number, list.map(broken)]))
}

/** The checksum in the form that some other programs write: seven digits' width, a space first. */
function uncounted(): Buffer {
  const one = entry('zz', 'x')
  one.set(Buffer.from(` ${one.toString('latin1', 149, 154)}`), 148)
  return more(one)
}

async function judge(bytes: Uint8Array, limits?: Limits) {
  const candidate = await readBundle(bytes, { keep: 'parsed', ...(limits && { limits }) })
  return verify(await outline(candidate), { expect: 'any', allowUnsigned: true })
}

async function assertRefused(bytes: Uint8Array, reason: RegExp, limits?: Limits) {
  const { report, bundle } = await judge(bytes, limits)
  assert.equal(report.verdict, 'invalid')
  assert.equal(bundle, undefined)
  assert.match(report.reasons.map(({ message }) => message).join('\n'), reason)
}

test('the bundle that all others are made from is sound, plain and wrapped', async () => {
  for (const bytes of [BUNDLE, WRAPPED]) {
    const { report, bundle } = await judge(bytes)
    assert.deepEqual([report.verdict, report.reasons.length], ['unsigned', 1])
    assert.notEqual(bundle, undefined)
  }
  // What `more` builds is canonical as well: only the digest is missing.
  const { report } = await judge(more(entry('zz', 'x')))
  assert.deepEqual(report.checks[0]?.result, 'passed')
})

describe('what a reader refuses', () => {
  const known = statements()

  for (const [number, cases] of Object.entries(RULES)) {
    test(`${number} is a statement`, () => assert.notEqual(known.get(number), undefined))
    for (const [what, bytes, reason] of cases) test(`${number}: ${what}`, () => assertRefused(bytes, reason))
  }

  test('A-30 and A-31 more or larger files than the limits allow', async () => {
    const files = 5
    const largest = Math.max(...Object.values(GOOD).map(content => Buffer.from(content as string).length))
    const total = Object.values(GOOD).reduce((all, content) => all + Buffer.from(content as string).length, 0)
    const exact = { files, fileBytes: largest, totalBytes: total }
    assert.equal((await judge(BUNDLE, exact)).report.verdict, 'unsigned')
    await assertRefused(BUNDLE, /more than 4 files/, { ...exact, files: files - 1 })
    await assertRefused(BUNDLE, /is larger than/, { ...exact, fileBytes: largest - 1 })
    await assertRefused(BUNDLE, /more than .* bytes/, { ...exact, totalBytes: total - 1 })
    // Before the content has come, or could.
    const header = entry('zz', '').subarray(0, 512)
    text(header, 124, 12, '17777777777\0')
    sum(header)
    await assertRefused(
      Buffer.concat([BUNDLE.subarray(0, -1024), header]),
      /zz is larger than/,
      DEFAULT_LIMITS,
    )
  })
})
