// What is attached to a bundle and is no part of it: countersignatures, statements, and what other tools attached → a tree, with what of it counts.

import type { CheckedAddition } from '../../../model/carried.ts'
import type { PolicyJudgement, Report } from '../../../model/report.ts'
import { predicateWord, shownIn } from '../../../statement/predicates/index.ts'
import type { Inspected } from '../../inspected.ts'
import type { InspectedStatement } from '../../stated.ts'
import type { Item, Section, Words } from '../page.ts'
import { whyNotCounted } from '../words.ts'
import { branch } from './branch.ts'
import { keylessItem, keylessSigner } from './keyless.ts'

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
