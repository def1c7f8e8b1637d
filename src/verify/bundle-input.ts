// Opens a bundle as a caller of the library hands it in: at a place, as bytes, or loaded before.
import { labelOf } from '../io/bundle/bundle-bytes.ts'
import { isUrl } from '../io/file-url.ts'
import type { Target } from '../io/find/search-folders.ts'
import { type PathGiven, targetGiven } from '../io/library/caller.ts'
import type { Setting } from '../io/setting.ts'
import { type BundleSource, bundleInput } from './input.ts'
import type { LoadedBundle } from './load.ts'

/** A path, a `file:` url, a reference, the bytes, a stream of them, or what {@link loadBundle} gave. */
export type BundleGiven = BundleSource | LoadedBundle

export interface BundleTarget {
  readonly target: Target
  /** What it came with, of one that was loaded: lines of such a file. */
  readonly attestations: Uint8Array | undefined
}

/**
 * A loaded bundle is judged again: by the files that were verified, and by what counts now.
 * @throws RlpError USAGE for what is no bundle at all
 */
export async function bundleTarget(
  given: BundleGiven,
  io: Pick<Setting, 'cwd'>,
  doing: string,
): Promise<BundleTarget> {
  const again = isLoaded(given) ? (await import('./load-again.ts')).loadedTarget(given) : undefined
  if (again !== undefined) return again
  if (isPath(given)) return { target: targetGiven(given, io, doing), attestations: undefined }
  const input = bundleInput(given as BundleSource)
  return { target: { path: '', label: labelOf(input), input }, attestations: undefined }
}

function isLoaded(given: BundleGiven): given is LoadedBundle {
  return typeof given === 'object' && given !== null && 'report' in given
}

function isPath(given: unknown): given is PathGiven {
  return typeof given === 'string' || isUrl(given)
}
