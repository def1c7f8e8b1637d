// [[require]] signers: anchors and groups that must sign (docs/spec/trust-policy.md, K-47).

import type { Group } from '../../model/anchor.ts'
import type { PolicyLine, RequiredLine, SignerFact } from '../../model/report.ts'
import type { Requirements } from '../../model/trust.ts'
import { isMet } from '../anchors.ts'
import { revocationOf } from '../revoked.ts'
import { anchors, requiredSigner } from './anchors.ts'
import type { Requirement, RequirementContext } from './field.ts'

export const signers = {
  ...anchors,
  key: 'signers',
  forms: ['entry'],
  read(reader, value, at, { signing }) {
    if (value === undefined) return undefined
    const names = reader.texts(value, at, name =>
      signing.has(name) ? undefined : 'it is no anchor and no group that signs',
    )
    if (new Set(names).size !== names.length) reader.wrong(at, 'a name appears twice')
    // An empty list looks like a requirement, and requires no signature.
    if (Array.isArray(value) && value.length === 0)
      reader.wrong(at, 'it names no signer; leave it out to require none')
    return names
  },
  judge: (required = [], context, at) =>
    required.map((name, index): RequiredLine => {
      const group = context.policy.groups.find(one => one.name === name)
      if (group === undefined) return requiredSigner(name, context, [...at, index])
      return { ...groupLine(group, context), at: [...at, index], code: 'required_signature_missing' }
    }),
  shown: (required = []) => (required.length === 0 ? '' : `signed by ${required.join(' and ')}`),
  beyond(entries, than, named) {
    const known = new Set(than.flatMap(namesIn))
    return [...new Set(entries.flatMap(namesIn))]
      .filter(name => !known.has(name))
      .map(name => `signed by ${named(name)}`)
  },
  lost: (required = [], anchor) => (required.includes(anchor) ? '[[require]] names it' : undefined),
} as const satisfies Requirement<readonly string[] | undefined>

function namesIn({ anchors = [], signers = [] }: Requirements): readonly string[] {
  return [...anchors, ...signers]
}

/** Who of a group counts, and why the others do not. */
export function groupLine(
  group: Group,
  context: Pick<RequirementContext, 'policy' | 'signers' | 'counted'>,
): PolicyLine {
  const counts = group.of.filter(name => context.counted.has(name))
  const others = group.of
    .filter(name => !context.counted.has(name))
    .map(name => `${name}, ${whyNot(name, context)}`)
  const isEnough = isMet(group, context.counted)
  const parts = [
    ...(counts.length === 0 ? [] : [`counts: ${counts.join(', ')}`]),
    ...(others.length === 0 ? [] : [`does not: ${others.join('; ')}`]),
    `${counts.length} of ${group.of.length}, ${group.atLeast} needed`,
  ]
  return {
    at: ['groups', group.name],
    says: isEnough ? 'for' : 'against',
    detail: `The group ${group.name} ${isEnough ? 'counts' : 'does not count'} (${parts.join('; ')})`,
  }
}

function whyNot(name: string, { signers, policy }: Pick<RequirementContext, 'policy' | 'signers'>): string {
  const facts = signers.filter(({ anchor }) => anchor === name)
  const revoked = facts.find(({ is }: SignerFact) => is === 'revoked')
  if (revoked !== undefined) {
    const since = revocationOf(policy, revoked.signer)?.since
    return since === undefined ? 'revoked' : `revoked since ${since}`
  }
  const [fact] = facts
  if (fact === undefined) return 'who has not signed'
  return fact.why?.replace(/^, but |^ /, '') ?? fact.is
}
