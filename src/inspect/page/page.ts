// A page about a bundle, as data: what each format shows, in the same order. Formats shorten its lists, and count what they leave out.
import type { Verdict } from '../../model/verdict.ts'
import { digestStart } from '../../text/digest-text.ts'
import type { InspectedSigner } from '../inspected.ts'

/** Words of ours, or a text of the bundle's: no format may take the latter for anything but text. */
export type Part = string | { readonly text: string }

export type Words = readonly Part[]

/** Why a line is worth a second look; a format shows the word, not only a colour. */
export type Emphasis = 'gone' | 'danger' | 'warning' | 'good' | 'bad'

export interface Item {
  /** Not so in the other version. It is shown beside the mark: what is new and dangerous is both. */
  readonly isNew?: boolean | undefined
  readonly mark?: Emphasis | undefined
  readonly words: Words
  /** What opens below it. */
  readonly more?: readonly Item[] | undefined
  /** `more` is worth its lines on a terminal too. */
  readonly isOpen?: boolean | undefined
}

export interface Section {
  /** For links: `may`. */
  readonly id: string
  readonly title: string
  /** What has to be known before the list is read. */
  readonly note?: Words | undefined
  readonly items: readonly Item[]
}

export interface Page {
  /** The agent with its version, or the file. */
  readonly title: string
  readonly target: string
  /** `source` for a folder that an author works in. */
  readonly verdict: Verdict | 'source'
  /** Why the verdict is this one. */
  readonly decided: Words
  readonly hint?: string | undefined
  /** Which bundle it is, and what it says of itself. */
  readonly facts: readonly Words[]
  /** When the page was made, by what, and under which trust policies: for a page that is kept. */
  readonly made: readonly Words[]
  readonly sections: readonly Section[]
  /** Made only where it is drawn. */
  readonly picture?: (() => Picture) | undefined
}

/** An agent, the groups of its tools, and what they reach. */
export interface Picture {
  readonly agent: string
  readonly groups: readonly Box[]
  readonly reached: readonly (Box & { readonly isDangerous: boolean })[]
  /** Indexes of a group and of what it reaches. */
  readonly lines: readonly { readonly from: number; readonly to: number; readonly isNew: boolean }[]
}

export interface Box {
  readonly label: string
  /** A second line. */
  readonly detail: string
  readonly isNew: boolean
}

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
function cutList(items: readonly Item[], most: number): readonly Item[] {
  if (items.length <= most) return items
  return [...items.slice(0, most), { words: [`… and ${items.length - most} more; --json lists all of them`] }]
}

export function fileDigest(hex: string | null): string {
  if (hex === null) return 'digest not known'
  return hex === '' ? 'no digest' : digestStart(hex)
}

/** `mailer@pro 0.2.0`; empty where the manifest says neither. */
export function nameOf(agent: {
  readonly name: string | null
  readonly version: string | null
  readonly variant?: string | null | undefined
}): string {
  const { name, version, variant } = agent
  const whole = variant ? `${name ?? '?'}@${variant}` : (name ?? '')
  return [whole, version ?? ''].filter(part => part !== '').join(' ')
}

/** The signers by name. One signer with several keys is one; two policies may call it by two names. */
export function signerNames(signers: readonly InspectedSigner[]): string[] {
  const names = signers.flatMap(({ anchors }) => (anchors.length === 0 ? [] : [anchors.join('/')]))
  const others = signers.length - names.length
  const unknown = others === 1 ? 'a key' : `${others} keys`
  return [...new Set(names), ...(others === 0 ? [] : [`${unknown} that no trust policy names`])]
}

/** Why a signature does not count for a trust policy, as a clause. */
export function whyNotCounted(is: string): string {
  if (is === 'revoked') return 'its key is revoked'
  return is === 'no anchor' ? 'no trust policy names its key' : `its key is ${is}`
}

/** `12 GET and 1 POST`, the most frequent first. */
export function counted(words: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const all = [...counts]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([word, n]) => `${n} ${word}`)
  const last = all.pop() ?? ''
  return all.length === 0 ? last : `${all.join(', ')} and ${last}`
}
