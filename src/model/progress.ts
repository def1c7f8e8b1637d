// How far long work has come, for the caller to show.

/** One report of progress. */
export interface Progress {
  /** What is being worked on: a path, or a short name. */
  readonly what: string
  /** How much is done, in `unit`. */
  readonly done: number
  /** How much there is in all; undefined if it is not known, as for a stream. */
  readonly total: number | undefined
  readonly unit: 'bytes' | 'targets'
}

/** Called now and then while the work goes on. What it throws ends the work. */
export type OnProgress = (progress: Progress) => void
