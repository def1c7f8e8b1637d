// Checks the members of an identity, for a policy that is read, an option that is typed, and a certificate that proposes one
// (docs/spec/trust-policy.md, K-15). Two identities that one certificate could fit are refused: it would count for two anchors (K-16).
import { type Anchor, IDENTITY_MEMBERS, type Identity, type IdentityMember } from '../model/anchor.ts'
import { quoteText } from '../text/quote.ts'
import type { TableReader } from '../toml/closed-table.ts'

/** Their certificates name a repository, so a subject alone would leave out which workflow may sign. */
const OF_PIPELINES = ['https://token.actions.githubusercontent.com', 'https://gitlab.com']

/** A member of an identity, or its issuer. */
export type IdentityName = 'issuer' | IdentityMember
export type IdentityTexts = { readonly [name in IdentityName]?: string }

export const IDENTITY_NAMES: readonly IdentityName[] = ['issuer', ...IDENTITY_MEMBERS]

/** What an identity names, in the order in which it is written. */
export function identityRows(
  identity: Identity | undefined,
): (readonly [name: IdentityName, text: string])[] {
  return IDENTITY_NAMES.flatMap(name => {
    const text = identity?.[name]
    return text === undefined ? [] : [[name, text] as const]
  })
}

interface IdentityProblem {
  /** Undefined: it is about all of it. */
  readonly name?: IdentityName
  readonly message: string
  readonly part?: 'key'
}

/**
 * @param names what is there, of whatever type
 * @param texts those that are texts
 * @param spelled how a person writes it
 */
export function identityProblems(
  names: readonly IdentityName[],
  texts: IdentityTexts,
  spelled: (name: IdentityName) => string = name => name,
): IdentityProblem[] {
  const problems: IdentityProblem[] = names.flatMap(name => {
    const text = texts[name]
    const message = text === undefined ? undefined : textProblem(name, text)
    return message === undefined ? [] : [{ name, message }]
  })
  const has = (name: IdentityName) => names.includes(name)
  if (!has('issuer')) {
    const [name = 'issuer'] = names
    problems.push({ name, part: 'key', message: `an identity names its ${spelled('issuer')}` })
  }
  const needed: readonly (readonly IdentityName[])[] = has('repository_id')
    ? [['workflow'], ['ref', 'environment']]
    : [['repository_id', 'email', 'subject']]
  for (const some of needed)
    if (!some.some(has))
      problems.push({ message: `an identity of this kind names its ${some.map(spelled).join(' or ')}` })
  const members = names.filter(name => name !== 'issuer')
  const kinds = members.filter(name => ['repository_id', 'email', 'subject'].includes(name))
  const [kind, another] = kinds
  const stray = kind === 'repository_id' ? another : members.find(name => name !== kind)
  if (kind !== undefined && stray !== undefined)
    problems.push({ name: stray, part: 'key', message: `an identity with ${spelled(kind)} has none` })
  if (has('builder') !== has('builder_digest'))
    problems.push({ message: `${spelled('builder')} and ${spelled('builder_digest')} belong together` })
  if (has('subject') && OF_PIPELINES.includes(texts.issuer ?? '')) {
    const instead = `${spelled('repository_id')}, ${spelled('workflow')} and ${spelled('ref')}`
    problems.push({
      name: 'subject',
      part: 'key',
      message: `this issuer names repositories: write ${instead}`,
    })
  }
  return problems
}

function textProblem(key: IdentityName, text: string): string | undefined {
  if (text === '') return 'it is empty'
  const exact = key === 'ref' ? text.replace(/\*$/, '') : text
  if (exact.includes('*'))
    return key === 'ref' ? 'a * is at its end only' : `${quoteText(text)} has a *: write the whole text`
  if (exact === '') return 'it has nothing before the *'
  // Its string is compared with texts that people wrote, so it has no blank.
  if (key === 'issuer' && !/^https:\/\/[^\s/]\S*$/.test(text)) return 'an issuer is an https URL'
  // A certificate has one slash or two before it: with another one here it could be that of two identities.
  if (key === 'workflow' && text.startsWith('/'))
    return 'it is a path in the repository, without a slash before it'
  if (key === 'email' && !/^[^\s@]+@[^\s@]+$/.test(text)) return 'it is no email address'
  if (key === 'subject' && !/^[A-Za-z][A-Za-z0-9+.-]*:\S+$/.test(text)) return 'it is no URI'
  return undefined
}

export function refuseAlike(reader: TableReader, anchors: readonly Anchor[]): void {
  const alike = new Map<string, { readonly name: string; readonly identity: Identity }[]>()
  for (const { name, identity } of anchors) {
    if (identity === undefined) continue
    const key = nameOf(identity)
    const others = alike.get(key) ?? []
    const other = others.find(one => couldBeOne(one.identity, identity))
    if (other !== undefined)
      reader.wrong(
        ['anchors', name],
        `one certificate could fit it and ${other.name}: give them different refs or environments`,
      )
    others.push({ name, identity })
    alike.set(key, others)
  }
}

/** Whether one certificate could fit both. */
export function areAlike(one: Identity, two: Identity): boolean {
  return nameOf(one) === nameOf(two) && couldBeOne(one, two)
}

function nameOf({ issuer, repository_id, workflow, email, subject }: Identity): string {
  return JSON.stringify([issuer, repository_id, workflow, email, subject])
}

/** What an identity means by a trigger that it does not name. */
export const USUAL_TRIGGERS = ['push', 'release', 'schedule', 'workflow_dispatch'] as const

function couldBeOne(one: Identity, two: Identity): boolean {
  return IDENTITY_MEMBERS.every(member => areCompatible(member, one[member], two[member]))
}

function areCompatible(member: IdentityMember, one: string | undefined, two: string | undefined): boolean {
  if (one === two) return true
  if (member === 'trigger')
    return USUAL_TRIGGERS.some(usual => usual === (one ?? two)) && (one === undefined || two === undefined)
  if (one === undefined || two === undefined) return true
  return member === 'ref' && (matches(one, two) || matches(two, one))
}

/** Whether a ref, perhaps with a `*` at its end, has all that another one has. */
function matches(pattern: string, ref: string): boolean {
  return pattern.endsWith('*') ? ref.replace(/\*$/, '').startsWith(pattern.slice(0, -1)) : pattern === ref
}
