// States that a bundle was judged trusted, as a SLSA verification summary (docs/evidence.md). Made without a clock.
import { hash } from 'node:crypto'
import type { Target } from '../io/find/search-folders.ts'
import type { Attestations } from '../model/attestation.ts'
import { ownMembers } from '../model/own.ts'
import type { Report } from '../model/report.ts'
import { VERSION } from '../model/rlp-version.ts'
import type { TrustContext } from '../model/trust.ts'
import { digestText } from '../text/digest-text.ts'
import { believedIn, type Evidence, isRequired } from '../trust/believed.ts'
import { referenceText } from '../version/reference.ts'
import type { SignStated, StatedAbout } from './attest.ts'
import type { Verified } from './verified.ts'

/** The extension: what the form has no member for. */
const EXTENSION = 'urn:runloop:agent-bundle:verification:v1'

interface SummaryFacts {
  /** Who has checked it: a URI. */
  readonly verifier: string
  /** What was checked, as those know it who will ask: a URI. */
  readonly resource: string
  /** A UTC second. */
  readonly time?: string | undefined
}

/** A predicate whose members are in the order in which they are written. */
export type Summary = Readonly<Record<string, unknown>>

/** @param report of a bundle that is trusted */
export function statedSummary(
  report: Report,
  trust: TrustContext,
  manifest: Evidence['manifest'],
  { verifier, resource, time }: SummaryFacts,
): Summary {
  const policies = report.policies.map(({ role, digest }) => ({ role, digest: { blake3: digest } }))
  const { lock } = ownMembers(report)
  const inputs = countedInputs(trust, manifest, report.agent === null ? '' : referenceText(report.agent))
  return {
    verifier: { id: verifier, version: { rlp: VERSION } },
    ...(time !== undefined && { timeVerified: time }),
    resourceUri: resource,
    // The form has one: the user's, which is read last. The extension has all.
    policy: policyOf(report.policies.at(-1)?.digest ?? ''),
    ...(inputs.length > 0 && { inputAttestations: inputs.map(sha256 => ({ digest: { sha256 } })) }),
    verificationResult: 'PASSED',
    verifiedLevels: ['RLP_TRUSTED'],
    [EXTENSION]: {
      verdict: report.verdict,
      policies,
      ...(lock && { lock: { digest: { blake3: lock.digest } } }),
      granting: report.judgements.flatMap(({ granting, line }, index) => {
        return granting === null ? [] : [{ policy: index, anchor: granting, line }]
      }),
      notChecked: report.skipped,
    },
  }
}

/** The form demands a URI, and a policy has none but its content. */
function policyOf(blake3: string) {
  return {
    name: 'trust-policy.toml',
    uri: `urn:runloop:trust-policy:${digestText(blake3)}`,
    digest: { blake3 },
  }
}

/**
 * sha256 of each envelope and each Sigstore bundle that a policy required.
 *
 * @param agent `name` or `name@variant`
 */
function countedInputs(
  { attestations, keyless, policies, allowDev, now }: TrustContext,
  manifest: Evidence['manifest'],
  agent: string,
) {
  const found = policies.flatMap(read => {
    const { policy, root } = ownMembers(read)
    if (policy === undefined) return []
    const believed = believedIn(policy, { attestations, manifest, keyless, root }, { allowDev, now })
    return believed.flatMap(one => (isRequired(policy, one, agent) ? bytesAt(attestations, one.where) : []))
  })
  return [...new Set(found.map(bytes => hash('sha256', bytes, 'hex')))]
}

/** An envelope or a Sigstore bundle. Each has a place of its own. */
function bytesAt(attestations: Attestations | undefined, place: string): readonly Uint8Array[] {
  const all = [...(attestations?.envelopes ?? []), ...(attestations?.keyless?.bundles ?? [])]
  return all.filter(({ where }) => where === place).map(({ bytes }) => bytes)
}

export interface StatedSummary extends StatedAbout {
  /** SLSA verification summary, version 1. */
  readonly summary: Summary
  readonly report: Report
}

/** @param verified a bundle that is trusted. @throws RlpError as signing and writing do */
export async function stateSummary(
  target: Target,
  { report, trust, about }: Verified,
  facts: SummaryFacts,
  sign: SignStated,
): Promise<StatedSummary> {
  const summary = statedSummary(report, trust, about.manifest, facts)
  return { summary, report, ...(await sign({ name: 'summary', about, predicate: summary, target })) }
}
