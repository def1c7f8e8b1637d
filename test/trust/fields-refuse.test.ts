// Every word of a trust policy is enforced: of each field there are two policies that differ in nothing else, and under one of them the same
// bundle is trusted, under the other refused. Readers, editors and pages know the same words.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { outline } from '../../src/agent/read-in-turns.ts'
import { createStyle } from '../../src/cli/render/style.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import type { Anchor } from '../../src/model/anchor.ts'
import type { Ceiling, Requirements, TrustPolicy } from '../../src/model/trust.ts'
import { readAttestations } from '../../src/statement/lines.ts'
import { tableLiteral } from '../../src/toml/write.ts'
import { comparePolicies } from '../../src/trust/compare-policies.ts'
import { renderPolicy } from '../../src/trust/render-policy.ts'
import { ANCHOR_FIELDS } from '../../src/trust-policy/anchor-fields/index.ts'
import { placedRequirements, REQUIREMENTS } from '../../src/trust-policy/requirements/index.ts'
import { grownRule, RULE_FIELDS, ruleEntries } from '../../src/trust-policy/rule-fields/index.ts'
import { withRoot } from '../../src/trust-policy/source.ts'
import { verify } from '../../src/verify/verify.ts'
import { agentTree, bundleOf, digestOf } from '../support/agent.ts'
import { attestation, BUILDER, linesOf, PROVENANCE, SOURCE } from '../support/attested.ts'
import { sigstoreWorld } from '../support/sigstore-world.ts'
import { ASKING, KEYS, policySource, signed, trustContext } from '../support/trust-world.ts'

/** Asks for something of every kind that a field of a rule is about. */
const TREE = agentTree({
  name: 'mini',
  files: { 'policy.caps': `${ASKING['policy.caps']}secrets = ["mail/key"]\n` },
})
const FILES = signed(TREE, 'release')
const CANDIDATE = await readBundle(bundleOf(FILES), { keep: 'parsed' })
const CAME = readAttestations('any.intoto.jsonl', linesOf(attestation(FILES, [KEYS.second])))
const IDENTITY = digestOf(Buffer.from(FILES['manifest.toml'] as string))

/** One place of a policy, its word for the bundle, and how it is written so that the bundle is trusted, and so that it is refused. */
interface Pair {
  readonly trusted: string
  readonly refused: string
  readonly verdict: string
  readonly code: string
  /** Left out: {@link CANDIDATE}. */
  readonly asks?: typeof CANDIDATE
}

/** Asks for plain http. No secret, because `secrets_to` allows plain http beside none. */
function inClear(): Promise<typeof CANDIDATE> {
  const caps = String(ASKING['policy.caps']).replace(/net = (.*)/, 'net = { hosts = $1, allow_http = true }')
  const tree = agentTree({ name: 'mini', files: { 'policy.caps': caps } })
  return readBundle(bundleOf(signed(tree, 'release')), { keep: 'parsed' })
}

const beyond = (trusted: string, refused: string): Pair => ({
  trusted,
  refused,
  verdict: 'policy_denied',
  code: 'beyond_ceiling',
})

const RULES: { readonly [F in keyof Ceiling]: Pair } = {
  allowCaps: beyond(
    'allow_caps = ["kb_read:drafts", "secrets:mail/key"]',
    'allow_caps = ["kb_read:sent", "secrets:mail/key"]',
  ),
  allowNet: beyond('allow_net = ["api.mail.example:443"]', 'allow_net = ["api.mail.example:8443"]'),
  allowHttp: {
    ...beyond('allow_http = ["api.mail.example:443"]', 'allow_http = ["api.mail.example:8443"]'),
    asks: await inClear(),
  },
  allowExec: beyond('allow_exec = true', 'allow_exec = false'),
  secretsTo: beyond(
    'secrets_to = { "mail/key" = ["api.mail.example:443", "/usr/bin/jq"] }',
    'secrets_to = { "mail/key" = ["api.mail.example:443", "/usr/bin/sort"] }',
  ),
  agents: {
    ...beyond('agents = ["mini"]', 'agents = ["mailer"]'),
    code: 'rule_for_other_agents',
  },
}

const untrusted = (trusted: string, refused: string, code: string): Pair => ({
  trusted,
  refused,
  verdict: 'untrusted',
  code,
})

const ANCHORS: { readonly [F in keyof Omit<Anchor, 'name'>]: Pair } = {
  keys: untrusted(
    `key = "${KEYS.release.anchor}"`,
    `key = "${KEYS.stranger.anchor}"`,
    'no_counted_signature',
  ),
  identity: untrusted(
    `key = "${KEYS.release.anchor}"`,
    'issuer = "https://id.example", email = "ada@acme.example"',
    'no_counted_signature',
  ),
  until: untrusted('until = "2027-01-01T00:00:00Z"', 'until = "2026-11-01T00:00:00Z"', 'anchor_ended'),
  use: untrusted('use = ["sign"]', 'use = ["attest"]', 'no_counted_signature'),
  allowDev: untrusted('allow_dev = false', 'allow_dev = true', 'no_counted_signature'),
}

const statement = (text: string) => `attestations = [{ ${text} }]`
const OF_TYPE = `type = "${PROVENANCE}", by = ["builder"]`
const REQUIRES: { readonly [F in keyof Requirements]-?: Pair } = {
  anchors: untrusted('anchors = []', 'anchors = ["security"]', 'required_signature_missing'),
  agents: untrusted(
    'agents = ["min", "mini@pro"]\nsignatures = 2',
    'agents = ["min*"]\nsignatures = 2',
    'too_few_signatures',
  ),
  signers: untrusted('signers = ["release"]', 'signers = ["security"]', 'required_signature_missing'),
  expiresWithin: untrusted('signatures = 1', 'signatures = 1\nexpires_within = "90d"', 'expires_too_late'),
  signatures: untrusted('signatures = 1', 'signatures = 2', 'too_few_signatures'),
  attestations: untrusted(
    'attestations = []',
    statement('type = "https://cyclonedx.org/bom", by = ["builder"]'),
    'attestation_missing',
  ),
}

type Statement = NonNullable<Requirements['attestations']>[number]
const missing = (trusted: string, refused: string) =>
  untrusted(statement(trusted), statement(refused), 'attestation_missing')
const STATEMENTS: { readonly [F in keyof Statement]: Pair } = {
  type: missing(OF_TYPE, 'type = "https://cyclonedx.org/bom", by = ["builder"]'),
  by: missing(OF_TYPE, `type = "${PROVENANCE}", by = ["tester"]`),
  builder: missing(`${OF_TYPE}, builder = "${BUILDER}"`, `${OF_TYPE}, builder = "${BUILDER}/2"`),
  ref: missing(OF_TYPE, `type = "${PROVENANCE}", by = ["ci"], ref = "refs/tags/v*"`),
  source: missing(`${OF_TYPE}, source = "${SOURCE}"`, `${OF_TYPE}, source = "${SOURCE}/2"`),
}

const WORLD = sigstoreWorld()
const rootNamed = (blake3: string) =>
  `[sigstore]\ntrusted_root = { file = "root.json", blake3 = "${blake3}" }`

const revoked = (what: string, code: string): Pair => ({
  trusted: '[revoked]',
  refused: `[revoked]\n"${what}" = {}`,
  verdict: 'revoked',
  code,
})

/** Two policies with a group that has to count. */
const of = (...atLeast: [trusted: string, refused: string]) =>
  atLeast.map(
    text => `[groups]\ng = { of = ["release", "security"], ${text} }\n[[require]]\nsigners = ["g"]`,
  ) as [string, string]

/** What each table does; `anchors`, `rules` and `require` are above. */
const TABLES: { readonly [F in keyof Omit<TrustPolicy, 'anchors' | 'rules' | 'require'>]: Pair } = {
  validUntil: {
    trusted: 'valid_until = "2027-01-01T00:00:00Z"',
    refused: 'valid_until = "2026-01-01T00:00:00Z"',
    verdict: 'indeterminate',
    code: 'trust_policy_unusable',
  },
  trustedRoot: {
    trusted: rootNamed(digestOf(WORLD.rootBytes)),
    refused: rootNamed(digestOf(sigstoreWorld().rootBytes)),
    verdict: 'indeterminate',
    code: 'trust_policy_unusable',
  },
  groups: untrusted(...of('at_least = 1', 'at_least = 2'), 'required_signature_missing'),
  floors: {
    trusted: '[floors]\nmini = "1.0.0"',
    refused: '[floors]\nmini = "1.0.1"',
    verdict: 'rolled_back',
    code: 'below_floor',
  },
  revokedKeys: revoked(KEYS.release.anchor, 'key_revoked'),
  revokedBundles: revoked(`blake3:${IDENTITY}`, 'bundle_revoked'),
}

/** A whole policy with one place of it as given. */
interface Places {
  readonly anchor?: string
  readonly rule?: string
  readonly require?: string
  readonly entry?: string
  readonly table?: string
}

/** Where a field of what is required is written. */
const placeOf = (name: keyof Requirements) =>
  REQUIREMENTS[name].forms.some(form => form === 'table') ? 'require' : 'entry'

const KEY = `key = "${KEYS.release.anchor}"`

function policyText({ anchor, rule, require, entry, table = '' }: Places): string {
  const said = (pairs: typeof RULES, but: string | undefined) =>
    Object.values(pairs).map(({ trusted }) => (but?.split(' ')[0] === trusted.split(' ')[0] ? but : trusted))
  const [head, foot] = table.startsWith('[') ? ['', table] : [table, '']
  return `${head}
[anchors]
release = { ${anchor ?? KEY}${/^(?:key|issuer)/.test(anchor ?? 'key') ? '' : `, ${KEY}`} }
security = "${KEYS.security.anchor}"
builder = { key = "${KEYS.second.anchor}", use = ["attest"] }
tester = { key = "${KEYS.dev.anchor}", use = ["attest"] }
ci = { issuer = "https://ci.example", repository_id = "1", workflow = "a.yml", ref = "refs/tags/v*", use = ["attest"] }
[rules]
release = { ${said(RULES, rule).join(', ')} }
${entry !== undefined ? `[[require]]\n${entry}` : table.includes('[[require]]') ? '' : `[require]\n${require ?? ''}`}
${table.startsWith('[sigstore]') ? '' : rootNamed(digestOf(WORLD.rootBytes))}
${foot}
`.replace(/release = \{ allow_caps.*\n/, rules =>
    // Where the anchor must not sign, a rule would be malformed.
    anchor?.includes('"attest"') ? '' : rules,
  )
}

async function verdictUnder(
  text: string,
  asks = CANDIDATE,
): Promise<readonly [verdict: string, code: string | undefined]> {
  const source = withRoot(policySource(text), WORLD.rootBytes)
  const trust = { ...trustContext({ sources: [source] }), attestations: CAME }
  const { report } = await verify(await outline(asks), { expect: 'any', trust })
  return [report.verdict, report.reasons[0]?.code]
}

const shown = (text: string) =>
  renderPolicy(policySource(text), new Date('2026-11-20T12:00:00Z'), createStyle(false), 400)

/** Both policies are read, and differ in one field alone. */
function differing(at: keyof Places, pair: Pair): [trusted: TrustPolicy, refused: TrustPolicy] {
  const read = (text: string) => {
    const { policy, problems } = policySource(policyText({ [at]: text }))
    assert.deepEqual(problems, [])
    return policy as TrustPolicy
  }
  return [read(pair.trusted), read(pair.refused)]
}

function refuses(at: keyof Places, what: string, pair: Pair): void {
  test(`${what}: ${pair.refused}`, async () => {
    const [trusted, refused] = [pair.trusted, pair.refused].map(text => policyText({ [at]: text }))
    assert.deepEqual(await verdictUnder(trusted ?? '', pair.asks), ['trusted', undefined])
    assert.deepEqual(await verdictUnder(refused ?? '', pair.asks), [pair.verdict, pair.code])
    assert.notEqual(shown(refused ?? ''), shown(trusted ?? ''), 'people are shown what is required')
    const [open, strict] = differing(at, pair)
    assert.notDeepEqual(comparePolicies(open, strict).narrowed, [], 'the difference is said')
    assert.notDeepEqual(comparePolicies(strict, open).widened, [], 'the difference is said')
  })
}

describe('each field refuses something', () => {
  for (const name of keysOf(RULE_FIELDS)) refuses('rule', `rules ${name}`, RULES[name])
  for (const name of keysOf(ANCHOR_FIELDS)) refuses('anchor', `anchors ${name}`, ANCHORS[name])
  for (const name of keysOf(REQUIREMENTS)) refuses(placeOf(name), `require ${name}`, REQUIRES[name])
  for (const name of keysOf(STATEMENTS)) refuses('require', `a required ${name}`, STATEMENTS[name])
  for (const name of keysOf(TABLES)) refuses('table', name, TABLES[name])
})

describe('each field of a rule', () => {
  for (const name of keysOf(RULE_FIELDS)) {
    test(`${name} is what makes the difference, is written as it is read, and is widened by what is added`, async () => {
      const [trusted, refused] = differing('rule', RULES[name]).map(
        ({ rules }) => rules.get('release') as Ceiling,
      )
      assert.ok(trusted && refused)
      assert.notDeepEqual(refused[name], trusted[name])
      assert.deepEqual({ ...refused, [name]: trusted[name] }, trusted)
      for (const rule of [trusted, refused]) {
        const [key] = RULES[name].trusted.split(' ')
        const text = tableLiteral(ruleEntries(rule)).slice(2, -2)
        assert.ok(text.includes(`${key} = `))
        const { policy } = policySource(`[anchors]\na = "${KEYS.release.anchor}"\n[rules]\na = { ${text} }\n`)
        assert.deepEqual(policy?.rules.get('a'), rule)
      }
      // To which agents a rule applies is widened by another verb.
      if (RULE_FIELDS[name].decides === 'what') {
        const wider = grownRule(refused, { [name]: trusted[name] })
        const text = tableLiteral(ruleEntries(wider)).slice(2, -2)
        assert.deepEqual(
          await verdictUnder(
            policyText({}).replace(/^release = \{ allow_caps.*$/m, `release = { ${text} }`),
            RULES[name].asks,
          ),
          ['trusted', undefined],
        )
      }
    })
  }
})

test('an anchor and a requirement differ by one field', () => {
  for (const name of keysOf(ANCHOR_FIELDS)) {
    const [trusted, refused] = differing('anchor', ANCHORS[name]).map(({ anchors }) => anchors[0] as Anchor)
    assert.ok(trusted && refused)
    assert.notDeepEqual(refused, trusted)
    // An identity takes the place of keys.
    const keys = name === 'identity' ? { keys: trusted.keys } : {}
    assert.deepEqual({ ...refused, ...keys, [name]: trusted[name] }, trusted)
  }
  for (const name of keysOf(REQUIREMENTS)) {
    const [trusted, refused] = differing(placeOf(name), REQUIRES[name]).map(
      ({ require }) => placedRequirements(require)[0]?.entry,
    )
    assert.ok(trusted && refused)
    assert.notDeepEqual(refused, trusted)
    assert.deepEqual({ ...refused, [name]: trusted[name] }, { ...trusted, [name]: trusted[name] })
  }
})

function keysOf<T extends object>(table: T): (keyof T)[] {
  return Object.keys(table) as (keyof T)[]
}

const ROOT = join(import.meta.dirname, '../..')
const page = (path: string) => readFileSync(join(ROOT, path), 'utf8')

interface Schema {
  readonly properties: Readonly<Record<string, Schema>>
  readonly items: Schema
}

describe('editors, pages and types know the words that the reader takes', () => {
  const schema = JSON.parse(page('schemas/trust-policy.schema.json')) as Schema & {
    readonly $defs: Readonly<Record<string, Schema>>
  }
  const key = KEYS.release.anchor
  const require = schema.properties['require'] as Schema
  const levels: readonly [what: string, policy: string, schemas: readonly (Schema | undefined)[]][] = [
    ['the policy', 'zz = 1', [schema]],
    ['an anchor', `[anchors]\na = { key = "${key}", zz = 1 }`, [schema.$defs['anchor']]],
    [
      'a rule',
      `[anchors]\na = "${key}"\n[rules]\na = { zz = 1 }`,
      [schema.$defs['rules'], schema.$defs['ruleOfAgents']],
    ],
    ['a group', `[anchors]\na = "${key}"\n[groups]\ng = { zz = 1 }`, [schema.$defs['group']]],
    ['what is required', `[anchors]\na = "${key}"\n[require]\nzz = 1`, [require]],
    [
      'what is required of some agents',
      `[anchors]\na = "${key}"\n[[require]]\nzz = 1`,
      [schema.$defs['requirement']],
    ],
    [
      'a required statement',
      `[anchors]\na = { key = "${key}", use = ["attest"] }\n[require]\nattestations = [{ zz = 1 }]`,
      [schema.$defs['statement']],
    ],
    ['a revoked key', `[revoked]\n"${key}" = { zz = 1 }`, [schema.$defs['revokedKey']]],
    ['a revoked bundle', `[revoked]\n"blake3:${IDENTITY}" = { zz = 1 }`, [schema.$defs['revokedBundle']]],
  ]
  for (const [what, policy, schemas] of levels) {
    test(what, () => {
      const { problems } = policySource(policy)
      const said = problems.flatMap(
        problem => /zz is not a key here; known are (.*)$/.exec(problem)?.[1] ?? [],
      )
      const words = said.flatMap(list => list.split(', ')).sort()
      assert.ok(words.length > 1, problems.join('\n'))
      for (const one of schemas) assert.deepEqual(Object.keys(one?.properties ?? {}).sort(), words)
      for (const path of [
        'docs/spec/trust-policy.md',
        'docs/spec/reader.py',
        'docs/trust.md',
        'src/model/trust-table.ts',
      ]) {
        const text = page(path)
        const unknown = words.filter(word => !new RegExp(`\\b${word}\\b`).test(text))
        assert.deepEqual(unknown, [], path)
      }
    })
  }
})
