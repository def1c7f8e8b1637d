// Edits a trust policy in place. The new text is read again and compared with the intended policy before it may be written.
import { isDeepStrictEqual } from 'node:util'
import type { Anchor } from '../model/anchor.ts'
import type { Document } from '../model/document.ts'
import { RlpError } from '../model/error.ts'
import type { TrustedRootName } from '../model/keyless.ts'
import type { Ceiling, TrustPolicy } from '../model/trust.ts'
import { changeToml } from '../toml/edit.ts'
import { identityString } from '../trust-policy/identity-string.ts'
import { parseTrustPolicy } from '../trust-policy/parse.ts'
import { readTrustPolicy } from '../trust-policy/policy.ts'
import { editOf, type TrustChange } from './edits/index.ts'
import { ruleFor } from './rule.ts'

/** The first lines of a new policy. */
export const NEW_POLICY =
  '# Whose signatures count here, and what each signer may grant. rlp trust list shows it, docs/trust.md explains it.\n'

/**
 * @param document the policy's file; {@link NEW_POLICY} if it does not exist yet
 * @throws RlpError NOT_EDITABLE if it is malformed or would be, EXISTS, NOT_FOUND, USAGE
 */
export function editTrustPolicy(document: Document, change: TrustChange): string {
  const policy = policyOf(document)
  const edit = editOf(change)
  const after = edit.after(policy, change, document.path)
  if (isSame(policy, after)) return document.text
  const places = edit.places(change, { document, before: policy, after })
  // A list gets its first table before it gets more.
  const rounds = [places.filter(place => !('tables' in place)), places.filter(place => 'tables' in place)]
  let edited = document
  for (const round of rounds) if (round.length > 0) edited = changeToml(edited, round, parseTrustPolicy)
  const read = readTrustPolicy(edited)
  if (read.ok && isSame(read.policy, after)) return edited.text
  const problem = read.ok ? undefined : read.problems[0]?.message
  throw new RlpError(
    'NOT_EDITABLE',
    `Cannot edit ${document.path}: ${problem ?? 'the result would not match the change'}`,
    { hint: problem === undefined ? 'Edit the file by hand' : 'Change that first, by hand' },
  )
}

/** What signatures of an anchor are by: all its keys, or its identity. Undefined if there is no such anchor. */
export function signersOfAnchor(document: Document, name: string): readonly string[] | undefined {
  const anchor = anchorInDocument(document, name)
  return anchor?.identity === undefined ? anchor?.keys : [identityString(anchor.identity)]
}

export function anchorInDocument(document: Document, name: string): Anchor | undefined {
  return anchorsInDocument(document).find(anchor => anchor.name === name)
}

export function anchorsInDocument(document: Document): readonly Anchor[] {
  return policyOf(document).anchors
}

/** The root that the policy names. */
export function rootInDocument(document: Document): TrustedRootName | undefined {
  return policyOf(document).trustedRoot
}

/** The rule of an anchor that applies to an agent. */
export function ruleInDocument(document: Document, anchor: string, agent: string): Ceiling | undefined {
  const rules = policyOf(document).rules.get(anchor)
  return rules && ruleFor(anchor, rules, agent)?.rule
}

function policyOf(document: Document): TrustPolicy {
  const read = readTrustPolicy(document)
  if (read.ok) return read.policy
  const [problem] = read.problems
  throw new RlpError('NOT_EDITABLE', `Cannot edit ${document.path}: it is malformed: ${problem?.message}`, {
    hint: 'Correct it by hand; rlp trust list names every line',
  })
}

/** The order of anchors in the text has no meaning. */
function isSame(a: TrustPolicy, b: TrustPolicy): boolean {
  const byName = (policy: TrustPolicy) => ({
    ...policy,
    anchors: new Map(policy.anchors.map(anchor => [anchor.name, anchor])),
  })
  return isDeepStrictEqual(byName(a), byName(b))
}
