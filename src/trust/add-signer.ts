// A signer, or a rule for one → the policy with it. The key comes from the caller, never from a bundle; an identity from one only if it is proven.

import type { AttestationsGiven } from '../io/bundle/read-attestations.ts'
import type { Target } from '../io/find/search-folders.ts'
import { UsageError } from '../model/error.ts'
import type { AnchorOf } from '../sign/keys.ts'
import { writeWords } from '../text/shell-words.ts'
import type { AnchorRequest } from '../trust-policy/anchor-fields/field.ts'
import type { Unsaid } from '../trust-policy/rule-fields/field.ts'
import { isWide, type RuleRequest } from '../trust-policy/rule-fields/index.ts'
import { requestsOf } from './bundle-request.ts'
import { ruleInDocument } from './edit.ts'
import {
  carryOutEdit,
  type EditedPolicy,
  type Editing,
  openPolicy,
  type PlannedEdit,
  type PolicyChanges,
} from './edit-policy.ts'
import { verdictsUnder } from './effect.ts'
import { type SignerRequest, signerOf } from './new-signer.ts'

interface AddingSigner extends SignerRequest {
  /** What else is said of it. */
  readonly anchor: Omit<AnchorRequest, 'key' | 'identity' | 'isFurtherKey'>
  /** One more key of a signer who is there. */
  readonly isFurtherKey: boolean
  readonly rule: RuleRequest | undefined
  /** A bundle whose rule and identity are proposed, or a folder of such bundles. */
  readonly bundle: Target | undefined
  /** What others state about that. */
  readonly attestations: AttestationsGiven | undefined
}

/** What `mayGrant` is asked. */
export interface TrustGrant extends PolicyChanges {
  /** Why this needs a yes: the rule is wide, or a bundle proposes it. */
  readonly why: string
}

/** What a person is asked. */
export interface GrantQuestion extends PlannedEdit {
  /** Why a person has to say yes. */
  readonly why: string
}

/**
 * @param mayGrant asks a person whether the signer may grant what a bundle proposes, or what is wide; throws if the answer is no. Undefined is
 * a yes
 * @throws RlpError USAGE, EXISTS, NOT_FOUND, NOT_EDITABLE, NOT_VERIFIED
 */
export async function addSigner(
  request: AddingSigner,
  editing: Editing,
  anchorOf: AnchorOf,
  mayGrant: ((question: GrantQuestion) => Promise<void>) | undefined,
): Promise<EditedPolicy> {
  const { name, bundle, anchor, isFurtherKey } = request
  refuseTogether(request)
  const policy = await openPolicy(editing)
  const ruleThere = (agent: string) => ruleInDocument(policy.document, name, agent)
  const { io } = editing
  const requests = bundle === undefined ? [] : await requestsOf(bundle, request.attestations, ruleThere, io)
  const rules = request.rule === undefined ? requests.map(({ rule }) => rule) : [request.rule]
  const { key, identity, root, said, isProposed } = await signerOf(request, policy, requests, anchorOf)
  if (key === undefined && identity === undefined && rules.length === 0) {
    throw new UsageError('Cannot add: there is neither a key nor an identity nor a rule', {
      hint: `Name the signer’s key: rlp trust add ${name} KEY`,
    })
  }
  for (const line of new Set(requests.flatMap(({ unsaid }) => unsaid.map(unsaidLine)))) editing.tell?.(line)
  const trustedRoot = root && { file: root.name, blake3: root.blake3 }
  const change = { do: 'add', name, isFurtherKey, ...anchor, key, identity, trustedRoot, rules } as const
  const isAsked = requests.length > 0 || rules.some(isWide)
  const why = whyAsked(requests.length, isProposed)
  const around = { ...io, home: editing.home }
  return carryOutEdit(policy, {
    change,
    root,
    said,
    confirm: isAsked && mayGrant ? planned => mayGrant({ ...planned, why }) : undefined,
    foresee: edited => verdictsUnder(requests, edited, policy.file, around),
  })
}

function unsaidLine({ text, words }: Unsaid): string {
  return words === undefined ? text : `${text}; ${writeWords(words)} adds it`
}

function whyAsked(bundles: number, isProposed: boolean): string {
  if (bundles === 0) return 'the rule is wide'
  const proposed = isProposed ? 'the identity and the rule are' : 'the rule is'
  return bundles === 1 ? `${proposed} proposed by a bundle` : `${bundles} bundles propose the rules`
}

function refuseTogether({ rule, bundle, attestations }: AddingSigner): void {
  if (bundle === undefined && attestations !== undefined)
    throw new UsageError('Cannot use attestations: no bundle is named that they are about', {
      field: 'attestations',
      hint: 'Name the bundle with `for`, or leave them out',
    })
  if (rule !== undefined && bundle !== undefined)
    throw new UsageError('Cannot add the rule of a bundle together with another one', {
      field: 'for',
      hint: 'Take what the bundle asks first, then add to it in a second step',
    })
}
