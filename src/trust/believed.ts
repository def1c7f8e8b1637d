// Decides which of the statements that came with a bundle one trust policy believes, which of them it requires (docs/evidence.md), and
// which proven identities have signed (docs/spec/keyless.md, Y-12). Pure. Nothing is parsed before a key has signed it that the policy lets
// attest.

import type { Anchor, AnchorUse } from '../model/anchor.ts'
import type {
  AttestationBytes,
  Attestations,
  AttestedStatement,
  CountedStatement,
  LookedInto,
} from '../model/attestation.ts'
import type { CertificateFacts, KeylessFinding, KeylessFindings, TrustedRoot } from '../model/keyless.ts'
import { own, ownMembers } from '../model/own.ts'
import type { PolicySource, RequiredAttestation, TrustPolicy } from '../model/trust.ts'
import { preAuthEncoding } from '../signature/envelope.ts'
import { isGenuine } from '../signature/genuine.ts'
import { readAttestation } from '../statement/lines.ts'
import { predicateWord, statedOrigins } from '../statement/predicates/index.ts'
import { isAboutManifest, readAttested } from '../statement/statement.ts'
import { notCounted } from '../trust-policy/anchor-fields/index.ts'
import { fitsIdentity } from '../trust-policy/identity-fits.ts'
import { identityString } from '../trust-policy/identity-string.ts'
import { isAnyOf } from '../trust-policy/requirements/attestations.ts'
import { requirementsFor } from '../trust-policy/requirements/index.ts'
import { isRevoked } from '../trust-policy/revoked.ts'
import { type AsIf, type Counts, ownerOf } from './signer.ts'

/** What came with a bundle, and the bundle that it has to be about. Digests of the manifest, lower-case hex. */
export interface Evidence {
  readonly attestations: Attestations | undefined
  readonly manifest: { readonly blake3: string; readonly sha256: string }
  /** What is known of keyless ones, and the root by which this policy asks for proofs. */
  readonly keyless?: KeylessFindings | undefined
  readonly root?: TrustedRoot | undefined
}

export function believedIn(
  policy: TrustPolicy,
  evidence: Evidence,
  believing: Counts,
): readonly LookedInto[] {
  const { attestations, manifest, keyless, root } = ownMembers(evidence)
  const byKeys = (attestations?.envelopes ?? []).map(one => lookAt(policy, one, manifest, believing))
  if (keyless === undefined || root === undefined) return byKeys
  const byIdentities = keyless.list.flatMap(finding =>
    finding.states === undefined ? [] : lookAtKeyless(policy, finding, { root, keyless, believing }),
  )
  return [...byKeys, ...byIdentities]
}

/** A statement by an identity is about the archive before anybody signed it: that is what a pipeline has built. */
function lookAtKeyless(
  policy: TrustPolicy,
  finding: KeylessFinding,
  { root, keyless, believing }: { root: TrustedRoot; keyless: KeylessFindings; believing: Counts },
): LookedInto {
  const { where, states, facts } = finding
  const not = (problem: string): LookedInto => {
    return { where, ...UNSIGNED, statement: undefined, isAbout: false, problem }
  }
  const anchor = identityAnchor(policy.anchors, root, finding, 'attest')
  const is = finding.proven.get(root.blake3)
  if (anchor?.identity === undefined || states === undefined)
    return not(is !== undefined && 'problem' in is ? is.problem : 'signed by no identity that attests here')
  const signer = identityString(anchor.identity)
  if (attestor(policy, signer, believing) === undefined)
    return not(
      `signed by ${isRevoked(policy, signer) ? 'a revoked identity' : 'no identity that attests here'}`,
    )
  const { unsignedSha256 } = keyless
  const isAbout =
    unsignedSha256 !== undefined &&
    states.subjects.some(({ digest }) => own(digest, 'sha256') === unsignedSha256)
  const problem = isAbout ? contradiction(states, facts) : 'about another archive'
  const certified = { source: facts.source, ref: facts.ref }
  return { where, by: [anchor.name], keyids: [signer], statement: states, certified, isAbout, problem }
}

/** A job can write any predicate: where that names what was built, it has to be what the certificate names. */
function contradiction(stated: AttestedStatement, { source, ref }: CertificateFacts): string | undefined {
  const { sources, refs } = statedOrigins(stated)
  if (sources.some(one => one !== source))
    return 'one whose predicate names another source than its certificate'
  return refs.some(one => one !== ref)
    ? 'one whose predicate names another ref than its certificate'
    : undefined
}

const UNSIGNED = { by: [], keyids: [] }

function lookAt(
  policy: TrustPolicy,
  { where, bytes }: AttestationBytes,
  manifest: Evidence['manifest'],
  believing: Counts,
): LookedInto {
  const not = (problem: string, signed: Pick<LookedInto, 'by' | 'keyids'> = UNSIGNED): LookedInto => {
    return { where, ...signed, statement: undefined, isAbout: false, problem }
  }
  const envelope = readAttestation(bytes)
  if (!envelope.ok) return not(`no envelope of this form: ${envelope.problem}`)
  const { payload, signatures } = envelope.value
  const named = signatures.flatMap(signature => {
    const anchor = attestor(policy, signature.keyid, believing)
    return anchor === undefined ? [] : [{ anchor, signature }]
  })
  if (named.length === 0) {
    const isOut = signatures.some(({ keyid }) => isRevoked(policy, keyid))
    return not(`signed by ${isOut ? 'a revoked key' : 'no key that attests here'}`)
  }
  const message = preAuthEncoding(payload)
  const genuine = named.filter(({ signature }) => isGenuine(signature, message))
  if (genuine.length === 0) return not('not signed by the key that it names')
  const signed = {
    by: [...new Set(genuine.map(({ anchor }) => anchor))],
    keyids: genuine.map(({ signature }) => signature.keyid),
  }
  const read = readAttested(payload)
  if (!read.ok) return not(`no statement: ${read.problem}`, signed)
  const isAbout = isAboutManifest(read.value, manifest)
  const problem = isAbout ? undefined : 'about another manifest.toml'
  return { where, ...signed, statement: read.value, isAbout, problem }
}

/** The anchor that a key belongs to, if it attests. */
function attestor(
  policy: TrustPolicy,
  keyid: string,
  { allowDev, now, noneRevoked = false, noneEnded = false }: Counts,
): string | undefined {
  if (isRevoked(policy, keyid) && !noneRevoked) return undefined
  const anchor = ownerOf(policy, keyid)
  const counting = { act: 'attest', allowDev, now: noneEnded ? undefined : now } as const
  return anchor !== undefined && notCounted(anchor, counting) === undefined ? anchor.name : undefined
}

/** The facts about a bundle that its trust depends on. */
export interface TrustFacts {
  /** Anchor strings of the keys whose signatures are valid. */
  readonly signers: readonly string[]
  /** BLAKE3 of the manifest, lower-case hex. */
  readonly manifestDigest: string
  readonly allowDev: boolean
  /** `name` or `name@variant` */
  readonly agent: string
  /** When the signatures end. */
  readonly notAfter: string | undefined
  readonly now: Date
  /** What came with the bundle. */
  readonly evidence: Evidence
}

/** Each once, also where several policies require it: `required provenance by ci`. */
export function attestedWords(counted: readonly CountedStatement[]): string[] {
  return [...new Set(counted.map(({ type, by }) => `required ${predicateWord(type)} by ${by.join(' and ')}`))]
}

/** The keys that attested what a policy requires, under a supposition. */
export function attestors(policy: TrustPolicy, facts: TrustFacts, asIf: AsIf): readonly string[] {
  if (requiredStatements(policy, facts.agent).length === 0) return []
  return believedIn(policy, facts.evidence, { ...facts, ...asIf })
    .filter(one => isRequired(policy, one, facts.agent))
    .flatMap(({ keyids }) => keyids)
}

/** Whether an envelope is what a policy requires in one place. @param agent `name` or `name@variant` */
export function isRequired(policy: TrustPolicy, one: LookedInto, agent: string): boolean {
  return isAnyOf(requiredStatements(policy, agent), one, policy)
}

function requiredStatements({ require }: TrustPolicy, agent: string): readonly RequiredAttestation[] {
  return requirementsFor(require, agent).flatMap(({ entry }) => entry.attestations ?? [])
}

/** Strings of identities, each once. @param payload what is signed, to the byte */
export function keylessSigners(
  source: Pick<PolicySource, 'policy' | 'root'>,
  keyless: KeylessFindings | undefined,
  payload: Uint8Array,
): readonly string[] {
  const { policy, root } = ownMembers(source)
  if (policy === undefined || root === undefined || keyless === undefined) return []
  const found = keyless.list.flatMap(finding => {
    if (finding.signs === undefined || Buffer.compare(finding.payload, payload) !== 0) return []
    const { identity } = identityAnchor(policy.anchors, root, finding, 'sign') ?? {}
    return identity === undefined ? [] : [identityString(identity)]
  })
  return [...new Set(found)]
}

/** The anchor whose identity a proven certificate has. */
function identityAnchor(
  anchors: readonly Anchor[],
  root: TrustedRoot,
  { facts, proven }: KeylessFinding,
  use: AnchorUse,
): Anchor | undefined {
  const is = proven.get(root.blake3)
  if (is === undefined || 'problem' in is) return undefined
  // One certificate fits one anchor at most (docs/spec/trust-policy.md, K-16).
  return anchors.find(anchor => {
    return anchor.identity !== undefined && anchor.use.includes(use) && fitsIdentity(anchor.identity, facts)
  })
}
