// issuer and what follows: a signer without a key to keep, named by what an issuer says of it (docs/spec/trust-policy.md, K-15).
import { isDeepStrictEqual } from 'node:util'
import { IDENTITY_MEMBERS, type Identity, type IdentityMember } from '../../model/anchor.ts'
import type { Pointer } from '../../model/document.ts'
import { own } from '../../model/own.ts'
import { doubleQuoted } from '../../text/double-quoted.ts'
import type { Table, TableReader } from '../../toml/closed-table.ts'
import {
  IDENTITY_NAMES,
  type IdentityName,
  type IdentityTexts,
  identityProblems,
  identityRows,
  USUAL_TRIGGERS,
} from '../identity-members.ts'
import { identityString } from '../identity-string.ts'
import type { AnchorField, FlagValues } from './field.ts'

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
    typed(flag, refuse) {
      const texts = textsTyped(flag)
      const names = IDENTITY_NAMES.filter(name => texts[name] !== undefined)
      if (names.length === 0) return undefined
      const spelled = (name: IdentityName) => `--${flagOf(name)}`
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

function option(placeholder: string, describe: string) {
  return { type: 'string', placeholder, describe } as const
}

/** What was typed of an identity, which may not be all of one. */
export function textsTyped(flag: FlagValues): IdentityTexts {
  return Object.fromEntries(
    IDENTITY_NAMES.flatMap(name => {
      const text = flag(flagOf(name))
      return typeof text === 'string' ? [[name, text]] : []
    }),
  )
}

function flagOf(name: IdentityName): string {
  return name.replace('_', '-')
}

function identityOf({ issuer = '', ...members }: IdentityTexts): Identity {
  return { issuer, ...members }
}

function readIdentity(reader: TableReader, table: Table, at: Pointer, said: readonly IdentityMember[]) {
  const names = ['issuer', ...said] as const
  const texts: IdentityTexts = Object.fromEntries(
    names.flatMap(name => {
      const read = reader.text(own(table, name), [...at, name])
      return read === undefined ? [] : [[name, read]]
    }),
  )
  for (const { name, message, part } of identityProblems(names, texts))
    reader.wrong(name === undefined ? at : [...at, name], message, part)
  return texts.issuer === undefined ? undefined : identityOf(texts)
}
