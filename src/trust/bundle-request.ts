// A bundle → the rule that it asks for, and the signatures that it has. A person has to review what another author's file proposes.

import { type AttestationsGiven, attestationsOf } from '../io/bundle/read-attestations.ts'
import { bundlesIn } from '../io/find/find-bundles.ts'
import type { Target } from '../io/find/search-folders.ts'
import { accessFrom, type Setting } from '../io/setting.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { ownMembers } from '../model/own.ts'
import type { Ceiling } from '../model/trust.ts'
import { isOciReference } from '../oci/scheme.ts'
import { writePath } from '../text/shell-words.ts'
import type { Unsaid } from '../trust-policy/rule-fields/field.ts'
import { type RuleRequest, ruleAskedBy, unsaidBy } from '../trust-policy/rule-fields/index.ts'
import { readCandidate } from '../verify/examine.ts'
import { soundBundle } from '../verify/sound.ts'
import { addedSigners } from '../verify/verify-merged.ts'
import { expectationText, meets, referenceText } from '../version/reference.ts'
import type { Editing } from './edit-policy.ts'
import type { Foreseeing } from './effect.ts'

/** What a bundle asks for, and what of it the rule does not allow. */
export interface Proposal {
  readonly rule: RuleRequest
  readonly unsaid: readonly Unsaid[]
  /** Anchor strings of the keys that signed the bundle. */
  readonly signers: readonly string[]
  readonly bundle: Foreseeing
}

/**
 * What each bundle of a place asks for.
 * @param place a bundle, or a folder of bundles
 * @throws RlpError USAGE for statements about several bundles, NOT_FOUND for a folder without one, and as {@link requestOf}
 */
export async function requestsOf(
  place: Target,
  attestations: AttestationsGiven | undefined,
  ruleThere: (agent: string) => Ceiling | undefined,
  io: Setting,
): Promise<readonly Proposal[]> {
  const targets = ownMembers(place).input === undefined ? await bundlesIn(place, io.signal) : [place]
  if (targets.length > 1 && attestations !== undefined)
    throw new UsageError(
      `Cannot use attestations for "${place.label}": ${targets.length} bundles are there, and they are about one`,
      { field: 'attestations', hint: 'Leave it out: the file beside each bundle is read' },
    )
  const all: Proposal[] = []
  for (const target of targets) all.push(await requestOf(target, attestations, ruleThere, io))
  return all
}

/**
 * @param target its path may be a reference
 * @param ruleThere the rule that an agent has already
 * @throws RlpError NOT_VERIFIED for one that is not sound
 */
async function requestOf(
  target: Target,
  attestations: AttestationsGiven | undefined,
  ruleThere: (agent: string) => Ceiling | undefined,
  io: Setting,
): Promise<Proposal> {
  const { path, label } = target
  const reading = { signal: io.signal, label, access: accessFrom(io) }
  const attested = await attestationsOf(path, attestations)
  const unsigned = attested?.keyless !== undefined
  const { candidate, expect } = await readCandidate(path, { ...reading, unsigned }, 'parsed')
  const { report, agent } = await soundBundle(candidate, 'propose a rule for', io.signal)
  const { policy } = agent ?? {}
  if (policy === undefined || report.agent === null)
    throw new TypeError('a sound bundle has a name and a policy')
  // A registry could hand over another agent, which asks for more.
  if (isOciReference(path) && expect !== 'any' && !meets(report.agent, expect)) {
    throw new RlpError(
      'NOT_VERIFIED',
      `Cannot propose a rule for "${label}": it is not ${expectationText(expect)}`,
      {
        hint: 'Look into it with rlp agent inspect',
      },
    )
  }
  const signers = [...report.signatures.map(({ keyid }) => keyid), ...addedSigners(candidate)]
  const reference = referenceText(report.agent)
  // Exactly what policy.caps asks for, for exactly this agent; never `any`.
  return {
    rule: ruleAskedBy(policy, reference),
    unsaid: unsaidBy(policy, ruleThere(reference)),
    signers,
    bundle: { candidate, attested },
  }
}

/**
 * A rule for a bundle that the signer has not signed would not make it trusted. A dry run says so, and what the verdict will be.
 * @throws RlpError NOT_VERIFIED
 */
export function sayUnsigned(
  { signers, bundle }: Proposal,
  { name, keys }: { readonly name: string; readonly keys: readonly string[] },
  { dryRun, tell }: Editing,
): void {
  if (keys.some(key => signers.includes(key))) return
  const { label } = bundle.candidate
  const state = signers.length === 0 ? 'it is unsigned' : `it is not signed with a key of ${name}`
  if (!dryRun) {
    throw new RlpError('NOT_VERIFIED', `Cannot let "${name}" grant what "${label}" asks: ${state}`, {
      hint: `Sign it first with rlp agent sign, or name the signer whose key it is signed with; rlp agent verify ${writePath(label)} shows the signatures`,
    })
  }
  tell?.(`${label}: ${state}; outside of a dry run this is refused`)
}
