// Members of one kind → a branch of a tree: those that do not count for one reason are one line.
import { plural } from '../../../text/words.ts'
import type { Item } from '../page.ts'

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
