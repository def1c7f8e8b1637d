// fixtures/verdicts/<verdict>/<case>/: one bundle, the trust policy it is judged under, and what verify says of it. Small files that other
// implementations can be held against; written by this file with `UPDATE_GOLDEN=1`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HighWaterMark } from '../../src/model/trust.ts'
import { bundleOf, digestOf, type Tree } from './agent.ts'
import { ROOT } from './lint-fixtures.ts'
import { ASKING, KEYS, type KeyName, POLICY, signed } from './trust-world.ts'

export const VERDICT_FIXTURES = join(ROOT, 'fixtures/verdicts')

/** What `expect.txt` says. */
export interface VerdictCase {
  /** `<verdict>/<case>` */
  readonly id: string
  readonly comment: string
  readonly bundle: Uint8Array
  /** Undefined: there is none. */
  readonly policy: string | undefined
  /** Code of the first reason; undefined for `trusted`. */
  readonly reason: string | undefined
  /** Flags of `rlp agent verify` that it needs. */
  readonly flags?: readonly string[]
  /** What was installed before. */
  readonly mark?: HighWaterMark & { readonly manifestDigest: string }
}

const GOOD = signed(ASKING, 'release')
const changed = (files: Tree) => bundleOf({ ...GOOD, ...files })
const manifest = String(ASKING['manifest.toml'])
const revoked = (what: string) =>
  `${POLICY}\n[revoked]\n"${what}" = { since = "2026-11-01", reason = "laptop lost" }\n`

const mark = (version: string, key: KeyName): HighWaterMark & { readonly manifestDigest: string } => {
  return { agent: 'mini', version, manifestDigest: 'a'.repeat(64), keys: [KEYS[key].anchor] }
}

export const CASES: readonly VerdictCase[] = [
  {
    id: 'invalid/file-changed',
    comment: 'one sign of README.md is another than its digest names',
    bundle: changed({ 'README.md': '# Mini\n' }),
    policy: POLICY,
    reason: 'manifest/digest-stale',
  },
  {
    id: 'invalid/manifest-changed',
    comment: 'a comment was added to the manifest after it was signed',
    bundle: changed({ 'manifest.toml': `# reviewed\n${manifest}` }),
    policy: POLICY,
    reason: 'statement_mismatch',
  },
  {
    id: 'invalid/key-id-lies',
    comment: 'the signature is good, and by another key than its key id names',
    bundle: bundleOf(signed(ASKING, 'stranger', { envelope: { 'signatures/0/keyid': KEYS.release.anchor } })),
    policy: POLICY,
    reason: 'signature_invalid',
  },
  {
    id: 'indeterminate/no-policy',
    comment: 'a good signature, and nothing that says whose signatures count',
    bundle: bundleOf(GOOD),
    policy: undefined,
    reason: 'no_trust_policy',
  },
  {
    id: 'indeterminate/policy-malformed',
    comment: 'a misspelt key in the trust policy: it decides nothing, whatever else it says',
    bundle: bundleOf(GOOD),
    policy: POLICY.replace('allow_exec', 'allow_exce'),
    reason: 'trust_policy_unusable',
  },
  {
    id: 'unsigned/stripped',
    comment: 'sound, and the signature was taken away',
    bundle: bundleOf(ASKING),
    policy: POLICY,
    reason: 'no_signature',
  },
  {
    id: 'revoked/key',
    comment: 'it would be trusted, had the key not been revoked',
    bundle: bundleOf(GOOD),
    policy: revoked(KEYS.release.anchor),
    reason: 'key_revoked',
  },
  {
    id: 'revoked/bundle',
    comment: 'the key counts, and this one bundle is revoked by its manifest',
    bundle: bundleOf(GOOD),
    policy: `${POLICY}\n[revoked]\n"blake3:${digestOf(manifest)}" = { reason = "leaks a token" }\n`,
    reason: 'bundle_revoked',
  },
  {
    id: 'untrusted/no-anchor',
    comment: 'a good signature by a key that is unknown here',
    bundle: bundleOf(signed(ASKING, 'stranger')),
    policy: POLICY,
    reason: 'no_counted_signature',
  },
  {
    id: 'untrusted/another-agent',
    comment: 'all is well, but it is not the agent that was asked for',
    bundle: bundleOf(GOOD),
    policy: POLICY,
    reason: 'unexpected_agent',
    flags: ['--expect', 'mailer'],
  },
  {
    id: 'untrusted/two-keys-of-one-signer',
    comment: 'two signatures are required, and both are by one signer',
    bundle: bundleOf(signed(ASKING, ['release', 'second'])),
    policy: `${POLICY.replace(
      `release = "${KEYS.release.anchor}"`,
      `release = { keys = ["${KEYS.release.anchor}", "${KEYS.second.anchor}"] }`,
    )}\n[require]\nsignatures = 2\n`,
    reason: 'too_few_signatures',
  },
  {
    id: 'expired/not-after',
    comment: 'the signer named a day, and it is over',
    bundle: bundleOf(signed(ASKING, 'release', { notAfter: '2020-01-01T00:00:00Z' })),
    policy: POLICY,
    reason: 'expired',
  },
  {
    id: 'rolled_back/older',
    comment: 'version 1.1.0 was installed here before',
    bundle: bundleOf(GOOD),
    policy: POLICY,
    reason: 'older',
    mark: mark('1.1.0', 'release'),
  },
  {
    id: 'rolled_back/other-signer',
    comment: 'version 1.1.0 was installed here before, signed by another key: the mark belongs to the agent',
    bundle: bundleOf(GOOD),
    policy: POLICY,
    reason: 'older',
    mark: mark('1.1.0', 'security'),
  },
  {
    id: 'rolled_back/other-content',
    comment: 'version 1.0.0 was installed here before, with another manifest',
    bundle: bundleOf(GOOD),
    policy: POLICY,
    reason: 'other_content',
    mark: mark('1.0.0', 'release'),
  },
  {
    id: 'policy_denied/beyond-the-rule',
    comment: 'the signer counts, and may not grant the host that policy.caps asks for',
    bundle: bundleOf(GOOD),
    policy: POLICY.replace('allow_net = ["api.mail.example:443"]', 'allow_net = []'),
    reason: 'beyond_ceiling',
  },
  {
    id: 'policy_denied/only-together',
    comment: 'two signers count, and only their two rules together would allow what policy.caps asks',
    bundle: bundleOf(signed(ASKING, ['release', 'security'])),
    policy: `${POLICY.replace(', allow_exec = true, agents', ', agents')}security = { allow_exec = true }\n`,
    reason: 'beyond_ceiling',
  },
  {
    id: 'trusted/one-signer',
    comment: 'one signer whose rule holds all that policy.caps asks',
    bundle: bundleOf(GOOD),
    policy: POLICY,
    reason: undefined,
  },
  {
    id: 'trusted/two-required',
    comment: 'one signer grants, a second one who is required approves without a rule',
    bundle: bundleOf(signed(ASKING, ['release', 'security'], { notAfter: '2999-12-31T23:59:59Z' })),
    policy: `${POLICY}\n[require]\nanchors = ["security"]\nsignatures = 2\n`,
    reason: undefined,
  },
]

/** The files of a case, by name. */
export function filesOf({
  comment,
  bundle,
  policy,
  reason,
  flags,
  mark,
  id,
}: VerdictCase): Map<string, Uint8Array> {
  const [verdict] = id.split('/')
  const lines = [
    `verdict: ${verdict}`,
    ...(reason === undefined ? [] : [`reason: ${reason}`]),
    ...(flags === undefined ? [] : [`flags: ${flags.join(' ')}`]),
    ...(mark === undefined
      ? []
      : [`mark: ${mark.agent} ${mark.version} ${mark.manifestDigest} ${mark.keys.join(' ')}`]),
    `comment: ${comment}`,
  ]
  const text = new TextEncoder()
  return new Map([
    ['expect.txt', text.encode(`${lines.join('\n')}\n`)],
    ['bundle.bin', bundle],
    ...(policy === undefined ? [] : [['trust-policy.toml', text.encode(policy)] as const]),
  ])
}

/** `expect.txt` as another implementation would read it; an unknown key is an error. */
export function readExpected(id: string): ReadonlyMap<string, string> {
  const lines = readFileSync(join(VERDICT_FIXTURES, id, 'expect.txt'), 'utf8')
    .trimEnd()
    .split('\n')
  return new Map(
    lines.map(line => {
      const [, key = '', value = ''] = /^(verdict|reason|flags|mark|comment): (.*\S)$/.exec(line) ?? []
      if (key === '') throw new Error(`${id}/expect.txt: unknown line: ${line}`)
      return [key, value] as const
    }),
  )
}
