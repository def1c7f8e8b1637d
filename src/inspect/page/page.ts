// A page about a bundle, as data: what each format shows, in the same order.
import type { Verdict } from '../../model/verdict.ts'

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
