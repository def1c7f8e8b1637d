// issuer and what follows: a signer without a key to keep, named by what an issuer says of it (docs/spec/trust-policy.md, K-39).
import { isDeepStrictEqual } from 'node:util'
import { IDENTITY_MEMBERS, type Identity, type IdentityMember } from '../../../model/anchor.ts'
import type { Pointer } from '../../../model/document.ts'
import { own } from '../../../model/own.ts'
import { quoteText } from '../../text/quote.ts'
import type { Table, TableReader } from '../../toml/closed-table.ts'
import { identityString } from '../identity-string.ts'
import type { AnchorField } from './field.ts'

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
  entries: () => ({}),
  first: () => undefined,
  grown: old => old,
  asked: undefined,
} as const satisfies AnchorField<Identity | undefined>

function readIdentity(
  reader: TableReader,
  table: Table,
  at: Pointer,
  said: readonly IdentityMember[],
): Identity | undefined {
  const text = (key: 'issuer' | IdentityMember) => {
    const read = reader.text(own(table, key), [...at, key])
    const problem = read === undefined ? undefined : textProblem(key, read)
    if (problem !== undefined) reader.wrong([...at, key], problem)
    return read
  }
  const issuer = text('issuer')
  const members = Object.fromEntries(
    said.flatMap(key => {
      const read = text(key)
      return read === undefined ? [] : [[key, read]]
    }),
  )
  const needed = said.includes('repository_id')
    ? [['workflow'], ['ref', 'environment']]
    : [['repository_id', 'email', 'subject']]
  for (const names of needed)
    if (!names.some(name => said.some(one => one === name)))
      reader.wrong(at, `an identity of this kind names its ${names.join(' or ')}`)
  const kinds = said.filter(key => ['repository_id', 'email', 'subject'].includes(key))
  const stray = kinds[0] === 'repository_id' ? kinds[1] : said.find(key => key !== kinds[0])
  if (kinds.length > 0 && stray !== undefined)
    reader.wrong([...at, stray], `an identity with ${kinds[0]} has none`, 'key')
  if (said.includes('builder') !== said.includes('builder_digest'))
    reader.wrong(at, 'builder and builder_digest belong together')
  if (said.includes('subject') && OF_PIPELINES.includes(issuer ?? ''))
    reader.wrong(
      [...at, 'subject'],
      'this issuer names repositories: write repository_id, workflow and ref',
      'key',
    )
  return issuer === undefined ? undefined : { issuer, ...members }
}

function textProblem(key: 'issuer' | IdentityMember, text: string): string | undefined {
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
