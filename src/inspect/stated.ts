// What came with a bundle, and the trust policies of this host → each statement about it, and whether it counts for one of them.
import { hash } from 'node:crypto'
import { type Agent, MANIFEST_FILE } from '../model/agent.ts'
import type { LookedInto } from '../model/attestation.ts'
import type { TrustContext } from '../model/trust.ts'
import { type ShownFields, shownFields } from '../statement/predicates/index.ts'
import { believedIn, isRequired } from '../trust/believed.ts'
import { referenceText } from '../version/reference.ts'

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
    return { where, ...told(best.one, counting !== undefined) }
  })
  return [...stated, ...unread]
}

const NOT_CHECKED = { type: null, by: [], result: 'not checked' } as const

function told({ by, statement, problem }: LookedInto, counts: boolean): Omit<InspectedStatement, 'where'> {
  const type = statement?.predicateType ?? null
  if (problem !== undefined) return { type, by, result: 'not checked', detail: problem }
  const fields = statement === undefined ? {} : shownFields(statement)
  return counts
    ? { type, by, result: 'counts', detail: 'a trust policy requires it', ...fields }
    : { type, by, result: 'believed', detail: 'no trust policy requires it', ...fields }
}
