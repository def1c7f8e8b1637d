// Explains what each line of each trust policy says about a bundle, which one decided, and how each identity compares with the certificate
// that may be its own. It decides nothing: it is for people who look into why a signature does not count.
import { kindAt, type Target } from '../io/find/search-folders.ts'
import type { Anchor } from '../model/anchor.ts'
import { RlpError } from '../model/error.ts'
import type { KeylessFinding, KeylessFindings } from '../model/keyless.ts'
import { ownMembers } from '../model/own.ts'
import type { PolicyJudgement, PolicyLine, Report, SignerFact } from '../model/report.ts'
import type { PolicySource, TrustPolicy } from '../model/trust.ts'
import { isOciReference } from '../oci/scheme.ts'
import { printable } from '../text/printable.ts'
import { anchorsNamed } from '../trust-policy/anchors.ts'
import { floorsFor, isBelow } from '../trust-policy/floors.ts'
import { claimsIdentity, compareIdentity } from '../trust-policy/identity-fits.ts'
import { placedRequirements, requirementsFor } from '../trust-policy/requirements/index.ts'
import { groupLine } from '../trust-policy/requirements/signers.ts'
import { closenessTo } from '../trust-policy/rule-fields/index.ts'
import { examine, type Judging } from '../verify/examine.ts'
import { bundleIdentity, referenceText } from '../version/reference.ts'
import { placedRules } from './rule.ts'

export interface Explanation {
  /** Each policy with all of its lines. */
  readonly judgements: readonly PolicyJudgement[]
  /** Keyless signatures that came with it, each beside the identity that it may be. */
  readonly identities: readonly ExplainedIdentity[]
}

/** What is said of a bundle. */
export interface ExplainedBundle
  extends Pick<
      Report,
      'target' | 'verdict' | 'agent' | 'identity' | 'signatures' | 'policies' | 'reasons' | 'warnings'
    >,
    Pick<Explanation, 'judgements'>,
    Partial<Pick<Explanation, 'identities'>> {}

/** @throws RlpError NOT_FOUND */
export async function explain(
  target: Target,
  options: Omit<Judging, 'expect' | 'label'>,
): Promise<Explanation & { readonly report: Report }> {
  const { path, label, input } = ownMembers(target)
  if (input === undefined && !isOciReference(path) && kindAt(path) === undefined)
    throw new RlpError('NOT_FOUND', `Cannot explain "${label}": no such file or folder`, {
      hint: 'Check the path',
    })
  const { verification, trust } = await examine(input ?? path, { ...options, expect: 'any', label }, 'parsed')
  const { report } = verification
  const judgements = withOtherLines(report, trust.policies)
  return { report, judgements, identities: explainedIdentities(trust.keyless, trust.policies) }
}

/** The members of an answer to a program. */
export function explainedFacts(report: Report, { judgements, identities }: Explanation): ExplainedBundle {
  const { target, verdict, agent, identity } = report
  const { signatures, policies, reasons, warnings } = ownMembers(report)
  return {
    target,
    verdict,
    agent,
    identity,
    signatures,
    policies,
    judgements,
    reasons,
    ...(identities.length > 0 && { identities }),
    ...(warnings && { warnings }),
  }
}

/** Each policy with all of its lines, those that did not have to be asked last. */
function withOtherLines(
  { agent, judgements }: Report,
  sources: readonly PolicySource[],
): readonly PolicyJudgement[] {
  return judgements.map(judgement => {
    const { policy, lineOf } = sources.find(({ path }) => path === judgement.policy) ?? {}
    if (policy === undefined || lineOf === undefined || agent === null) return judgement
    const { lines, signers, counted } = judgement
    const about = { agent: referenceText(agent), version: agent.version }
    const facts = signers as readonly SignerFact[]
    const said = new Set(lines.map(({ line }) => line))
    const others = otherLines(policy, { ...about, signers: facts, counted })
      .map(({ at, says, detail }) => ({ line: lineOf(at) ?? null, says, detail }))
      .filter(({ line }) => !said.has(line))
    return { ...judgement, lines: [...lines, ...others] }
  })
}

/** The bundle, and who counts. */
interface Looked {
  /** `name` or `name@variant`. */
  readonly agent: string
  readonly version: string
  readonly signers: readonly SignerFact[]
  /** Names of the anchors that count. */
  readonly counted: readonly string[]
}

/** In the order of the tables. A line that decided is among them too; the caller has it already. */
function otherLines(policy: TrustPolicy, looked: Looked): PolicyLine[] {
  return [
    ...anchorLines(policy, looked),
    ...groupLines(policy, looked),
    ...ruleLinesOf(policy, looked),
    ...entryLines(policy, looked),
    ...floorLines(policy, looked),
    ...[...policy.revokedKeys.keys()].map(key => neutral(['revoked', key], 'This key has not signed')),
    ...[...policy.revokedBundles.keys()].map(digest =>
      neutral(['revoked', bundleIdentity(digest)], 'It is another bundle'),
    ),
  ]
}

function neutral(at: PolicyLine['at'], detail: string): PolicyLine {
  return { at, says: 'neutral', detail }
}

function anchorLines({ anchors }: TrustPolicy, { signers }: Looked): PolicyLine[] {
  return anchors
    .filter(({ name }) => signers.every(({ anchor }) => anchor !== name))
    .map(({ name, use }) =>
      neutral(['anchors', name], use.includes('sign') ? `${name} has not signed` : `${name} only attests`),
    )
}

function groupLines(policy: TrustPolicy, { signers, counted }: Looked): PolicyLine[] {
  const context = { policy, signers, counted: anchorsNamed(policy.anchors, counted) }
  // What is not required decides nothing.
  return policy.groups.map(group => ({ ...groupLine(group, context), says: 'neutral' }))
}

function ruleLinesOf({ rules }: TrustPolicy, { agent, counted }: Looked): PolicyLine[] {
  return [...rules].flatMap(([name, all]) =>
    placedRules(name, all).map(({ rule, at }) => {
      if (closenessTo(rule, agent) === undefined)
        return neutral(at, `This rule of ${name} is for other agents`)
      return neutral(
        at,
        counted.includes(name)
          ? `Another rule of ${name} names the agent more closely`
          : `${name} does not count, or no rule was asked`,
      )
    }),
  )
}

function entryLines({ require }: TrustPolicy, { agent }: Looked): PolicyLine[] {
  const covering = new Set(requirementsFor(require, agent).map(({ entry }) => entry))
  return placedRequirements(require)
    .filter(({ entry }) => !covering.has(entry))
    .map(({ at }) => neutral(at, 'This entry is for other agents'))
}

function floorLines(policy: TrustPolicy, { agent, version }: Looked): PolicyLine[] {
  const covering = floorsFor(policy, agent)
  return [...policy.floors].map(([agents, floor]) => {
    const found = covering.find(one => one.agents === agents)
    const at = ['floors', agents]
    if (found === undefined) return neutral(at, 'This floor is for other agents')
    return isBelow(found, version)
      ? { at, says: 'against', detail: `Version ${version} is older than ${floor}, the floor of ${agents}` }
      : { at, says: 'for', detail: `Version ${version} is not older than ${floor}, the floor of ${agents}` }
  })
}

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
