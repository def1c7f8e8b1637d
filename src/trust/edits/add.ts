// trust add: a signer, more keys of one, or what one may grant. Adding never takes anything away.
import { valueAt } from '../../json/pointer.ts'
import type { Identity } from '../../model/anchor.ts'
import { RlpError } from '../../model/error.ts'
import type { TrustedRootName } from '../../model/keyless.ts'
import { ownMembers } from '../../model/own.ts'
import type { TrustPolicy } from '../../model/trust.ts'
import { doubleQuoted } from '../../text/double-quoted.ts'
import type { TomlChange } from '../../toml/edit.ts'
import { listLiteral, tableLiteral } from '../../toml/write.ts'
import type { AnchorRequest, RefuseChange } from '../../trust-policy/anchor-fields/field.ts'
import { anchorEntries, grownAnchor, newAnchor } from '../../trust-policy/anchor-fields/index.ts'
import { isAnchorName, maySign } from '../../trust-policy/anchors.ts'
import { areAlike } from '../../trust-policy/identity-members.ts'
import { identityString } from '../../trust-policy/identity-string.ts'
import { isRevoked, revocationOf } from '../../trust-policy/revoked.ts'
import { type RuleRequest, ruleChanges, ruleEntries } from '../../trust-policy/rule-fields/index.ts'
import { placedRules, ruleLines, widenedRules } from '../rule.ts'
import type { Edited, EditKind } from './edit.ts'

export interface AddChange extends AnchorRequest {
  readonly do: 'add'
  readonly name: string
  /** What the signer may grant in addition, one rule after the other. */
  readonly rules?: readonly RuleRequest[]
  /** The authorities that prove an identity, where the policy names none yet. */
  readonly trustedRoot?: TrustedRootName | undefined
}

/** Where a trusted root comes from. */
export const NAME_A_ROOT =
  'Name the file of the authorities with `trustedRoot`; cosign trusted-root create and gh attestation trusted-root write one (docs/trust.md#identities)'

const ONE_AGENT_EACH =
  'Make a list of the rule by hand, with one rule for each group of agents (docs/trust.md#a-team-and-its-agents), or name every agent of the rule'

const ATTESTS =
  'A rule is for anchors whose use is sign. Leave the rule out, or give the signer both uses, sign and attest, with `use`'

export const addEdit: EditKind<AddChange> = {
  after(policy, change, file) {
    const { name, key, identity, rules: request = [] } = ownMembers(change)
    if (!isAnchorName(name)) {
      throw new RlpError(
        'USAGE',
        `Cannot call an anchor "${name}": it has other characters than letters, digits, _ and -`,
        {
          hint: 'Choose a name such as release',
        },
      )
    }
    const refuse = (code: 'EXISTS' | 'NOT_FOUND' | 'NOT_EDITABLE', state: string, hint: string) =>
      new RlpError(code, `Cannot add "${name}" to ${file}: ${state}`, { hint })
    const old = policy.anchors.find(anchor => anchor.name === name)
    if (old === undefined && key === undefined && identity === undefined)
      throw refuse(
        'NOT_FOUND',
        'it is no anchor yet',
        `Name the signer’s key: rlp trust add ${name} KEY; or an identity, beginning with \`issuer\``,
      )
    const owner = policy.anchors.find(anchor => key !== undefined && anchor.keys.includes(key))
    if (owner !== undefined && owner.name !== name)
      throw refuse(
        'EXISTS',
        `the key is one of ${owner.name} already`,
        'One key under two anchors could count twice',
      )
    if (key !== undefined && isRevoked(policy, key))
      throw refuse(
        'EXISTS',
        'the key is revoked',
        'A revoked key never counts. Ask the signer for the new one',
      )
    if (identity !== undefined) refuseIdentity(policy, name, identity, refuse)
    const trustedRoot = rootAfter(policy, change, refuse)
    const anchor = old === undefined ? newAnchor(name, change) : grownAnchor(old, change, refuse)
    const rules = new Map(policy.rules)
    for (const rule of request) {
      if (!maySign(anchor)) throw refuse('NOT_EDITABLE', 'it only attests, so it grants nothing', ATTESTS)
      const wider = widenedRules(rules.get(name), rule)
      if ('problem' in wider) throw refuse('NOT_EDITABLE', wider.problem, ONE_AGENT_EACH)
      rules.set(name, wider.value)
    }
    const anchors = [...policy.anchors.filter(one => one !== old), anchor]
    return { ...policy, trustedRoot, anchors, rules }
  },
  places: ({ name }, edited) => [
    ...rootPlaces(edited),
    ...anchorPlaces(name, edited),
    ...rulePlaces(name, edited),
  ],
  about(change) {
    const { name, key, identity } = ownMembers(change)
    return [
      name,
      ...(key === undefined ? [] : [key]),
      ...(identity === undefined ? [] : [identityString(identity)]),
    ]
  },
  says(change, edited) {
    const { name, rules = [] } = ownMembers(change)
    return rules.length === 0
      ? []
      : ruleLines(
          edited,
          name,
          rules.flatMap(({ agents = [] }) => agents),
        )
  },
}

/** A root that is named is never changed by adding. */
function rootPlaces({ before, after: { trustedRoot } }: Edited): TomlChange[] {
  if (trustedRoot === undefined || before.trustedRoot !== undefined) return []
  const { file, blake3 } = trustedRoot
  const literal = tableLiteral({ file: doubleQuoted(file), blake3: doubleQuoted(blake3) })
  return [{ path: ['sigstore', 'trusted_root'], literal }]
}

function anchorPlaces(name: string, { document, before, after }: Edited): TomlChange[] {
  const old = before.anchors.find(anchor => anchor.name === name)
  const now = after.anchors.find(anchor => anchor.name === name)
  const path = ['anchors', name]
  if (now === undefined) return []
  if (old === undefined) {
    const { key, ...more } = anchorEntries(now)
    const isPlain = Object.values(more).every(value => value === undefined)
    return [{ path, literal: isPlain && key !== undefined ? key : tableLiteral({ key, ...more }) }]
  }
  const added = now.keys.slice(old.keys.length)
  if (added.length === 0) return []
  const written = valueAt(document.value, path)
  if (typeof written === 'string') {
    return [{ path, literal: tableLiteral({ keys: listLiteral([written, ...added]) }) }]
  }
  const { key } = written as { readonly key?: string }
  if (key === undefined) return [{ path: [...path, 'keys'], append: added }]
  return [
    { path: [...path, 'key'], remove: true },
    { path: [...path, 'keys'], literal: listLiteral([key, ...added]) },
  ]
}

function rulePlaces(name: string, { before, after }: Edited): TomlChange[] {
  const old = before.rules.get(name)
  const rules = after.rules.get(name)
  if (rules === undefined) return []
  const path = ['rules', name]
  const known = old === undefined ? [] : placedRules(name, old)
  const now = placedRules(name, rules).map(({ rule }) => rule)
  const grown = known.flatMap(({ rule, at }, index) =>
    ruleChanges(rule, now[index] ?? rule).map(({ key, ...change }) => ({ path: [...at, key], ...change })),
  )
  const [first, ...more] = now.slice(known.length).map(ruleEntries)
  if (first === undefined) return grown
  if (old !== undefined) return [...grown, { path, tables: [first, ...more] }]
  return [{ path, literal: tableLiteral(first) }, ...(more.length === 0 ? [] : [{ path, tables: more }])]
}

/** @throws RlpError EXISTS for one that is revoked, or that one certificate could fit beside another */
function refuseIdentity(policy: TrustPolicy, name: string, identity: Identity, refuse: RefuseChange): void {
  const revocation = revocationOf(policy, identityString(identity))
  if (revocation !== undefined)
    throw refuse(
      'EXISTS',
      'the identity is revoked',
      `A revoked identity never counts. [revoked] names it as ${revocation.name}`,
    )
  const other = policy.anchors.find(
    one => one.name !== name && one.identity !== undefined && areAlike(one.identity, identity),
  )
  if (other === undefined) return
  throw refuse(
    'EXISTS',
    `one certificate could fit it and ${other.name}`,
    'Give them different refs or environments, or add the rule to the one that is there',
  )
}

/** What is named stays: another root would let other authorities vouch for every identity that is there. */
function rootAfter(
  policy: TrustPolicy,
  request: Pick<AddChange, 'identity' | 'trustedRoot'>,
  refuse: RefuseChange,
): TrustPolicy['trustedRoot'] {
  const { identity, trustedRoot: given } = ownMembers(request)
  const there = policy.trustedRoot
  if (there === undefined && given === undefined && identity !== undefined)
    throw refuse('NOT_FOUND', 'it names no trusted root, by which an identity is proven', NAME_A_ROOT)
  if (there !== undefined && given !== undefined && there.blake3 !== given.blake3)
    throw refuse(
      'EXISTS',
      `it names another trusted root, ${there.file}`,
      'Leave `trustedRoot` out. docs/trust.md#identities says how a root is renewed',
    )
  return there ?? given
}
