// A page → the same with lists of a bounded length. What is left out is counted, never silently gone.
import type { Item, Page } from './page.ts'

export interface Most {
  /** All lines of the page. */
  readonly items: number
  /** Lines of one section. */
  readonly list: number
  /** Lines below one line. */
  readonly below: number
}

/** The lines of the sections come before anything that opens below them. */
export function shortenPage(page: Page, { items, list, below }: Most): Page {
  const sections = page.sections.map(section => ({ ...section, items: cutList(section.items, list) }))
  let left = items - sections.reduce((sum, section) => sum + section.items.length, 0)
  const shortened = sections.map(section => ({ ...section, items: section.items.map(withFewer) }))
  return { ...page, sections: shortened }

  function withFewer(item: Item): Item {
    if (item.more === undefined) return item
    const more = cutList(item.more, Math.max(1, Math.min(below, left)))
    left -= more.length
    return { ...item, more: more.map(withFewer) }
  }
}

/** At most `most` lines and one that counts the rest. */
export function cutList(items: readonly Item[], most: number): readonly Item[] {
  if (items.length <= most) return items
  return [...items.slice(0, most), { words: [`… and ${items.length - most} more; --json lists all of them`] }]
}
