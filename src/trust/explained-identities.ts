// Keyless signatures that came with a bundle, and trust policies → each identity beside the certificate that may be its own, member by member. Pure. It
// decides nothing: for people who look into why a signature does not count.

import type { Anchor } from '../model/anchor.ts'
import type { KeylessFinding, KeylessFindings } from '../model/keyless.ts'
import type { PolicySource } from '../model/trust.ts'
import { printable } from '../text/printable.ts'
import { claimsIdentity, compareIdentity } from '../trust-policy/identity-fits.ts'

export interface ExplainedIdentity {
  /** The file of the policy, and the line of the anchor. */
  readonly policy: string
  readonly line: number | null
  readonly anchor: string
  /** `line 2`, or the digest of the manifest that holds the signature. */
  readonly where: string
  readonly is: 'signature' | 'statement' | 'other'
  /** Whether the certificate names the same repository, person or subject. If none does, the anchor that has most in common is shown. */
  readonly claims: boolean
  /** Whether the authorities of this policy prove it. */
  readonly proven: boolean
  /** When, or why not. */
  readonly detail: string
  readonly members: readonly {
    readonly member: string
    readonly wanted: string
    /** Null: the certificate does not say. */
    readonly found: string | null
    readonly fits: boolean
  }[]
}

/** Strangers may add as many as they like. */
const MOST = 100
/** Characters of what a certificate says. */
const MOST_TEXT = 300

/** Those that claim an anchor first. */
export function explainedIdentities(
  keyless: KeylessFindings | undefined,
  sources: readonly PolicySource[],
): readonly ExplainedIdentity[] {
  const list = (keyless?.list ?? []).filter(({ facts }) => Object.keys(facts).length > 0)
  const all = sources.flatMap(source => {
    const named = (source.policy?.anchors ?? []).flatMap(anchor =>
      anchor.identity === undefined ? [] : [{ ...anchor, identity: anchor.identity }],
    )
    return named.length === 0 ? [] : ofPolicy(source, named, list)
  })
  return [...all.filter(({ claims }) => claims), ...all.filter(({ claims }) => !claims)].slice(0, MOST)
}

type Identified = Anchor & { readonly identity: NonNullable<Anchor['identity']> }

function ofPolicy(
  source: PolicySource,
  anchors: readonly Identified[],
  list: readonly KeylessFinding[],
): ExplainedIdentity[] {
  let room = MOST
  return list.flatMap(finding => {
    const claimed = anchors.filter(({ identity }) => claimsIdentity(identity, finding.facts))
    if (claimed.length > 0) return claimed.map(anchor => explained(source, anchor, finding, true))
    // Each is compared with every anchor, so that a few are enough.
    if (room === 0) return []
    room--
    const nearest = nearestTo(finding, anchors)
    return nearest === undefined ? [] : [explained(source, nearest, finding, false)]
  })
}

function nearestTo({ facts }: KeylessFinding, anchors: readonly Identified[]): Identified | undefined {
  let best: { readonly anchor: Identified; readonly count: number } | undefined
  for (const anchor of anchors) {
    const count = compareIdentity(anchor.identity, facts).filter(({ fits }) => fits).length
    if (best === undefined || count > best.count) best = { anchor, count }
  }
  return best?.anchor
}

function explained(
  { path, root, lineOf }: PolicySource,
  { name, identity }: Identified,
  { where, facts, proven, problem, signs, states }: KeylessFinding,
  claims: boolean,
): ExplainedIdentity {
  const result = root && proven.get(root.blake3)
  const isProven = result !== undefined && 'proof' in result
  const why = problem ?? (result !== undefined && 'problem' in result ? result.problem : NOT_ASKED)
  return {
    policy: path,
    line: lineOf(['anchors', name]) ?? null,
    anchor: name,
    where,
    claims,
    is: signs !== undefined ? 'signature' : states !== undefined ? 'statement' : 'other',
    proven: isProven && problem === undefined,
    detail: isProven && problem === undefined ? `proven at ${result.proof.time}` : printable(why, MOST_TEXT),
    members: compareIdentity(identity, facts).map(({ member, wanted, found, fits }) => ({
      member,
      fits,
      // Without a builder in the policy, what is wanted is what the certificate says elsewhere.
      wanted: printable(wanted, MOST_TEXT),
      found: found === undefined ? null : printable(found, MOST_TEXT),
    })),
  }
}

const NOT_ASKED = 'not verified: its certificate names no signer of this policy'
