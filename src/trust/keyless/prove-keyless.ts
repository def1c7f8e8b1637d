// Reads the Sigstore bundles that came with a bundle, and finds out whose each claims to be and whether that is proven
// (docs/spec/keyless.md, Y-5, Y-12 and Y-13). Reading needs none of the libraries of Sigstore.

import { hash } from 'node:crypto'
import { MANIFEST_FILE } from '../../model/agent.ts'
import type { AnchorUse } from '../../model/anchor.ts'
import type { AttestationBytes, KeylessFound } from '../../model/attestation.ts'
import type { Candidate } from '../../model/bundle.ts'
import type {
  CertificateFacts,
  KeylessFinding,
  KeylessFindings,
  KeylessProven,
  TrustedRoot,
} from '../../model/keyless.ts'
import { KEYLESS_LIMITS } from '../../model/limits.ts'
import type { PolicySource } from '../../model/trust.ts'
import type { Turn } from '../../model/turn.ts'
import { readStatement } from '../../signature/envelope.ts'
import { readCertificate } from '../../sigstore/certificate.ts'
import type { Authorities } from '../../sigstore/prove.ts'
import { readSigstoreBundle, type SigstoreBundle } from '../../sigstore/sigstore-bundle.ts'
import { readAttested } from '../../statement/statement.ts'
import { claimsIdentity } from '../../trust-policy/identity-fits.ts'

/** What is proven by which root. */
interface Prover {
  authoritiesOf(root: TrustedRoot): Authorities | undefined
  prove(authorities: Authorities, bundle: SigstoreBundle): KeylessProven
}

/** Whose identity a certificate may have, by the policy that says so. */
function rootsFor(
  { finding: { facts, signs } }: ReadKeyless,
  policies: readonly PolicySource[],
): readonly TrustedRoot[] {
  const use: AnchorUse = signs === undefined ? 'attest' : 'sign'
  const roots = policies.flatMap(({ policy, root }) => {
    const isClaimed = policy?.anchors.some(
      anchor =>
        anchor.identity !== undefined && anchor.use.includes(use) && claimsIdentity(anchor.identity, facts),
    )
    return isClaimed && root !== undefined ? [root] : []
  })
  return [...new Map(roots.map(root => [root.blake3, root])).values()]
}

/** Those that an anchor may want, proven or not: signatures first, and no more than a stranger’s are worth. */
export async function proveKeyless(
  found: KeylessFound,
  read: readonly ReadKeyless[],
  policies: readonly PolicySource[],
  unsignedSha256: string | undefined,
  prover: Prover,
  turn: Turn,
): Promise<KeylessFindings> {
  const known = new Map<string, Authorities | undefined>()
  const wanted = read
    .map((one, at) => ({ ...one, at, roots: one.bundle === undefined ? [] : rootsFor(one, policies) }))
    .filter(({ roots }) => roots.length > 0)
    .sort(
      (a, b) => Number(a.finding.signs === undefined) - Number(b.finding.signs === undefined) || a.at - b.at,
    )
  const list = read.map(({ finding }) => finding)
  for (const { at, bundle, finding, roots } of wanted.slice(0, KEYLESS_LIMITS.verified)) {
    const proven = new Map<string, KeylessProven>()
    for (const root of roots) {
      const pause = turn()
      if (pause !== undefined) await pause
      const { blake3 } = root
      if (!known.has(blake3)) known.set(blake3, prover.authoritiesOf(root))
      const authorities = known.get(blake3)
      if (bundle !== undefined && authorities !== undefined)
        proven.set(blake3, prover.prove(authorities, bundle))
    }
    list[at] = { ...finding, proven }
  }
  const tooMany = `${wanted.length} claim to be by an anchor of a policy, and at most ${KEYLESS_LIMITS.verified} are verified`
  const incomplete = wanted.length > KEYLESS_LIMITS.verified ? tooMany : found.problem?.message
  const unusable = [...known].flatMap(([blake3, authorities]) => (authorities === undefined ? [blake3] : []))
  return { list, incomplete, unusable, unsignedSha256 }
}

/** Those that sign the bundle itself, by whomever, proven or not: for a person who asks who has signed it. */
export async function proveSigners(
  read: readonly ReadKeyless[],
  { blake3, authorities }: { readonly blake3: string; readonly authorities: Authorities },
  prover: Pick<Prover, 'prove'>,
  isAsked: (facts: CertificateFacts) => boolean,
  turn: Turn,
): Promise<readonly KeylessFinding[]> {
  const signing = read.filter(({ finding }) => finding.signs !== undefined && isAsked(finding.facts))
  const list: KeylessFinding[] = []
  for (const { bundle, finding } of signing.slice(0, KEYLESS_LIMITS.verified)) {
    const pause = turn()
    if (pause !== undefined) await pause
    if (bundle === undefined) list.push(finding)
    else list.push({ ...finding, proven: new Map([[blake3, prover.prove(authorities, bundle)]]) })
  }
  return [...list, ...signing.slice(KEYLESS_LIMITS.verified).map(({ finding }) => finding)]
}

/** Whether any of them has to be proven. */
export function isAnyClaimed(read: readonly ReadKeyless[], policies: readonly PolicySource[]): boolean {
  return read.some(one => one.bundle !== undefined && rootsFor(one, policies).length > 0)
}

/** One that was read: what it is, and the bundle itself if an anchor’s identity may be the one of its certificate. */
interface ReadKeyless {
  readonly finding: KeylessFinding
  readonly bundle?: SigstoreBundle
}

/** Everything but the proofs. The libraries are not needed for it. */
export function readKeyless(
  found: KeylessFound,
  { files }: Pick<Candidate, 'files'>,
): readonly ReadKeyless[] {
  const { digest: blake3 = '', bytes = new Uint8Array() } = files.get(MANIFEST_FILE) ?? {}
  const manifest = { blake3, sha256: hash('sha256', bytes, 'hex') }
  return found.bundles.map(one => readOne(one, manifest))
}

function readOne(
  { where, bytes }: AttestationBytes,
  manifest: { blake3: string; sha256: string },
): ReadKeyless {
  const nothing = {
    where,
    payload: new Uint8Array(),
    facts: {},
    proven: NOTHING,
    signs: undefined,
    states: undefined,
  }
  const bundle = readSigstoreBundle(bytes)
  if (!bundle.ok) return { finding: { ...nothing, problem: bundle.problem } }
  const { payload } = bundle.value
  const certificate = readCertificate(bundle.value.certificate)
  // What it states is known, also if its certificate says nothing.
  const shown = certificate.ok
    ? { facts: certificate.facts, problem: undefined }
    : { facts: {}, problem: certificate.problem }
  const read = { ...nothing, payload, ...shown }
  const wanted = certificate.ok ? { bundle: bundle.value } : {}
  const signed = readStatement(payload)
  if (signed.ok) {
    const { blake3, sha256, notAfter } = signed.value
    if (blake3 === manifest.blake3 && sha256 === manifest.sha256)
      return { finding: { ...read, signs: { notAfter } }, ...wanted }
    return { finding: { ...read, problem: 'it signs another manifest.toml' } }
  }
  const stated = readAttested(payload)
  if (!stated.ok) return { finding: { ...read, problem: `it holds no statement: ${stated.problem}` } }
  return { finding: { ...read, states: stated.value }, ...wanted }
}

const NOTHING: KeylessFinding['proven'] = new Map()
