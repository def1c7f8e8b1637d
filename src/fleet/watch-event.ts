// What a watch tells of the bundles of a folder.
import type { RlpError } from '../model/error.ts'
import type { LoadedBundle } from '../verify/load.ts'

/** What has happened to one file of the folder. */
export type WatchEvent =
  /** It may be used from now on, in place of what the file held before. `bundle` is also what a new judgement has made of the same bytes. */
  | { readonly is: 'loaded'; readonly file: string; readonly bundle: LoadedBundle }
  /** What it holds now may not be used. `kept` is what it held before, if that still may be. */
  | {
      readonly is: 'refused'
      readonly file: string
      readonly error: RlpError
      readonly kept: LoadedBundle | undefined
    }
  /** What was kept may not be used any more: a policy has changed, or an end has come. */
  | { readonly is: 'ended'; readonly file: string; readonly error: RlpError }
  /** The file is gone, and so is its bundle. */
  | { readonly is: 'gone'; readonly file: string }
