// issuer and what follows: a signer without a key to keep, named by what an issuer says of it (docs/spec/trust-policy.md, K-39).
import { isDeepStrictEqual } from 'node:util'
import { IDENTITY_MEMBERS, type Identity, type IdentityMember } from '../../../model/anchor.ts'
import type { Pointer } from '../../../model/document.ts'
import { own } from '../../../model/own.ts'
import { doubleQuoted } from '../../text/double-quoted.ts'
import { quoteText } from '../../text/quote.ts'
import type { Table, TableReader } from '../../toml/closed-table.ts'
import { USUAL_TRIGGERS } from '../identities.ts'
import { identityString } from '../identity-string.ts'
import type { AnchorField, GivenBy } from './field.ts'

/** Their certificates name a repository, so a subject alone would leave out which workflow may sign. */
const OF_PIPELINES = ['https://token.actions.githubusercontent.com', 'https://gitlab.com']

export const identity = {
  keys: ['issuer', ...IDENTITY_MEMBERS],
  read(reader, table, at) {
    const said = IDENTITY_MEMBERS.filter(key => table[key] !== undefined)
    if (table['issuer'] === undefined) {
      const [first] = said
      if (first !== undefined)
        reader.wrong([...at, first], 'only an identity has one, which names its issuer', 'key')
      return undefined
    }
    if (table['key'] !== undefined || table['keys'] !== undefined)
      reader.wrong([...at, 'issuer'], 'an anchor has keys or an issuer, not both', 'key')
    return readIdentity(reader, table, at, said)
  },
  // A signature is one of an identity only if its certificate is.
  refuses: () => undefined,
  shown: value => (value === undefined ? '' : identityString(value)),
  more: (value, than, adverb) =>
    value === undefined || isDeepStrictEqual(value, than)
      ? []
      : [`${adverb} counts as ${identityString(value)}`],
  entries: value =>
    Object.fromEntries(identityRows(value).map(([member, text]) => [member, doubleQuoted(text)] as const)),
  first: ({ identity }) => identity,
  grown(old, { identity: asked = old }, refuse) {
    if (isDeepStrictEqual(asked, old)) return old
    const [state, hint] =
      old === undefined
        ? ['it is there with a key', 'A signer has keys or an identity. Choose another name']
        : ['it is there as another identity', 'Choose another name, or edit the identity in the file by hand']
    throw refuse('EXISTS', state, hint)
  },
  asked: {
    options: {
      issuer: option(
        'URL',
        'of an identity, in place of a key: who issues the tokens, as rlp agent verify shows it',
      ),
      'repository-id': option('ID', 'of a pipeline: the number of its repository, which a renamed one keeps'),
      'owner-id': option('ID', 'of a pipeline: the number of the owner of its repository'),
      workflow: option('PATH', 'of a pipeline: the file in its repository, as .github/workflows/release.yml'),
      ref: option(
        'REF',
        'of a pipeline: the branch or tag, with one * at its end if need be, as refs/tags/v*',
      ),
      environment: option('NAME', 'of a pipeline: the environment of its job'),
      runner: option('KIND', 'of a pipeline: what its job runs on, as github-hosted'),
      trigger: option('EVENT', `of a pipeline: what starts it; without it ${USUAL_TRIGGERS.join(', ')}`),
      builder: option('URI', 'of a pipeline: the reusable workflow that signs, without its ref'),
      'builder-digest': option('SHA1', 'of a pipeline: the commit of that workflow'),
      email: option('ADDRESS', 'of a person'),
      subject: option('URI', 'of another signer: the whole URI'),
    },
    typed(given, refuse) {
      const texts = textsTyped(given)
      const names = NAMES.filter(name => texts[name] !== undefined)
      if (names.length === 0) return undefined
      const spelled = (name: Name) => `--${flagOf(name)}`
      const [problem] = identityProblems(names, texts, spelled)
      if (problem !== undefined) {
        const { name, message, part } = problem
        const text = name === undefined || part === 'key' ? undefined : texts[name]
        throw refuse(flagOf(name ?? names[0] ?? 'issuer'))(message, text)
      }
      return identityOf(texts)
    },
  },
} as const satisfies AnchorField<Identity | undefined>

/** A member of an identity, or its issuer. */
type Name = 'issuer' | IdentityMember
type Texts = { readonly [name in Name]?: string }

const NAMES: readonly Name[] = ['issuer', ...IDENTITY_MEMBERS]

function option(placeholder: string, describe: string) {
  return { type: 'string', placeholder, describe } as const
}

/** What an identity names, in the order in which it is written. */
export function identityRows(identity: Identity | undefined): (readonly [name: Name, text: string])[] {
  return NAMES.flatMap(name => {
    const text = identity?.[name]
    return text === undefined ? [] : [[name, text] as const]
  })
}

/** What was typed of an identity, which may not be all of one. */
export function textsTyped(given: GivenBy): Texts {
  return Object.fromEntries(
    NAMES.flatMap(name => {
      const text = given(flagOf(name))
      return typeof text === 'string' ? [[name, text]] : []
    }),
  )
}

function flagOf(name: Name): string {
  return name.replace('_', '-')
}

function identityOf({ issuer = '', ...members }: Texts): Identity {
  return { issuer, ...members }
}

function readIdentity(reader: TableReader, table: Table, at: Pointer, said: readonly IdentityMember[]) {
  const names = ['issuer', ...said] as const
  const texts: Texts = Object.fromEntries(
    names.flatMap(name => {
      const read = reader.text(own(table, name), [...at, name])
      return read === undefined ? [] : [[name, read]]
    }),
  )
  for (const { name, message, part } of identityProblems(names, texts))
    reader.wrong(name === undefined ? at : [...at, name], message, part)
  return texts.issuer === undefined ? undefined : identityOf(texts)
}

interface IdentityProblem {
  /** Undefined: it is about all of it. */
  readonly name?: Name
  readonly message: string
  readonly part?: 'key'
}

/**
 * @param names what is there, of whatever type
 * @param texts those that are texts
 * @param spelled how a person writes it
 */
export function identityProblems(
  names: readonly Name[],
  texts: Texts,
  spelled: (name: Name) => string = name => name,
): IdentityProblem[] {
  const problems: IdentityProblem[] = names.flatMap(name => {
    const text = texts[name]
    const message = text === undefined ? undefined : textProblem(name, text)
    return message === undefined ? [] : [{ name, message }]
  })
  const has = (name: Name) => names.includes(name)
  if (!has('issuer')) {
    const [name = 'issuer'] = names
    problems.push({ name, part: 'key', message: `an identity names its ${spelled('issuer')}` })
  }
  const needed: readonly (readonly Name[])[] = has('repository_id')
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

function textProblem(key: Name, text: string): string | undefined {
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
