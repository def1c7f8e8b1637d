// Verdicts on unsigned bundles: what is sound, and every way of not being it. Signatures have a test of their own. A fifth of the bits of
// the manifest is changed here, each in `.ci/run`.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { outline } from '../../src/agent/read-in-turns.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import { loadBundle, type Report, verifyBundle } from '../../src/library/generated/index.ts'
import { verify } from '../../src/verify/verify.ts'
import { readExpectation } from '../../src/version/reference.ts'
import { type AgentFacts, agentTree, bundleOf, digestOf, EMPTY_TOOLS, type Tree } from '../support/agent.ts'
import { archive, entry } from '../support/archive.ts'
import { temporary } from '../support/folder.ts'
import { IN_CI, slice, step } from '../support/runs.ts'

const TREE = agentTree({ files: { 'README.md': '# mini\n', 'docs/a.md': 'one', 'docs/b.md': 'two' } })
const BUNDLE = bundleOf(TREE)
const MINIMAL = readFileSync(join(import.meta.dirname, '../../fixtures/bundles/minimal-1.0.0.agent.bundle'))
const folderFor = temporary('verify')
// The trust policy of the user who runs the tests has no say.
process.env['RUNLOOP_HOME'] = folderFor('home')
const MANIFEST = String(TREE['manifest.toml'])

const any = { expect: 'any', allowUnsigned: true } as const

/** Verdict and the codes of the reasons. */
async function verdictOf(source: string | Uint8Array, options: Parameters<typeof verifyBundle>[1] = any) {
  const { verdict, reasons } = await verifyBundle(source, options)
  return { verdict, codes: [...new Set(reasons.map(({ code }) => code))].sort() }
}

/** The bundle with files added, replaced, or (undefined) left out; the manifest says nothing of it. */
function changed(files: Readonly<Record<string, string | undefined>>): Buffer {
  const all: Record<string, Tree[string] | undefined> = { ...TREE, ...files }
  return bundleOf(
    Object.fromEntries(Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined)),
  )
}

function manifest(from: string | RegExp, to: string): Buffer {
  const text = MANIFEST.replace(from, to)
  assert.notEqual(text, MANIFEST)
  return changed({ 'manifest.toml': text })
}

const tools = (text: string, facts: AgentFacts = {}) =>
  bundleOf(agentTree({ ...facts, files: { 'tools.json': text } }))

describe('a sound bundle', () => {
  test('without signature is unsigned, and accepted only by name', async () => {
    for (const bytes of [BUNDLE, MINIMAL]) {
      assert.deepEqual(await verdictOf(bytes), { verdict: 'unsigned', codes: ['no_signature'] })
      assert.equal((await loadBundle(bytes, any)).report.verdict, 'unsigned')
      await assert.rejects(loadBundle(bytes, { expect: 'any' }), {
        code: 'NOT_VERIFIED',
        verdict: 'unsigned',
      })
    }
  })

  test('its report names every step once, in order, and every file', async () => {
    const report = await verifyBundle(BUNDLE, { expect: 'mini' })
    assert.deepEqual(
      report.checks.map(({ step, result }) => `${step} ${result}`),
      [
        'archive passed',
        'manifest passed',
        'signature failed',
        'files passed',
        'expectation passed',
        'trust skipped',
        'schemas skipped',
        'ceiling skipped',
        'freshness skipped',
      ],
    )
    assert.deepEqual(
      report.files.map(({ path, result }) => `${path} ${result}`),
      Object.keys(TREE)
        .sort()
        .map(path => `${path} ${path === 'manifest.toml' ? 'root' : 'passed'}`),
    )
    for (const { path, blake3, size } of report.files) {
      assert.equal(blake3, digestOf(TREE[path] ?? ''))
      assert.equal(size, Buffer.from(TREE[path] as string).length)
    }
    assert.equal(report.identity, `blake3:${digestOf(MANIFEST)}`)
    assert.deepEqual(report.agent, { name: 'mini', version: '1.0.0', kind: 'wasm32-wasip1' })
    assert.equal(report.skipped.length, 4)
  })
})

describe('a changed bundle is never accepted', () => {
  test('bits of every byte of its manifest, and a bit of every other byte', async () => {
    const expect = readExpectation('minimal@=1.0.0') ?? 'any'
    assert.notEqual(expect, 'any')
    // What the reader refuses needs no judge every time: `refused` is what he says of it.
    const judge = async (bytes: Uint8Array) => {
      const candidate = await readBundle(bytes, { keep: 'parsed' })
      if (candidate.refusal?.why === 'form') return refused
      return (await verify(await outline(candidate), { expect, allowUnsigned: true })).report
    }
    const refusal = { why: 'form', message: '' } as const
    const unread = await outline({ ...(await readBundle(MINIMAL, { keep: 'parsed' })), refusal })
    const { report: refused } = await verify(unread, { expect })
    assert.equal(refused.verdict, 'invalid')
    const was = await judge(MINIMAL)
    assert.equal(was.verdict, 'unsigned')
    const text = MINIMAL.toString('latin1', 512, 512 + 454)
    // What nothing but a signature protects: name and version, against which there is the expectation, and the case of hex digits.
    const free = new Set(
      [...text.matchAll(/"([0-9a-f]{64})"/g)].flatMap(hits => lettersOf(hits[1] ?? '', hits.index + 1)),
    )
    // Known and wrong: without `path` these two tables are read as if it stood there (see the test below).
    const hole = new Set(
      [...text.matchAll(/^path =/gm)].flatMap(({ index }) => [0, 1, 2, 3, 4].map(at => index + at)),
    )
    const bytes = Uint8Array.from(MINIMAL)
    const seen = { invalid: 0, indeterminate: 0, untrusted: 0, unsigned: 0 }
    // In the manifest each bit counts, in `.ci/run`. Elsewhere all bits of a byte are told by the same comparison, of headers or of digests: there it
    // is one of the eight, the next with every byte and every block, and in `npm test` of one byte in thirteen. `npm run torture` tries every one, of a signed bundle.
    const inManifest = (at: number) => at >= 512 && at < 512 + 454
    const all = Array.from({ length: bytes.length * 8 }, (_, bit) => bit)
    const bits = [
      // Five and eight have no factor in common: each byte has one or two of its bits changed, and each bit has its turn.
      ...slice(
        all.filter(bit => inManifest(bit >> 3)),
        5,
      ),
      ...slice(
        all.filter(bit => !inManifest(bit >> 3) && (bit & 7) === ((bit >> 3) + (bit >> 12)) % 8),
        13,
        bit => String(bit & 7),
      ),
    ]
    for (const bit of bits) {
      const at = bit >> 3
      const mask = 1 << (bit & 7)
      bytes[at] = (bytes[at] ?? 0) ^ mask
      const { verdict, identity } = await judge(bytes)
      bytes[at] = (bytes[at] ?? 0) ^ mask
      if (verdict === 'unsigned' && !hole.has(at - 512)) {
        assert.ok(free.has(at - 512) && mask === 0x20, `bit ${bit} changes nothing`)
        assert.notEqual(identity, was.identity)
      }
      if (!hole.has(at - 512)) seen[verdict as keyof typeof seen]++
    }
    const letters = bits.filter(bit => free.has((bit >> 3) - 512) && (bit & 7) === 5).length
    assert.ok(letters > 60 / step(5), `${letters} letters`)
    assert.deepEqual(
      { unsigned: seen.unsigned, indeterminate: seen.indeterminate },
      { unsigned: letters, indeterminate: 0 },
    )
    const holes = bits.filter(bit => hole.has((bit >> 3) - 512)).length
    assert.equal(seen.invalid + seen.untrusted + seen.unsigned, bits.length - holes)
    assert.ok(seen.untrusted > 5 && seen.untrusted < 12 * 8, `${seen.untrusted} flips in name and version`)
  })

  test('bits of every file but the manifest are told by its digest', async () => {
    for (const path of ['policy.caps', 'tools.json', 'bin/mini.wasm', 'README.md', 'docs/a.md']) {
      const bytes = Buffer.from(TREE[path] as string)
      for (let bit = 0; bit < bytes.length * 8; bit += IN_CI ? 7 : 23) {
        const copy = Buffer.from(bytes)
        copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        const { verdict, codes } = await verdictOf(bundleOf({ ...TREE, [path]: copy }))
        assert.ok(
          verdict === 'invalid' && codes.includes('manifest/digest-stale'),
          `${path} bit ${bit}: ${verdict} ${codes}`,
        )
      }
    }
  })

  test('cut off at the edges of every block, and in between', async () => {
    for (let length = 0; length < MINIMAL.length; length++) {
      // A prime, so that each block is cut in other places.
      if (length % 512 > 1 && length % 512 < 511 && length % 37 !== 0) continue
      const { verdict, codes } = await verdictOf(MINIMAL.subarray(0, length))
      assert.deepEqual([verdict, codes], ['invalid', ['not_canonical']], `${length} bytes`)
    }
  })

  test('anything appended', async () => {
    for (const tail of [
      Buffer.alloc(1),
      Buffer.from('x'),
      Buffer.alloc(512),
      Buffer.alloc(10_240 - (MINIMAL.length % 10_240)),
      MINIMAL,
    ])
      assert.deepEqual(await verdictOf(Buffer.concat([MINIMAL, tail])), {
        verdict: 'invalid',
        codes: ['not_canonical'],
      })
  })

  test('any two entries swapped', async () => {
    const paths = [
      'manifest.toml',
      'README.md',
      'bin/mini.wasm',
      'docs/a.md',
      'docs/b.md',
      'policy.caps',
      'tools.json',
    ]
    const entries = paths.map(path => entry(path, TREE[path] ?? ''))
    assert.equal((await verdictOf(archive(...entries))).verdict, 'unsigned')
    for (let a = 0; a < entries.length; a++) {
      for (let b = a + 1; b < entries.length; b++) {
        const order = [...entries]
        ;[order[a], order[b]] = [entries[b] ?? Buffer.alloc(0), entries[a] ?? Buffer.alloc(0)]
        assert.deepEqual(await verdictOf(archive(...order)), { verdict: 'invalid', codes: ['not_canonical'] })
      }
    }
  })

  test('the contents of two files swapped', async () => {
    const { verdict, codes } = await verdictOf(changed({ 'docs/a.md': 'two', 'docs/b.md': 'one' }))
    assert.deepEqual([verdict, codes], ['invalid', ['manifest/digest-stale', 'no_signature']])
  })
})

describe('what the manifest does not bind', () => {
  const zeros = '0'.repeat(64)
  const stated = (path: string) => digestOf(TREE[path] ?? '')
  const cases: [what: string, bytes: Buffer, code: string][] = [
    ['an unlisted file', changed({ 'evil.sh': '' }), 'manifest/digest-missing'],
    ['an unlisted file beside the entry', changed({ 'bin/other.wasm': '' }), 'manifest/digest-missing'],
    ['a missing file', changed({ 'docs/a.md': undefined }), 'manifest/file-missing'],
    ['a missing entry', changed({ 'bin/mini.wasm': undefined }), 'manifest/file-missing'],
    ['a missing policy', changed({ 'policy.caps': undefined }), 'files/required'],
    ['missing tools', changed({ 'tools.json': undefined }), 'files/required'],
    ['a missing manifest', changed({ 'manifest.toml': undefined }), 'files/required'],
    ['an empty manifest', changed({ 'manifest.toml': '' }), 'toml/syntax'],
    ['a wrong digest', manifest(stated('docs/a.md'), stated('docs/b.md')), 'manifest/digest-stale'],
    ['a pending digest', manifest(stated('docs/a.md'), zeros), 'manifest/digest-pending'],
    ['a pending digest of the entry', manifest(stated('bin/mini.wasm'), zeros), 'manifest/digest-pending'],
    [
      'a digest that is too short',
      manifest(stated('docs/a.md'), stated('docs/a.md').slice(1)),
      'manifest/digest-format',
    ],
    ['the policy not named', manifest(/\[artifacts\.policy\]\n.*\n.*\n\n/, ''), 'manifest/digest-missing'],
    ['the tools not named', manifest(/\[artifacts\.tools\]\n.*\n.*\n.*\n\n/, ''), 'manifest/digest-missing'],
    [
      'the policy named elsewhere',
      manifest('path = "policy.caps"', 'path = "docs/a.md"'),
      'manifest/fixed-path',
    ],
    [
      'the tools named elsewhere',
      manifest('path = "tools.json"', 'path = "docs/a.md"'),
      'manifest/fixed-path',
    ],
    [
      'another policy in [caps]',
      manifest('file = "policy.caps"', 'file = "docs/a.md"'),
      'manifest/fixed-path',
    ],
    ['no [caps]', manifest(/\[caps\]\n.*\n/, ''), 'manifest/fixed-path'],
    [
      'two entries',
      manifest(
        '[agent]',
        `entry_wasm = { path = "bin/mini.wasm", blake3 = "${stated('bin/mini.wasm')}" }\n[agent]`,
      ),
      'manifest/entry-twice',
    ],
    ['no entry', manifest(/entry_wasm = .*\n/, ''), 'manifest/entry-missing'],
    ['an entry of the other kind', manifest('entry_wasm', 'entry_native'), 'manifest/kind'],
    [
      'a file named twice',
      manifest('[artifacts.files]\n', `[artifacts.files]\n"tools.json" = "${stated('tools.json')}"\n`),
      'manifest/artifact-twice',
    ],
    [
      'the manifest named by itself',
      manifest('[artifacts.files]\n', `[artifacts.files]\n"manifest.toml" = "${zeros}"\n`),
      'manifest/artifact-path',
    ],
    [
      'a digest in an unknown table',
      manifest(/$/, `[mine]\npath = "docs/a.md"\nblake3 = "${zeros}"\n`),
      'manifest/stray-digest',
    ],
    [
      'another tools version in the manifest',
      manifest('version = 1\n', 'version = 2\n'),
      'manifest/tools-version',
    ],
    ['a BOM', manifest(/^/, '\ufeff'), 'toml/encoding'],
    ['a key twice', manifest('[caps]\n', '[caps]\nfile = "policy.caps"\n'), 'toml/duplicate-key'],
    ['TOML 1.1', manifest('{ path', '{\n path'), 'toml/syntax'],
    ['an invalid name', manifest('name = "mini"', 'name = "Mini"'), 'manifest/shape'],
    ['an entry that is no wasm', bundleOf(agentTree({ files: { 'bin/mini.wasm': 'MZ' } })), 'wasm/not-wasm'],
    [
      'a policy that is no TOML',
      bundleOf(agentTree({ files: { 'policy.caps': '[capabilities' } })),
      'toml/syntax',
    ],
    [
      'a policy of a wrong type',
      bundleOf(agentTree({ files: { 'policy.caps': '[capabilities]\ntime = "yes"\n' } })),
      'caps/shape',
    ],
    ['tools that are no JSON', tools('{'), 'json/syntax'],
    ['tools with a key twice', tools('{"version":1,"version":1,"tools":[]}'), 'json/duplicate-key'],
    ['tools of a wrong shape', tools('{"version":1,"tools":{}}'), 'tools/shape'],
  ]
  for (const [what, bytes, code] of cases) {
    test(what, async () => {
      const { verdict, codes } = await verdictOf(bytes)
      assert.equal(verdict, 'invalid')
      assert.ok(
        codes.some(one => one === code),
        `${codes}`,
      )
      await assert.rejects(loadBundle(bytes, any), { code: 'NOT_VERIFIED', verdict: 'invalid' })
    })
  }

  for (const path of ['tools.json', 'policy.caps']) {
    test(`no path in the table of ${path}`, async () => {
      assert.equal((await verdictOf(manifest(`path = "${path}"\n`, ''))).verdict, 'invalid')
    })
  }

  test('digests in capital letters are the same digests', async () => {
    assert.equal(
      (await verdictOf(manifest(stated('docs/a.md'), stated('docs/a.md').toUpperCase()))).verdict,
      'unsigned',
    )
  })
})

describe('could not decide', () => {
  const newer = (version: number) => {
    const tree = agentTree({ files: { 'tools.json': EMPTY_TOOLS.replace('1', String(version)) } })
    return bundleOf({
      ...tree,
      'manifest.toml': String(tree['manifest.toml']).replace('version = 1\n', `version = ${version}\n`),
    })
  }

  test('a newer tools.json is indeterminate, an impossible one invalid', async () => {
    assert.deepEqual(await verdictOf(newer(1)), { verdict: 'unsigned', codes: ['no_signature'] })
    assert.deepEqual(await verdictOf(newer(2)), {
      verdict: 'indeterminate',
      codes: ['no_signature', 'tools/version'],
    })
    assert.equal((await verdictOf(newer(0))).verdict, 'invalid')
    // A newer version hides no other fault.
    assert.equal((await verdictOf(Buffer.concat([newer(2), Buffer.alloc(1)]))).verdict, 'invalid')
  })

  test('a target that is not there, or cannot be read', async () => {
    const folder = folderFor('unreadable')
    assert.deepEqual(await verdictOf(join(folder, 'none')), {
      verdict: 'indeterminate',
      codes: ['unreadable'],
    })
    assert.deepEqual(await verdictOf('/dev/null'), { verdict: 'indeterminate', codes: ['unreadable'] })
  })
})

describe('anything under SIGNATURES/', () => {
  const junk: [what: string, content: string | Buffer][] = [
    ['an empty file', ''],
    ['a text', 'signed'],
    ['an empty object', '{}'],
    ['zeros', Buffer.alloc(64)],
    ['64 raw bytes, as other signers write', Buffer.alloc(64, 7)],
    ['more than any envelope has', Buffer.alloc(20 * 1024 ** 2, 32)],
    [
      'an envelope without signatures',
      '{"payloadType":"application/vnd.in-toto+json","payload":"e30=","signatures":[]}',
    ],
  ]
  for (const [what, content] of junk) {
    test(`${what} as manifest.sig is invalid, never unsigned`, async () => {
      const { verdict } = await verdictOf(bundleOf({ ...TREE, 'SIGNATURES/manifest.sig': content }))
      assert.equal(verdict, 'invalid')
    })
  }

  for (const path of [
    'SIGNATURES/other',
    'SIGNATURES/manifest.sig.bak',
    'SIGNATURES/a/manifest.sig',
    'SIGNATURES',
    'signatures/manifest.sig',
    'Signatures/x',
  ]) {
    test(`${path} is invalid, never unsigned`, async () => {
      assert.equal((await verdictOf(changed({ [path]: 'x' }))).verdict, 'invalid')
      // Nor is it where the manifest lists it.
      assert.equal((await verdictOf(bundleOf(agentTree({ files: { [path]: 'x' } })))).verdict, 'invalid')
    })
  }
})

describe('the expectation', () => {
  const variant = bundleOf(agentTree({ variant: 'pro' }))
  const cases: [bytes: Buffer, expect: string, verdict: Report['verdict']][] = [
    [BUNDLE, 'mini', 'unsigned'],
    [BUNDLE, 'mini@^1', 'unsigned'],
    [BUNDLE, 'mini@1.0.0', 'unsigned'],
    [BUNDLE, 'mini@>=0.9 <2', 'unsigned'],
    [BUNDLE, 'mini@^2', 'untrusted'],
    [BUNDLE, 'mini@1.0.1', 'untrusted'],
    [BUNDLE, 'other', 'untrusted'],
    [BUNDLE, 'min', 'untrusted'],
    [BUNDLE, 'mini@pro', 'untrusted'],
    [variant, 'mini@pro', 'unsigned'],
    [variant, 'mini@pro@^1', 'unsigned'],
    [variant, 'mini@pro@^2', 'untrusted'],
    [variant, 'mini@lite', 'untrusted'],
    [variant, 'mini', 'untrusted'],
    [variant, 'any', 'unsigned'],
  ]
  for (const [bytes, expect, verdict] of cases) {
    test(`${expect}, of ${bytes === variant ? 'mini@pro' : 'mini'}: ${verdict}`, async () => {
      const report = await verifyBundle(bytes, { expect, allowUnsigned: true })
      assert.equal(report.verdict, verdict)
      if (verdict === 'untrusted') assert.equal(report.reasons[0]?.code, 'unexpected_agent')
      const skipped = report.skipped.filter(line => line.includes('no name was expected'))
      assert.equal(skipped.length, expect === 'any' ? 1 : 0)
    })
  }

  for (const expect of [
    '',
    'Mini',
    'mini@',
    '@',
    '@pro',
    'mini@pro@',
    'mini@pro@^1@x',
    'mini@=1.0.0.0',
    'mini@pro@nonsense range',
    '../mini',
    `mini@${'>=1 '.repeat(100)}`,
  ]) {
    test(`"${expect.slice(0, 30)}" is no expectation`, async () => {
      await assert.rejects(verifyBundle(BUNDLE, { expect }), { name: 'RlpError', code: 'USAGE' })
      await assert.rejects(loadBundle(BUNDLE, { expect, allowUnsigned: true }), {
        name: 'RlpError',
        code: 'USAGE',
      })
    })
  }
})

/** Offsets of the letters of a hexadecimal text that begins at `start`. */
function lettersOf(hex: string, start: number): number[] {
  return [...hex].flatMap((digit, index) => (/[a-f]/.test(digit) ? [start + index] : []))
}
