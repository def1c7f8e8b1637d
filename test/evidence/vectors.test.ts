// fixtures/evidence/vectors: signed statements of each kind, and what a policy that demands one makes of them. `UPDATE_GOLDEN=1` writes them;
// any other reader can be held to them.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { provenance, sbom, summarize } from '../../src/library/generated/evidence.ts'
import type { ComparedField } from '../../src/model/trust.ts'
import { PREDICATES, type PredicateName } from '../../src/statement/predicates/index.ts'
import { agentTree, bundleOf, type Tree } from '../support/agent.ts'
import { attestation, linesOf } from '../support/attested.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { ROOT } from '../support/lint-fixtures.ts'
import { AGAINST_PREDICATE } from '../support/published-forms.ts'
import { ASKING, installKeys, KEYS, signed } from '../support/trust-world.ts'

const VECTORS = join(ROOT, 'fixtures/evidence/vectors')
const BUNDLE = 'mini-1.0.0.agent.bundle'
const KINDS: Readonly<Record<PredicateName, string>> = {
  bom: 'https://cyclonedx.org/bom',
  provenance: 'https://slsa.dev/provenance/v1',
  summary: 'https://slsa.dev/verification_summary/v1',
}
type Kind = PredicateName

/** What a policy requires that a statement names, and a predicate that names another one. */
const NAMED: Readonly<
  Record<
    ComparedField,
    { readonly what: string; readonly wanted: string; readonly other: object; readonly says: string }
  >
> = {
  builder: {
    what: 'builder whose id',
    wanted: 'https://ci.example/1',
    other: { runDetails: { builder: { id: 'https://ci.example/10' } } },
    says: 'line 1 names the builder "https://ci.example/10"',
  },
  source: {
    what: 'source that',
    wanted: 'https://git.example/acme/mini',
    other: {
      buildDefinition: { externalParameters: { source: 'https://git.example/acme/mini2' } },
      runDetails: { builder: { id: 'https://ci.example/1' } },
    },
    says: 'line 1 names the source "https://git.example/acme/mini2"',
  },
}
const comparedIn = (kind: Kind): readonly ComparedField[] => PREDICATES[kind].compared
const FILES = signed(ASKING, 'release')
const OTHER = agentTree({ name: 'mini', version: '2.0.0' })
const folder = temporary('vectors')
const update = process.env['UPDATE_GOLDEN'] === '1'

interface Expected {
  readonly comment: string
  readonly verdict: string
  /** Code of the first reason; null for `trusted`. */
  readonly reason: string | null
  /** Part of its message. */
  readonly says: string
}

const policy = (kind: Kind, revoked = '') => `[anchors]
release = "${KEYS.release.anchor}"
ci = { key = "${KEYS.second.anchor}", use = ["attest"] }
tester = { key = "${KEYS.security.anchor}", use = ["attest"] }
[rules]
release = { allow_caps = "any", allow_net = "any", allow_exec = true }
[require]
attestations = [{ type = "${KINDS[kind]}", by = ["ci"]${comparedIn(kind)
  .map(field => `, ${field} = "${NAMED[field].wanted}"`)
  .join('')} }]
${revoked}`

const missing = (says: string) => ({ verdict: 'untrusted', reason: 'attestation_missing', says })

/** The statement that rlp makes, and what can be wrong with one. */
function casesOf(
  kind: Kind,
  predicate: object,
): Readonly<Record<string, Expected & { readonly bytes: Buffer }>> {
  const type = KINDS[kind]
  const by = (tree: Tree, stated: object, ...keys: (keyof typeof KEYS)[]) =>
    attestation(
      tree,
      keys.map(name => KEYS[name]),
      { type, predicate, ...stated },
    )
  const good = by(FILES, {}, 'second')
  const { payload, ...rest } = JSON.parse(String(good))
  const spaced = { payload: Buffer.from(`${Buffer.from(payload, 'base64')} `).toString('base64') }
  const envelope = (changes: object) =>
    linesOf(
      JSON.stringify({ payloadType: rest.payloadType, payload, signatures: rest.signatures, ...changes }),
    )
  const [signature] = rest.signatures
  return {
    good: { comment: 'as rlp states it', verdict: 'trusted', reason: null, says: '', bytes: linesOf(good) },
    'two-signers': {
      comment: 'two keys, one of which is asked for',
      verdict: 'trusted',
      reason: null,
      says: '',
      bytes: linesOf(by(FILES, {}, 'second', 'security')),
    },
    'among-others': {
      comment: 'lines of others before it',
      verdict: 'trusted',
      reason: null,
      says: '',
      bytes: linesOf('{}', 'no JSON', by(FILES, {}, 'stranger'), good),
    },
    none: {
      comment: 'an empty file',
      ...missing('no statement came with the bundle'),
      bytes: Buffer.alloc(0),
    },
    changed: {
      comment: 'one space behind the statement',
      ...missing('line 1 is not signed by the key that it names'),
      bytes: envelope(spaced),
    },
    'another-key': {
      comment: 'a key of no anchor',
      ...missing('line 1 is signed by no key that attests here'),
      bytes: linesOf(by(FILES, {}, 'stranger')),
    },
    'key-id-of-another': {
      comment: 'signed by a stranger, under the key id of the pipeline',
      ...missing('line 1 is not signed by the key that it names'),
      bytes: envelope({
        signatures: [{ ...signature, sig: JSON.parse(String(by(FILES, {}, 'stranger'))).signatures[0].sig }],
      }),
    },
    'another-anchor': {
      comment: 'a key that attests, of an anchor that is not asked for',
      ...missing('line 1 is attested by tester alone'),
      bytes: linesOf(by(FILES, {}, 'security')),
    },
    'a-signing-key': {
      comment: 'the key that signed the bundle: it does not attest',
      ...missing('line 1 is signed by no key that attests here'),
      bytes: linesOf(by(FILES, {}, 'release')),
    },
    'another-bundle': {
      comment: 'the same statement about another manifest',
      ...missing('line 1 is about another manifest.toml'),
      bytes: linesOf(by(OTHER, {}, 'second')),
    },
    'another-type': {
      comment: 'another type of predicate',
      ...missing('line 1 is of the type "https://in-toto.io/attestation/test-result/v0.1"'),
      bytes: linesOf(by(FILES, { type: 'https://in-toto.io/attestation/test-result/v0.1' }, 'second')),
    },
    'not-canonical': {
      comment: 'the same envelope with a space in its JSON',
      ...missing('line 1 is no envelope of this form'),
      bytes: Buffer.from(String(good).replace(',', ', ').concat('\n')),
    },
    revoked: {
      comment: 'judged under revoked.toml, where the key is revoked',
      verdict: 'revoked',
      reason: 'key_revoked',
      says: 'The key of ci is revoked (lost)',
      bytes: linesOf(good),
    },
    ...Object.fromEntries(
      comparedIn(kind).map(field => [
        `another-${field}`,
        {
          comment: `a ${NAMED[field].what} only begins as the one that is asked for`,
          ...missing(NAMED[field].says),
          bytes: linesOf(by(FILES, { predicate: { ...predicate, ...NAMED[field].other } }, 'second')),
        },
      ]),
    ),
  }
}

before(async () => {
  const home = folder('home')
  process.env['RUNLOOP_HOME'] = home
  installKeys(home)
  if (!update) return
  const cwd = folder('cwd')
  writeFileSync(join(cwd, BUNDLE), bundleOf(FILES))
  const how = {
    cwd,
    env: {},
    trustPolicy: policy('bom').replace(/\[require\][\s\S]*/, ''),
    home: false as const,
  }
  const { bom } = await sbom(BUNDLE, how)
  const uris = { verifier: 'https://ci.example/verifier', resource: 'https://registry.example/agents/mini' }
  const { summary } = await summarize(BUNDLE, { ...how, ...uris })
  const from = {
    builder: 'https://ci.example/1',
    source: 'https://git.example/acme/mini',
    revision: 'a'.repeat(40),
  }
  const { provenance: built } = await provenance(BUNDLE, { cwd, env: {}, ...from })
  writeFileSync(join(VECTORS, '..', 'bundle.bin'), bundleOf(FILES))
  const made: Readonly<Record<Kind, object>> = { bom, provenance: built, summary }
  for (const [kind, predicate] of Object.entries(made) as [Kind, object][]) {
    mkdirSync(join(VECTORS, kind), { recursive: true })
    writeFileSync(join(VECTORS, kind, 'trust-policy.toml'), policy(kind))
    const revoked = `[revoked]\n"${KEYS.second.anchor}" = { reason = "lost" }\n`
    writeFileSync(join(VECTORS, kind, 'revoked.toml'), policy(kind, revoked))
    for (const [name, { bytes, ...expected }] of Object.entries(casesOf(kind, predicate))) {
      writeFileSync(join(VECTORS, kind, `${name}.intoto.jsonl`), bytes)
      writeFileSync(join(VECTORS, kind, `${name}.json`), `${JSON.stringify(expected, null, 2)}\n`)
    }
  }
})

for (const kind of Object.keys(KINDS) as Kind[]) {
  describe(`vectors of ${kind}`, () => {
    const names = update
      ? Object.keys(casesOf(kind, {}))
      : readdirSync(join(VECTORS, kind)).flatMap(name =>
          name.endsWith('.intoto.jsonl') ? [name.slice(0, -13)] : [],
        )

    test('are those that are written', () => {
      assert.deepEqual([...names].sort(), Object.keys(casesOf(kind, {})).sort())
    })

    for (const name of names) {
      test(name, async () => {
        const read = (ending: string) => join(VECTORS, kind, `${name}${ending}`)
        const { verdict, reason, says }: Expected = JSON.parse(readFileSync(read('.json'), 'utf8'))
        const cwd = folder('judged')
        writeFileSync(join(cwd, BUNDLE), readFileSync(join(VECTORS, '..', 'bundle.bin')))
        const rules = readFileSync(
          join(VECTORS, kind, name === 'revoked' ? 'revoked.toml' : 'trust-policy.toml'),
        )
        writeFileSync(join(cwd, 'policy.toml'), rules, { mode: 0o600 })
        const args = ['--attestations', read('.intoto.jsonl'), '--trust-policy', 'policy.toml', '--json']
        const ran = await run(['agent', 'verify', BUNDLE, ...args], undefined, { cwd })
        const [report] = JSON.parse(ran.stdout).result.bundles
        assert.deepEqual([report.verdict, report.reasons[0]?.code ?? null], [verdict, reason])
        assert.ok((report.reasons[0]?.message ?? '').includes(says), report.reasons[0]?.message)
        assert.equal(ran.exit, verdict === 'trusted' ? 0 : 1)
      })
    }

    test('hold a predicate of the published form', () => {
      const [line = ''] = readFileSync(join(VECTORS, kind, 'good.intoto.jsonl'), 'utf8').split('\n')
      const statement = JSON.parse(Buffer.from(JSON.parse(line).payload, 'base64').toString())
      assert.deepEqual(AGAINST_PREDICATE[KINDS[kind]]?.(statement.predicate), [])
    })
  })
}
