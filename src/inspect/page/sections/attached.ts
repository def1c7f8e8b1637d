// The section about what is attached to a bundle and is not part of it: countersignatures, statements, and what other tools attached. It
// says which of it counts. Members that do not count for one reason are one line.
import type { CheckedAddition } from '../../../model/carried.ts'
import type { CheckedKeyless } from '../../../model/keyless.ts'
import type { PolicyJudgement, Report } from '../../../model/report.ts'
import { predicateWord, shownIn } from '../../../statement/predicates/index.ts'
import { plural } from '../../../text/words.ts'
import type { Inspected, InspectedStatement } from '../../inspected.ts'
import { type Item, type Section, type Words, whyNotCounted } from '../page.ts'

/** Nothing for a file that nothing came with. */
export function attachedSection(
  { carried, judgements }: Report,
  { statements = [], keyless = [] }: Pick<Inspected, 'statements' | 'keyless'> = {},
): Section[] {
  if (carried === undefined && statements.length === 0 && keyless.length === 0) return []
  const { added = [], incomplete = null } = carried ?? {}
  const signatures = added.filter(({ result }) => result !== 'other')
  const others = added.filter(({ result }) => result === 'other')
  const items: Item[] = [
    ...branch('countersignature', signatures, {
      itemOf: one => signatureItem(one, judgements),
      whyNot: one => whyNotMerged(one, judgements),
      where: ({ keyid, digest }) => keyid ?? digest,
    }),
    ...branch('statement', statements, {
      itemOf: statementItem,
      whyNot: ({ result, detail }) => (result === 'not checked' ? `not checked, ${detail}` : undefined),
      where: ({ where }) => where,
    }),
    ...branch('keyless signature', keyless, {
      itemOf: keylessItem,
      whyNot: ({ result, detail }) => (result === 'proven' ? undefined : `not proven, ${detail}`),
      where: ({ where, certificate }) => keylessSigner(certificate) ?? where,
    }),
    ...branch('other thing', others, {
      itemOf: otherItem,
      whyNot: ({ detail }) => `not checked, ${detail}`,
      where: ({ digest }) => digest,
    }),
    ...(incomplete === null
      ? []
      : [
          { mark: 'warning' as const, words: ['More may be attached than was read: ', { text: incomplete }] },
        ]),
  ]
  return [
    {
      id: 'attached',
      title: 'Attached to it, and which of it counts',
      ...(items.length === 0 && { note: ['Nothing is attached to it where it is stored.'] }),
      items,
    },
  ]
}

/** Why a countersignature does not count; undefined if it does. */
function whyNotMerged(
  { keyid, result, detail }: CheckedAddition,
  judgements: readonly PolicyJudgement[],
): string | undefined {
  if (result !== 'merged') return `does not count, ${detail}`
  const best = bestFact(keyid, judgements)
  if (best?.is === 'counted') return undefined
  return `does not count, ${best === undefined ? 'no trust policy was asked' : whyNotCounted(best.is)}`
}

function bestFact(keyid: CheckedAddition['keyid'], judgements: readonly PolicyJudgement[]) {
  const facts = judgements.flatMap(({ signers }) => signers.filter(({ signer }) => signer === keyid))
  return facts.find(({ is }) => is === 'counted') ?? facts[0]
}

/** What was merged counts as a signature of the bundle does. */
function signatureItem(addition: CheckedAddition, judgements: readonly PolicyJudgement[]): Item {
  const { digest, keyid } = addition
  const anchor = bestFact(keyid, judgements)?.anchor
  const why = whyNotMerged(addition, judgements)
  return {
    mark: why === undefined ? 'good' : 'warning',
    words: [
      'countersignature',
      ...(anchor === undefined ? [] : [' by ', { text: anchor }]),
      ': ',
      ...(why === undefined ? ['counts'] : [{ text: why }]),
      ' (',
      { text: keyid ?? digest },
      ')',
    ],
  }
}

function statementItem(statement: InspectedStatement): Item {
  const { where, type, by, result, detail } = statement
  const what = type === null ? 'a statement' : { text: predicateWord(type) }
  const who = by.length === 0 ? [] : [' by ', { text: by.join(' and ') }]
  return {
    mark: result === 'counts' ? 'good' : 'warning',
    words: [
      what,
      ...who,
      `: ${result}, `,
      { text: detail },
      ' (',
      { text: where },
      ')',
      ...namedWords(statement),
    ],
  }
}

/** What a reviewer compares with what they expect, so what is not named is said too. */
function namedWords(statement: InspectedStatement): Words {
  return shownIn(statement).flatMap(([field, text]): Words => {
    return text === null ? [`; no ${field} named`] : [`; ${field} `, { text }]
  })
}

function otherItem({ digest, detail }: CheckedAddition): Item {
  return { mark: 'warning', words: ['not checked, ', { text: detail }, ' (', { text: digest }, ')'] }
}

/** How members are told: one by one, and those that do not count for one reason together. */
interface Telling<T> {
  readonly itemOf: (member: T) => Item
  /** Undefined if it counts, or if it has more to say. */
  readonly whyNot: (member: T) => string | undefined
  readonly where: (member: T) => string
}

/** More than these of one reason are one line that opens. */
const MOST_OF_A_REASON = 3

export function branch<T>(what: string, members: readonly T[], telling: Telling<T>): Item[] {
  if (members.length === 0) return []
  const { itemOf, whyNot, where } = telling
  const alike = new Map<string, T[]>()
  for (const member of members) {
    const why = whyNot(member)
    if (why === undefined) continue
    const group = alike.get(why) ?? []
    group.push(member)
    alike.set(why, group)
  }
  const groups = new Map([...alike].filter(([, group]) => group.length > MOST_OF_A_REASON))
  const more = members.flatMap((member): Item[] => {
    const why = whyNot(member) ?? ''
    const group = groups.get(why)
    if (group === undefined) return [itemOf(member)]
    if (group[0] !== member) return []
    const words = [`${plural(group.length, what)}: `, { text: why }]
    return [{ mark: 'warning', words, more: group.map(one => ({ words: [{ text: where(one) }] })) }]
  })
  return [{ words: [plural(members.length, what)], more, isOpen: true }]
}

/** Who it is, is said by name and id: a name can be registered again. */
export function keylessItem({
  where,
  is,
  result,
  certificate,
  detail,
  time,
  logIndex,
}: CheckedKeyless): Item {
  const who = keylessSigner(certificate)
  const id = certificate.repository_id
  return {
    mark: result === 'proven' ? 'good' : 'warning',
    words: [
      is === 'statement' ? 'keyless statement' : 'keyless signature',
      ...(who === undefined ? [] : [' by ', { text: who }]),
      ...(id === undefined ? [] : [', repository ', { text: id }]),
      ...(time === null ? [`: ${result}, `, { text: detail }] : [`, proven at ${time}`]),
      ...(logIndex === null ? [] : [', entry ', { text: logIndex }, ' of its log']),
      ' (',
      { text: where },
      ')',
    ],
  }
}

function keylessSigner({ uri, email }: CheckedKeyless['certificate']): string | undefined {
  return uri ?? email
}
