// What hangs on a bundle and is no part of it: countersignatures, statements, and what other tools attached → a tree, with what of it counts.
import type { InspectedStatement } from '../../compare/stated.ts'
import { predicateWord } from '../../format/evidence/predicate-types.ts'
import { plural } from '../../format/text/counts.ts'
import type { CheckedAddition } from '../../model/carried.ts'
import type { PolicyJudgement, Report } from '../../model/report.ts'
import type { Item, Section } from '../page.ts'
import { whyNotCounted } from '../words.ts'

/** Nothing for a file that nothing came with. */
export function attachedSection(
  { carried, judgements }: Report,
  statements: readonly InspectedStatement[],
): Section[] {
  if (carried === undefined && statements.length === 0) return []
  const { added = [], incomplete = null } = carried ?? {}
  const signatures = added.filter(({ result }) => result !== 'other')
  const others = added.filter(({ result }) => result === 'other')
  const items: Item[] = [
    ...branch(plural(signatures.length, 'countersignature'), signatures, one =>
      signatureItem(one, judgements),
    ),
    ...branch(plural(statements.length, 'statement'), statements, statementItem),
    ...branch(plural(others.length, 'other thing'), others, otherItem),
    ...(incomplete === null
      ? []
      : [
          { mark: 'warning' as const, words: ['More may be attached than was read: ', { text: incomplete }] },
        ]),
  ]
  return [
    {
      id: 'attached',
      title: 'What hangs on it, and what of it counts',
      ...(items.length === 0 && { note: ['Nothing is attached to it where it is stored.'] }),
      items,
    },
  ]
}

function branch<T>(title: string, members: readonly T[], itemOf: (member: T) => Item): Item[] {
  return members.length === 0 ? [] : [{ words: [title], more: members.map(itemOf), isOpen: true }]
}

/** What was merged counts as a signature of the bundle does. */
function signatureItem(
  { digest, keyid, result, detail }: CheckedAddition,
  judgements: readonly PolicyJudgement[],
): Item {
  const facts = judgements.flatMap(({ signers }) => signers.filter(({ signer }) => signer === keyid))
  const best = facts.find(({ is }) => is === 'counted') ?? facts[0]
  const who = best?.anchor === undefined ? [] : [' by ', { text: best.anchor }]
  const counts = result === 'merged' && best?.is === 'counted'
  const judged = best === undefined ? 'no trust policy was asked' : whyNotCounted(best.is)
  const why = result === 'merged' ? judged : detail
  return {
    mark: counts ? 'good' : 'warning',
    words: [
      'countersignature',
      ...who,
      ...(counts ? [': counts'] : [': does not count, ', { text: why }]),
      ' (',
      { text: keyid ?? digest },
      ')',
    ],
  }
}

function statementItem({ where, type, by, result, detail }: InspectedStatement): Item {
  const what = type === null ? 'a statement' : { text: predicateWord(type) }
  const who = by.length === 0 ? [] : [' by ', { text: by.join(' and ') }]
  return {
    mark: result === 'counts' ? 'good' : 'warning',
    words: [
      what,
      ...who,
      `: ${result}, `,
      { text: detail },
      ...(detail.includes(where) ? [] : [' (', { text: where }, ')']),
    ],
  }
}

function otherItem({ digest, detail }: CheckedAddition): Item {
  return { mark: 'warning', words: ['not checked, ', { text: detail }, ' (', { text: digest }, ')'] }
}
