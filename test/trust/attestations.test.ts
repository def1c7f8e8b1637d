// [require] attestations: what a policy may demand, what satisfies it, and a reason for each way in which it is missing.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { outline } from '../../src/agent/read-in-turns.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import { loadBundle, verifyBundle } from '../../src/library/generated/index.ts'
import type { Attestations } from '../../src/model/attestation.ts'
import { readAttestations } from '../../src/statement/lines.ts'
import { required } from '../../src/trust/judge.ts'
import { roomForStatements } from '../../src/trust/room-for-statements.ts'
import { verify } from '../../src/verify/verify.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { attestation, BUILDER, linesOf, PROVENANCE, SOURCE, type Stated } from '../support/attested.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { slice } from '../support/runs.ts'
import { ASKING, KEYS, policySource, signed, trustContext } from '../support/trust-world.ts'

const FILES = signed(ASKING, 'release')
const BYTES = bundleOf(FILES)
const NAME = 'mini-1.0.0.agent.bundle'
const OTHER = agentTree({ name: 'mini', version: '2.0.0' })

const policy = (required: string, more = '') => `[anchors]
release = "${KEYS.release.anchor}"
builder = { key = "${KEYS.second.anchor}", use = ["attest"] }
tester = { key = "${KEYS.security.anchor}", use = ["attest"] }
dev = { key = "${KEYS.dev.anchor}", use = ["attest"], allow_dev = true }
[rules]
release = { allow_caps = "any", allow_net = "any", allow_exec = true }
[require]
attestations = [${required}]
${more}`
const BY_BUILDER = `{ type = "${PROVENANCE}", by = ["builder"] }`
const POLICY = policy(BY_BUILDER)

const good = attestation(FILES, [KEYS.second])
const by = (stated: Stated) => attestation(FILES, [KEYS.second], stated)

async function judged(
  attestations: Uint8Array | Attestations | undefined,
  {
    text = POLICY,
    allowDev = false,
    files = BYTES,
  }: { text?: string; allowDev?: boolean; files?: Uint8Array } = {},
) {
  const candidate = await readBundle(files, { keep: 'parsed' })
  const came =
    attestations instanceof Uint8Array ? readAttestations(`${NAME}.intoto.jsonl`, attestations) : attestations
  const sources = [policySource(text)]
  const read = came && (await roomForStatements(came, sources, candidate.files))
  const trust = { ...trustContext({ sources, allowDev }), ...(read && { attestations: read }) }
  const { report } = await verify(await outline(candidate), { expect: 'any', trust })
  const [reason] = report.reasons
  return { verdict: report.verdict, code: reason?.code, message: reason?.message ?? '', report }
}

describe('what a policy may demand', () => {
  const TWO = `${BY_BUILDER}, { type = "https://cyclonedx.org/bom", by = ["tester", "builder"] }`
  test('several statements, of a provenance its builder and source', () => {
    const full = `{ type = "${PROVENANCE}", by = ["builder"], builder = "b", source = "s" }`
    const { policy: read, problems } = policySource(policy(`${TWO}, ${full}`))
    assert.deepEqual(problems, [])
    assert.deepEqual(read?.require, {
      anchors: [],
      signatures: 1,
      attestations: [
        { type: PROVENANCE, by: ['builder'], builder: undefined, source: undefined, ref: undefined },
        {
          type: 'https://cyclonedx.org/bom',
          by: ['tester', 'builder'],
          builder: undefined,
          source: undefined,
          ref: undefined,
        },
        { type: PROVENANCE, by: ['builder'], builder: 'b', source: 's', ref: undefined },
      ],
    })
  })
  for (const [name, required, problem] of [
    ['no table', '"x"', /a required attestation is a table/],
    ['no type', '{ by = ["builder"] }', /it has no type/],
    ['an empty type', '{ type = "", by = ["builder"] }', /it is empty/],
    ['nobody', `{ type = "${PROVENANCE}" }`, /does not say by whom/],
    ['an empty list of anchors', `{ type = "${PROVENANCE}", by = [] }`, /names no anchor/],
    [
      'one that signs alone',
      `{ type = "${PROVENANCE}", by = ["release"] }`,
      /no anchor with use = \["attest"\]/,
    ],
    ['one that is no anchor', `{ type = "${PROVENANCE}", by = ["x"] }`, /no anchor with use/],
    ['one twice', `{ type = "${PROVENANCE}", by = ["builder", "builder"] }`, /appears twice/],
    ['an unknown key', `{ type = "${PROVENANCE}", by = ["builder"], sha = "x" }`, /sha is not a key here/],
    [
      'a ref of a key',
      `{ type = "${PROVENANCE}", by = ["builder"], ref = "x" }`,
      /only statements by identities/,
    ],
    [
      'a builder of a bill',
      '{ type = "https://cyclonedx.org/bom", by = ["builder"], builder = "b" }',
      /only statements/,
    ],
    [
      'a pattern as source',
      `{ type = "${PROVENANCE}", by = ["builder"], source = "https://github.com/acme/*" }`,
      /^trust-policy\.toml:9:\d+: "https:\/\/github\.com\/acme\/\*" has a \*, and there are no patterns here: write the whole text/,
    ],
    ['a pattern as builder', `{ type = "${PROVENANCE}", by = ["builder"], builder = "*" }`, /has a \*/],
    ['a pattern as type', '{ type = "https://slsa.dev/*", by = ["builder"] }', /has a \*/],
    [
      'a source that is a list',
      `{ type = "${PROVENANCE}", by = ["builder"], source = [] }`,
      /must be a text/,
    ],
  ] as const) {
    test(`${name} is refused`, () => {
      assert.deepEqual(policySource(POLICY).problems, [])
      assert.match(policySource(policy(required)).problems.join('\n'), problem)
    })
  }
})

test('a text that is compared as it is, and has a star, is malformed wherever it is', () => {
  const texts = {
    name: 'builder',
    caps: 'kb_read:drafts',
    folder: 'fs_ro:/srv/a',
    host: 'api.mail.example:443',
    agent: 'mailer',
    type: PROVENANCE,
    builder: 'https://ci.example/1',
    source: 'https://git.example/a',
    by: 'builder',
    anchor: 'release',
  }
  const policyWith = (all: Readonly<Record<keyof typeof texts, string>>) => `[anchors]
release = "${KEYS.release.anchor}"
"${all.name}" = { key = "${KEYS.second.anchor}", use = ["attest"] }
[rules.release]
allow_caps = ["${all.caps}", "${all.folder}"]
allow_net = ["${all.host}"]
agents = ["${all.agent}"]
[require]
anchors = ["${all.anchor}"]
attestations = [{ type = "${all.type}", by = ["${all.by}"], builder = "${all.builder}", source = "${all.source}" }]
`
  assert.deepEqual(policySource(policyWith(texts)).problems, [])
  for (const [name, text] of Object.entries(texts)) {
    // What begins so is a pattern of agents.
    const ends = name === 'agent' ? [] : [`${text.slice(0, -1)}*`]
    for (const starred of [...ends, `*${text}`]) {
      const { problems } = policySource(policyWith({ ...texts, [name]: starred }))
      assert.notDeepEqual(problems, [], `${name} ${starred}`)
      assert.match(problems[0] ?? '', /^trust-policy\.toml:\d+:\d+: /)
    }
  }
})

describe('it is trusted with what is demanded, and untrusted without', () => {
  test('with and without', async () => {
    assert.equal((await judged(linesOf(good))).verdict, 'trusted')
    const { verdict, code, message } = await judged(undefined)
    assert.deepEqual([verdict, code], ['untrusted', 'attestation_missing'])
    assert.equal(
      message,
      'The required provenance by builder is missing: no statement came with the bundle (trust-policy.toml:9)',
    )
  })

  test('what others have put there hinders nothing', async () => {
    const foreign = attestation(FILES, [KEYS.stranger], { payload: 'not JSON' })
    const much = linesOf('{}', foreign, attestation(OTHER, [KEYS.second]), good, 'x')
    assert.equal((await judged(much)).verdict, 'trusted')
  })

  for (const [name, line, why] of [
    ['damaged', good.subarray(1), /line 1 is no envelope of this form: /],
    [
      'by a key of no anchor',
      attestation(FILES, [KEYS.stranger]),
      /line 1 is signed by no key that attests here/,
    ],
    [
      'by a key that signs alone',
      attestation(FILES, [KEYS.release]),
      /line 1 is signed by no key that attests here/,
    ],
    ['by a development key', attestation(FILES, [KEYS.dev]), /line 1 is signed by no key that attests here/],
    ['by another who attests', attestation(FILES, [KEYS.security]), /line 1 is attested by tester alone/],
    ['with a signature over something else', forged(), /line 1 is not signed by the key that it names/],
    ['about another bundle', attestation(OTHER, [KEYS.second]), /line 1 is about another manifest.toml/],
    [
      'about one digest only',
      by({ subject: [{ digest: { blake3: digest('blake3') } }] }),
      /about another manifest/,
    ],
    [
      'of another type',
      by({ type: 'https://cyclonedx.org/bom' }),
      /line 1 is of the type "https:\/\/cyclonedx.org\/bom"/,
    ],
    ['of a type that only begins so', by({ type: `${PROVENANCE}.1` }), /line 1 is of the type/],
    [
      'that is no statement',
      by({ payload: '{"_type":1}' }),
      /line 1 is no statement: it is not an in-toto statement/,
    ],
    ['with a name twice', by({ payload: '{"_type":1,"_type":1}' }), /line 1 is no statement: /],
  ] as const) {
    test(name, async () => {
      const { verdict, code, message } = await judged(linesOf(line))
      assert.deepEqual([verdict, code], ['untrusted', 'attestation_missing'])
      assert.match(message, why)
      assert.equal((await judged(linesOf(line, good))).verdict, 'trusted')
    })
  }

  test('a development key counts where development keys do', async () => {
    const text = policy(`{ type = "${PROVENANCE}", by = ["dev"] }`)
    const line = linesOf(attestation(FILES, [KEYS.dev]))
    assert.equal((await judged(line, { text, allowDev: true })).verdict, 'trusted')
    assert.equal((await judged(line, { text })).code, 'attestation_missing')
  })

  test('a revoked key does not count, and the reason names it', async () => {
    const text = policy(BY_BUILDER, `[revoked]\n"${KEYS.second.anchor}" = { reason = "lost" }`)
    const { verdict, code, message } = await judged(linesOf(good), { text })
    assert.deepEqual([verdict, code], ['revoked', 'key_revoked'])
    assert.match(message, /The key of builder is revoked \(lost\)/)
    assert.equal((await judged(undefined, { text })).code, 'attestation_missing')
  })

  test('a signature that is missing comes first', async () => {
    const files = bundleOf(signed(ASKING, 'stranger'))
    assert.equal((await judged(undefined, { files })).code, 'no_counted_signature')
  })

  test('a summary of a check takes no place of one', async () => {
    const text = policy('{ type = "https://slsa.dev/verification_summary/v1", by = ["builder"] }')
    const predicate = { verificationResult: 'PASSED', verifiedLevels: ['RLP_TRUSTED'] }
    const line = linesOf(by({ type: 'https://slsa.dev/verification_summary/v1', predicate }))
    assert.equal((await judged(line, { text })).verdict, 'trusted')
    const unsigned = bundleOf(ASKING)
    assert.equal((await judged(line, { text, files: unsigned })).verdict, 'unsigned')
    const stranger = bundleOf(signed(ASKING, 'stranger'))
    assert.equal((await judged(line, { text, files: stranger })).verdict, 'untrusted')
  })
})

describe('a flipped bit of what is demanded is refused with the word of its place', () => {
  const text = good.toString()
  const { payload, signatures } = JSON.parse(text)
  const [{ keyid, sig }] = signatures
  /** What the changed text of a member leads to; anything else in the line is punctuation or a name. */
  const MEMBERS: readonly (readonly [name: string, value: string, why: (changed: string) => string])[] = [
    ['payload', payload, changed => (isBase64(changed) ? OTHER_BYTES : NO_ENVELOPE)],
    ['sig', sig, changed => (isBase64(changed) ? OTHER_BYTES : NO_ENVELOPE)],
    ['keyid', keyid, changed => (/^[ !#-[\]-\u{10ffff}]+$/u.test(changed) ? NO_KEY : NO_ENVELOPE)],
  ]
  const OTHER_BYTES = 'line 1 is not signed by the key that it names'
  const NO_KEY = 'line 1 is signed by no key that attests here'
  const NO_ENVELOPE = 'line 1 is no envelope of this form: '

  function isBase64(changed: string): boolean {
    return Buffer.from(changed, 'base64').toString('base64') === changed
  }

  function flipped(bit: number): Buffer {
    const changed = Buffer.from(good)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    return changed
  }

  /** Told from the changed bytes alone, by the place of the bit. */
  function expected(bit: number): readonly [place: string, why: string] {
    const at = bit >> 3
    for (const [name, value, why] of MEMBERS) {
      const start = text.indexOf(`"${name}":"${value}"`) + name.length + 4
      if (at < start || at >= start + value.length) continue
      const changed = flipped(bit).subarray(start, start + value.length)
      const read = changed.toString()
      return [name, changed.equals(Buffer.from(read)) ? why(read) : NO_ENVELOPE]
    }
    return ['rest', NO_ENVELOPE]
  }

  const manifest = { blake3: digest('blake3'), sha256: digest('sha256') }
  const { policy: believing = assert.fail() } = policySource(POLICY)
  const said = (line: Buffer): string => {
    const attestations = readAttestations(NAME, linesOf(line))
    const about = { signers: [], manifestDigest: '', agent: 'mini', notAfter: undefined }
    const counting = { allowDev: false, now: new Date('2026-11-20T12:00:00Z') }
    const lines = required(believing, [], { ...about, ...counting, evidence: { attestations, manifest } })
    const one = lines.find(({ code }) => code === 'attestation_missing')
    return `${one?.says}: ${one?.detail}`
  }

  // Nine and eight have no factor in common: nearly every byte has a bit flipped, and each bit has its turn.
  const bits = slice(
    Array.from({ length: good.length * 8 }, (_, bit) => bit),
    9,
  )

  test('in its words', () => {
    assert.match(said(good), /^for: /)
    const seen = new Map<string, number>()
    for (const bit of bits) {
      const [place, why] = expected(bit)
      const full = `against: Nothing that came with the bundle is the required provenance by builder: ${why}`
      const words = said(flipped(bit))
      // A new line ends the envelope early: then its second half is named, or its first.
      assert.ok(words.replace('line 2', 'line 1').startsWith(full), `bit ${bit} in ${place}: ${words}`)
      const key = `${place}: ${why}`
      seen.set(key, (seen.get(key) ?? 0) + 1)
    }
    // Each place and word was there, so the test cannot have passed by looking elsewhere.
    assert.deepEqual([...seen.keys()].sort(), [
      `keyid: ${NO_ENVELOPE}`,
      `keyid: ${NO_KEY}`,
      `payload: ${NO_ENVELOPE}`,
      `payload: ${OTHER_BYTES}`,
      `rest: ${NO_ENVELOPE}`,
      `sig: ${NO_ENVELOPE}`,
      `sig: ${OTHER_BYTES}`,
    ])
  })

  test('and in its verdict, for one bit of each place and word', async () => {
    const tried = new Set<string>()
    for (const bit of bits) {
      const key = expected(bit).join(': ')
      if (tried.has(key)) continue
      tried.add(key)
      const { verdict, code } = await judged(linesOf(flipped(bit)))
      assert.deepEqual([verdict, code, key], ['untrusted', 'attestation_missing', key])
    }
    assert.equal(tried.size, 7)
  })
})

describe('builder and source are compared as they are', () => {
  const demanding = (fields: string) => policy(`{ type = "${PROVENANCE}", by = ["builder"], ${fields} }`)
  const fields = `builder = "${BUILDER}", source = "${SOURCE}"`
  const built = (source: object, id: unknown = BUILDER) => ({
    predicate: { buildDefinition: { externalParameters: source }, runDetails: { builder: { id } } },
  })
  for (const [name, stated, text, why] of [
    ['as stated', {}, demanding(fields), undefined],
    ['from a workflow of GitHub', built({ workflow: { repository: SOURCE } }), demanding(fields), undefined],
    [
      'another builder',
      {},
      demanding(`builder = "${BUILDER}0"`),
      /names the builder "https:\/\/ci.example\/builders\/1"/,
    ],
    [
      'a builder as a pattern',
      {},
      demanding('builder = "https://ci.example/builders/[0-9]"'),
      /names the builder/,
    ],
    ['no builder', built({ source: SOURCE }, 1), demanding(fields), /line 1 names no builder/],
    ['another source', {}, demanding('source = "https://git.example/acme"'), /line 1 names the source/],
    [
      'two sources',
      built({ source: SOURCE, workflow: { repository: 'x' } }),
      demanding(fields),
      /names no source/,
    ],
    ['no predicate of that form', { predicate: {} }, demanding(fields), /names no builder/],
  ] as const) {
    test(name, async () => {
      const { verdict, message } = await judged(linesOf(by(stated)), { text })
      assert.equal(verdict, why === undefined ? 'trusted' : 'untrusted')
      if (why !== undefined) assert.match(message, why)
    })
  }
})

describe('a file of attestations', () => {
  let home = ''
  const folder = temporary('attestations')
  before(() => {
    home = folder('home')
    process.env['RUNLOOP_HOME'] = home
    writeFileSync(join(home, 'trust-policy.toml'), POLICY, { mode: 0o600 })
  })
  const verdictOf = async (cwd: string, ...args: string[]) => {
    const { stdout, exit } = await run(['agent', 'verify', NAME, '--json', ...args], undefined, { cwd })
    const [report] = JSON.parse(stdout).result.bundles
    return [report.verdict, report.reasons[0]?.code, exit]
  }
  const place = (beside?: Uint8Array) => {
    const cwd = folder('cwd')
    writeFileSync(join(cwd, NAME), BYTES)
    if (beside !== undefined) writeFileSync(join(cwd, `${NAME}.intoto.jsonl`), beside)
    return cwd
  }

  test('is the one beside the bundle, or one that is named', async () => {
    assert.deepEqual(await verdictOf(place(linesOf(good))), ['trusted', undefined, 0])
    const cwd = place()
    assert.deepEqual(await verdictOf(cwd), ['untrusted', 'attestation_missing', 1])
    writeFileSync(join(cwd, 'other.jsonl'), linesOf(good))
    assert.deepEqual(await verdictOf(cwd, '--attestations', 'other.jsonl'), ['trusted', undefined, 0])
  })

  test('beyond its limits, the rest of it stays unread, and nothing is said to be missing', async () => {
    const rubbish = (count: number) => linesOf(...Array(count).fill('x'))
    const { verdict } = await judged(Buffer.concat([rubbish(65_535), linesOf(good)]))
    assert.equal(verdict, 'trusted')
    const more = await judged(Buffer.concat([rubbish(65_536), linesOf(good)]))
    assert.deepEqual([more.verdict, more.code], ['indeterminate', 'attestations_incomplete'])
    assert.match(more.message, /is missing: mini-1.0.0.agent.bundle.intoto.jsonl: it has more than 65536 env/)
    const whole = await judged(Buffer.alloc(20 * 2 ** 20 + 1, 'x'))
    assert.deepEqual([whole.verdict, whole.code], ['indeterminate', 'attestations_incomplete'])
  })

  test('that cannot be read leaves the question open, unless nothing asks it', async () => {
    assert.deepEqual(await verdictOf(place(), '--attestations', 'missing.jsonl'), [
      'indeterminate',
      'attestations_unreadable',
      3,
    ])
    const cwd = place()
    mkdirSync(join(cwd, `${NAME}.intoto.jsonl`))
    assert.deepEqual(await verdictOf(cwd), ['indeterminate', 'attestations_unreadable', 3])
    const free = join(cwd, 'free.toml')
    writeFileSync(free, POLICY.replace(/^attestations.*$/m, ''))
    chmodSync(free, 0o600)
    assert.deepEqual(await verdictOf(cwd, '--trust-policy', 'free.toml'), ['trusted', undefined, 0])
  })

  test('is taken by the library, as a path or as bytes', async () => {
    const path = join(place(linesOf(good)), NAME)
    const options = { expect: 'mini', trustPolicy: POLICY, home: false as const }
    assert.equal((await verifyBundle(path, options)).verdict, 'trusted')
    assert.equal((await verifyBundle(path, { ...options, attestations: false })).verdict, 'untrusted')
    assert.equal((await verifyBundle(BYTES, options)).verdict, 'untrusted')
    const loaded = await loadBundle(BYTES, { ...options, attestations: linesOf(good) })
    assert.ok(loaded.bytes('manifest.toml'))
  })

  test('is put in place by install, and removed by uninstall', async () => {
    const cwd = place(linesOf(good, 'foreign'))
    const installed = join(home, 'agents/mini.agent.bundle.intoto.jsonl')
    const ran = await run(['agent', 'install', NAME, '--yes'], undefined, { cwd })
    assert.equal(ran.exit, 0, ran.stderr)
    assert.deepEqual(readFileSync(installed), linesOf(good, 'foreign'))
    const { stdout } = await run(['agent', 'verify', 'mini', '--json'], undefined, { cwd })
    assert.equal(JSON.parse(stdout).result.bundles[0].verdict, 'trusted')
    const list = await run(['agent', 'list', '--json'], undefined, { cwd })
    assert.match(list.stdout, /"name":"mini".*"verdict":"trusted"/)
    assert.equal((await run(['agent', 'uninstall', 'mini', '--yes'], undefined, { cwd })).exit, 0)
    assert.throws(() => readFileSync(installed), /ENOENT/)
  })

  test('decides whether an earlier verdict is used again', async () => {
    const cwd = place(linesOf(good))
    const verified = async (...args: string[]) => {
      const { stdout } = await run(['agent', 'verify', NAME, '--format', 'ndjson', ...args], undefined, {
        cwd,
      })
      writeFileSync(join(cwd, 'report'), stdout, { mode: 0o600 })
      const { verdict, reused } = JSON.parse(stdout.split('\n')[0] ?? '')
      return [verdict, reused === true]
    }
    assert.deepEqual(await verified(), ['trusted', false])
    assert.deepEqual(await verified('--since', 'report'), ['trusted', true])
    writeFileSync(join(cwd, `${NAME}.intoto.jsonl`), linesOf('other'))
    assert.deepEqual(await verified('--since', 'report'), ['untrusted', false])
  })

  test('is taken by the gate: beside a path, or as the question names it', async () => {
    const cwd = place(linesOf(good))
    writeFileSync(join(cwd, 'other.jsonl'), linesOf(good))
    const bytes = BYTES.toString('base64')
    const questions = [
      { bundle: NAME },
      { bytes, expect: 'mini' },
      { bytes, expect: 'mini', attestations: 'other.jsonl' },
      { bundle: NAME, attestations: '' },
    ]
    const input = questions.map(one => `${JSON.stringify(one)}\n`).join('')
    const { stdout } = await run(['gate'], undefined, { cwd, input })
    const answers = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    assert.deepEqual(
      answers.map(({ allow, reasons }) => [allow, reasons[0]?.code]),
      [
        [true, undefined],
        [false, 'attestation_missing'],
        [true, undefined],
        [false, 'bad_question'],
      ],
    )
  })

  test('is listed by inspect, with what of it counts', async () => {
    const bill = by({ type: 'https://cyclonedx.org/bom', predicate: {} })
    const cwd = place(linesOf(good, bill, attestation(OTHER, [KEYS.second]), '{"foreign":1}'))
    const { stdout } = await run(['agent', 'inspect', NAME, '--json'], undefined, { cwd })
    const { statements } = JSON.parse(stdout).result as { statements: Record<string, unknown>[] }
    assert.deepEqual(
      statements.map(({ where, type, by, result }) => [where, type, by, result]),
      [
        ['line 1', PROVENANCE, ['builder'], 'counts'],
        ['line 2', 'https://cyclonedx.org/bom', ['builder'], 'believed'],
        ['line 3', PROVENANCE, ['builder'], 'not checked'],
        ['line 4', null, [], 'not checked'],
      ],
    )
    const text = await run(['agent', 'inspect', NAME], undefined, { cwd, columns: 300 })
    assert.match(text.stdout, /Attached to it, and which of it counts\n {2}- 4 statements\n/)
    assert.match(text.stdout, /provenance by builder: counts, a trust policy requires it \(line 1\)/)
    assert.match(text.stdout, /a statement: not checked, no envelope of this form: .* \(line 4\)/)
  })

  test('shows of a provenance builder, source and commit, or that it names none', async () => {
    const commit = 'c0ffee00'.repeat(5)
    const built = (dependencies: object[]) => ({
      predicate: {
        buildDefinition: { externalParameters: { source: SOURCE }, resolvedDependencies: dependencies },
        runDetails: { builder: { id: BUILDER } },
      },
    })
    const told = async (dependencies: object[]) => {
      const { stdout } = await run(['agent', 'inspect', NAME], undefined, {
        cwd: place(linesOf(by(built(dependencies)))),
        columns: 300,
      })
      return /provenance by builder: counts.*/.exec(stdout)?.[0]
    }
    const of = (uri: string, gitCommit = commit) => ({ uri, digest: { gitCommit } })
    const start = `provenance by builder: counts, a trust policy requires it (line 1); builder ${BUILDER}; source ${SOURCE}; `
    for (const good of [of(SOURCE), of(`git+${SOURCE}@refs/heads/main`)]) {
      const other = of('https://git.example/other', 'f'.repeat(40))
      assert.equal(await told([good, other]), `${start}commit ${commit}`)
    }
    for (const none of [[], [of(`${SOURCE}0`)], [of(SOURCE), of(SOURCE, 'f'.repeat(40))]])
      assert.equal(await told(none), `${start}no commit named`)
  })

  test('tells what does not count for one reason in one line, and the others one by one', async () => {
    const tree = async (count: number) => {
      const foreign = Array.from({ length: count }, () => attestation(FILES, [KEYS.stranger]))
      const cwd = place(linesOf(good, ...foreign, '{}'))
      const { stdout } = await run(['agent', 'inspect', NAME], undefined, { cwd, columns: 300 })
      const lines = stdout.slice(stdout.indexOf('Attached to it, and')).trimEnd().split('\n').slice(1)
      const html = await run(['agent', 'inspect', NAME, '--format', 'html'], undefined, { cwd })
      return {
        lines: lines.map(line => line.replace(/(requires it|of this form):?.*/, '$1')),
        html: html.stdout,
      }
    }
    const one = '      ! a statement: not checked, signed by no key that attests here'
    const rest = ['      ! a statement: not checked, no envelope of this form']
    const first = '      ✓ provenance by builder: counts, a trust policy requires it'
    assert.deepEqual((await tree(3)).lines, [
      ...['  - 5 statements', first, `${one} (line 2)`, `${one} (line 3)`, `${one} (line 4)`, ...rest],
    ])
    const { lines, html } = await tree(60)
    const group = '60 statements: not checked, signed by no key that attests here'
    assert.deepEqual(lines, ['  - 62 statements', first, `      ! ${group}`, ...rest])
    assert.match(
      html,
      /60 statements: <code><bdi>not checked, signed by no key that attests here<\/bdi><\/code><\/summary><ul>\n<li><code><bdi>line 2</,
    )
  })

  test('is named by verify, with who attested what is required', async () => {
    const both = attestation(FILES, [KEYS.second, KEYS.security])
    const verified = async (cwd: string, ...args: string[]) =>
      (await run(['agent', 'verify', NAME, ...args], undefined, { cwd, columns: 300 })).stdout
    assert.match(
      await verified(place(linesOf(both))),
      /✓ trust +signed by release; required provenance by builder\n/,
    )
    const { result } = JSON.parse(await verified(place(linesOf('{}', both)), '--json'))
    assert.deepEqual(result.bundles[0].judgements[0].attested, [
      { type: PROVENANCE, by: ['builder'], where: 'line 2' },
    ])
    assert.doesNotMatch(await verified(place(linesOf('{}'))), /required provenance by builder\n/)
  })

  test('is explained line by line', async () => {
    const cwd = place(linesOf(good))
    const { stdout } = await run(['trust', 'explain', NAME], undefined, { cwd })
    assert.match(stdout, /The required provenance is there: builder attested it/)
    const list = await run(['trust', 'list'], undefined, { cwd })
    assert.match(list.stdout, /1 signer; provenance, attested by builder/)
  })
})

/** A genuine signature of another statement. */
function forged(): string {
  const other = JSON.parse(String(by({ type: 'x' })))
  return JSON.stringify({ ...JSON.parse(String(good)), signatures: other.signatures })
}

function digest(name: 'blake3' | 'sha256'): string {
  const { payload } = JSON.parse(String(good))
  return JSON.parse(Buffer.from(payload, 'base64').toString()).subject[0].digest[name]
}
