// What a campaign is, and what it is given.
import type { Random } from './random.ts'

/** Something that must never happen, and how to make it happen again. */
export interface Defect {
  /** The case, as `--case` takes it. */
  readonly case: string
  /** What happened, and what should have. */
  readonly what: string
  /** The input itself, where there is one. */
  readonly input?: string | Uint8Array
}

/** A defect, and the round it was found in. */
export interface Found extends Defect {
  readonly round: number
}

export interface Session {
  readonly seed: number
  /** 0 is the ordinary run; with `--minutes` more follow, each with other cases. */
  readonly round: number
  /** The few cases that the test command runs. */
  readonly isSlice: boolean
  /** Everything that there is, however long it takes: for the platforms all tests and not some. */
  readonly isFull: boolean
  /** A folder for the campaign alone, made and removed by others. */
  readonly folder: string
  /** The only case that is wanted, when there is one. */
  readonly only: string | undefined
  /** Asked before each case, which it counts. False: it is not the wanted one. */
  begin(id: string, kind?: string): boolean
  /** Counts cases that another process has gone through. */
  count(kind: string, cases: number): void
  /** What the answers to cases of a kind were: shows whether a campaign gets anywhere. */
  tally(kind: string, answers: Readonly<Record<string, number>>): void
  defect(defect: Defect): void
  /** Something that could not be looked at here, and why. It is printed below the table. */
  skip(what: string): void
  /** Time is up: a campaign in a further round stops at the next case. */
  isOver(): boolean
  /** Chance for one case; the same for the same seed, whatever ran before. */
  random(...words: readonly (string | number)[]): Random
  /** All of a list; in a slice, and outside of it where `most` is less, a few from everywhere in it. */
  some<T>(list: readonly T[], inSlice: number): T[]
}

export interface Campaign {
  /** As `--only` takes it. */
  readonly name: string
  /** What it proves, in a line. */
  readonly summary: string
  /** Whether more rounds try more; a campaign that tries everything there is has only one. */
  readonly isEndless: boolean
  /** Left out unless it is asked for by name. */
  readonly onlyByName?: true
  run(session: Session): Promise<void>
}
