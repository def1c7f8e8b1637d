// Something that rlp does again and again while a writer changes what it reads: its answers, counted, and what is wrong with them.
import type { Session } from '../campaign.ts'
import { type Change, whileChanging } from './writer.ts'

/** One verdict, and what is wrong with it. */
export type Answer = readonly [word: string, problem: string | undefined]

export async function watched(
  session: Session,
  kind: string,
  count: number,
  changes: readonly Change[],
  look: () => Promise<Answer>,
): Promise<void> {
  const words: Record<string, number> = {}
  await whileChanging(changes, async () => {
    for (let n = 0; n < count && !session.isOver(); n++) {
      const id = `${kind}, ${n}`
      if (!session.begin(id, 'swaps')) continue
      const [word, problem] = await look()
      words[word] = (words[word] ?? 0) + 1
      if (problem !== undefined) session.defect({ case: id, what: `${word}: ${problem}` })
    }
  })
  session.tally(kind, words)
}
