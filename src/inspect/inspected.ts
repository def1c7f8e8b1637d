// Collects everything about an examined bundle that a reviewer needs, as data: tools, needs, signers, and statements that came with it.
// Signers have the names that the trust policies of this host give them.

import { hash } from 'node:crypto'
import { type Denial, denials, effectivePolicy, type SoundOverride } from '../caps/effective.ts'
import {
  type Restriction,
  type RestrictionReason,
  restricted,
  restrictionsIn,
  type SafetyFacts,
  safetyIn,
  type ToolWords,
  wordsIn,
} from '../caps/interface-records.ts'
import { usable } from '../caps/overrides.ts'
import { type Agent, MANIFEST_FILE } from '../model/agent.ts'
import type { LookedInto } from '../model/attestation.ts'
import type { CheckedKeyless } from '../model/keyless.ts'
import { ownMembers } from '../model/own.ts'
import type { Report } from '../model/report.ts'
import type { Tool } from '../model/tools.ts'
import type { TrustContext } from '../model/trust.ts'
import type { Need } from '../policy/need.ts'
import { needsOf } from '../policy/needs.ts'
import { isSchemaFile } from '../schema/reference.ts'
import { fingerprintOfAnchor } from '../signature/ssh.ts'
import { type ShownFields, shownFields } from '../statement/predicates/index.ts'
import { transportKind } from '../tools/transports/index.ts'
import { believedIn, isRequired } from '../trust/believed.ts'
import { isMeantAsIdentity } from '../trust-policy/identity-string.ts'
import { referenceText } from '../version/reference.ts'
import { readableMay } from './diff.ts'
import type { SeenBundle } from './look-into.ts'
import { permissionLines } from './permission-lines.ts'

export interface InspectedNeed {
  readonly capability: string
  readonly from: 'declared' | 'implied'
  readonly granted: boolean
  readonly reason: string | null
  /** What does not grant it: policy.caps, or an override; null if several together do not, or if it is granted. */
  readonly by: string | null
}

export interface InspectedTool {
  readonly id: string
  readonly description: string
  /** What interfaces.json says of it for people; left out if it says nothing. */
  readonly uiSummary?: string
  readonly activityDescription?: string
  readonly kind: Tool['transport']['kind']
  /** The command line, or method and url. */
  readonly target: string
  /** `https://host:port`, normalised; null for a program, or if the url cannot be read. */
  readonly reaches: string | null
  /** By tools.json, or by a record of interfaces.json. */
  readonly requiresConfirmation: boolean
  readonly needs: readonly InspectedNeed[]
  /** Whether everything that it needs is granted here, and no record withholds it. */
  readonly exposed: boolean
  /** Why a record of interfaces.json withholds it; null if none does. */
  readonly restricted: RestrictionReason | null
  /** Its safety facts, unchanged from interfaces.json; null if it has none. */
  readonly safety: SafetyFacts | null
  readonly schemas: { readonly input: unknown; readonly result: unknown }
}

export interface Inspected {
  readonly signers: readonly InspectedSigner[]
  /** Null if policy.caps, tools.json or the manifest cannot be read. */
  readonly permissions: readonly string[] | null
  readonly tools: readonly InspectedTool[] | null
  /** Files below schemas/. */
  readonly schemas: readonly string[]
  /** What others state about it, where anything came with it. */
  readonly statements?: readonly InspectedStatement[]
  /** Keyless signatures and statements that came with it, proven or not; left out where none did. */
  readonly keyless?: readonly CheckedKeyless[]
}

export function inspectSeen(seen: SeenBundle): Inspected {
  const { report, trust, agent, keyless = ownMembers(seen.report).keyless } = ownMembers(seen)
  const { policy, tools } = agent ?? {}
  const { sound, reasons } = usable(trust.overrides)
  // With an unusable override, what remains is unknown.
  const effective = policy === undefined || reasons.length > 0 ? undefined : effectivePolicy(policy, sound)
  const fileAt = (path: string) => agent?.documents.get(path)?.value
  const restrict = restrictionsIn(fileAt)
  const safetyOf = safetyIn(fileAt)
  const wordsOf = wordsIn(fileAt)
  const may = readableMay(agent)
  const statements = inspectedStatements(agent, trust)
  return {
    signers: signersOf(report),
    permissions: may === undefined ? null : permissionLines(may),
    tools:
      tools?.tools.map(tool =>
        inspectTool(
          tool,
          effective && denials(tool, effective),
          restrict(tool.id),
          safetyOf(tool.id),
          wordsOf(tool.id),
        ),
      ) ?? null,
    schemas: schemaFiles(agent),
    ...(statements.length > 0 && { statements }),
    ...(keyless && { keyless }),
  }
}

/** The overrides on this host. None if one of them cannot be used: what is left is unknown then, and a page tells what is signed. */
export function overridesOf({ trust }: Pick<SeenBundle, 'trust'>): readonly SoundOverride[] {
  const { sound, reasons } = usable(trust.overrides)
  return reasons.length > 0 ? [] : sound
}

/** @param missing undefined if it is unknown */
function inspectTool(
  tool: Tool,
  missing: readonly Denial[] | undefined,
  restriction: Restriction,
  safety: SafetyFacts | null,
  { summary, activity }: ToolWords,
): InspectedTool {
  const { id, description, transport, inputSchema, resultSchema } = tool
  const withheld = restriction.reason ?? null
  const kind = transportKind(transport)
  const denials = new Map(missing?.map(denial => [keyOf(denial.need), denial]))
  const reach = kind.need.reach(transport)
  return {
    id,
    description,
    ...(summary !== undefined && { uiSummary: summary }),
    ...(activity !== undefined && { activityDescription: activity }),
    kind: transport.kind,
    target: kind.shown.target(transport),
    reaches: reach && !('problem' in reach) ? `${reach.scheme}://${reach.host}:${reach.port}` : null,
    requiresConfirmation: restricted(tool, restriction).requiresConfirmation,
    needs: needsOf(tool).map(need => {
      const { capability, from } = need
      const denied = denials.get(keyOf(need))
      const granted = missing !== undefined && denied === undefined
      const reason = missing === undefined ? 'override_unusable' : (denied?.reason ?? null)
      return { capability, from, granted, reason, by: denied?.by ?? null }
    }),
    exposed: missing?.length === 0 && withheld === null,
    restricted: withheld,
    safety,
    schemas: { input: inputSchema, result: resultSchema },
  }
}

/** Needs of one key are denied alike. */
function keyOf({ capability, from }: Need): string {
  return `${from} ${capability}`
}

function schemaFiles(agent: Agent | undefined): string[] {
  return agent?.files.list.map(({ path }) => path).filter(isSchemaFile) ?? []
}

/** What a provenance that is believed names is under `provenance`. */
export interface InspectedStatement extends Partial<ShownFields> {
  /** The line of the file, or the digest of what holds it in a registry. */
  readonly where: string
  /** Its `predicateType`; null where nothing of it is believed, and so nothing was parsed. */
  readonly type: string | null
  /** Anchors that attested it. */
  readonly by: readonly string[]
  /** `counts`: a policy requires it. `believed`: no policy does. `not checked`: no key that attests here has signed it for this bundle. */
  readonly result: 'counts' | 'believed' | 'not checked'
  readonly detail: string
}

/** Nothing where nothing came with it. */
export function inspectedStatements(
  agent: Agent | undefined,
  { attestations, keyless, policies, allowDev, now }: TrustContext,
): readonly InspectedStatement[] {
  if (attestations === undefined) return []
  const { label, envelopes, problem } = attestations
  const unread = problem === undefined ? [] : [{ where: label, ...NOT_CHECKED, detail: problem.message }]
  const manifest = agent?.files.get(MANIFEST_FILE)
  const { bytes = new Uint8Array(), digest: blake3 = '' } = manifest ?? {}
  const about = { blake3, sha256: hash('sha256', bytes, 'hex') }
  const { name = '', variant } = agent?.manifest ?? {}
  const reference = referenceText({ name, variant })
  const looked = policies.flatMap(({ policy, root }) => {
    const evidence = { attestations, manifest: about, keyless, root }
    return policy === undefined ? [] : [{ policy, found: believedIn(policy, evidence, { allowDev, now }) }]
  })
  const byIdentities = keyless?.list.filter(({ states }) => states !== undefined) ?? []
  const stated = [...envelopes, ...byIdentities].map(({ where }): InspectedStatement => {
    const each = looked.flatMap(({ policy, found }) => {
      const one = found.find(one => one.where === where)
      return one === undefined ? [] : [{ one, counts: isRequired(policy, one, reference) }]
    })
    const counting = each.find(({ counts }) => counts)
    const believed = each.find(({ one }) => one.problem === undefined)
    const best = counting ?? believed ?? each[0]
    if (best === undefined) return { where, ...NOT_CHECKED, detail: 'there is no trust policy' }
    return { where, ...statementFacts(best.one, counting !== undefined) }
  })
  return [...stated, ...unread]
}

const NOT_CHECKED = { type: null, by: [], result: 'not checked' } as const

function statementFacts(
  { by, statement, problem }: LookedInto,
  counts: boolean,
): Omit<InspectedStatement, 'where'> {
  const type = statement?.predicateType ?? null
  if (problem !== undefined) return { type, by, result: 'not checked', detail: problem }
  const fields = statement === undefined ? {} : shownFields(statement)
  return counts
    ? { type, by, result: 'counts', detail: 'a trust policy requires it', ...fields }
    : { type, by, result: 'believed', detail: 'no trust policy requires it', ...fields }
}

export interface InspectedSigner {
  /** An anchor string, or that of an identity. */
  readonly keyid: string
  /** `SHA256:…`, as `ssh-keygen -l` prints it; null for an identity. */
  readonly sshFingerprint: string | null
  readonly result: 'valid' | 'invalid'
  /** The names in the trust policies; no other name for a key means anything. */
  readonly anchors: readonly string[]
}

export function signersOf({ signatures, judgements }: Report): InspectedSigner[] {
  const named = judgements.flatMap(({ signers }) => signers)
  const anchorsOf = (keyid: string) => {
    const names = named.flatMap(({ signer, anchor }) => (signer === keyid && anchor ? [anchor] : []))
    return [...new Set(names)]
  }
  // An identity is a signer only under a policy that names it.
  const identities = new Set(named.flatMap(({ signer }) => (isMeantAsIdentity(signer) ? signer : [])))
  const signer = (keyid: string, result: InspectedSigner['result']): InspectedSigner => {
    return { keyid, sshFingerprint: fingerprintOfAnchor(keyid), result, anchors: anchorsOf(keyid) }
  }
  return [
    ...signatures.map(({ keyid, result }) => signer(keyid, result)),
    ...[...identities].map(keyid => signer(keyid, 'valid')),
  ]
}
