// Where a finding stands, as other programs name files: relative to a folder, with slashes.
import { isAbsolute, join, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { MANIFEST_FILE } from '../../model/agent.ts'
import type { LintedTarget } from '../lint-target.ts'

/** The file of a finding, absolute. A finding about the agent as a whole stands in its manifest. */
export function fileOf(
  { folder }: Pick<LintedTarget, 'folder'>,
  { file }: { readonly file: string },
): string {
  return join(folder, file === '' ? MANIFEST_FILE : file)
}

/** Relative to `base` with `/` between segments, or absolute where nothing relative leads there. */
export function slashed(base: string, path: string): string {
  return relative(base, path).split(sep).join('/')
}

/** A URI reference relative to `base`, or a `file:` URI where nothing relative leads there (another drive). */
export function uriOf(base: string, path: string): { readonly uri: string; readonly isRelative: boolean } {
  const way = relative(base, path)
  if (isAbsolute(way)) return { uri: pathToFileURL(path).href, isRelative: false }
  // Buffer replaces what is no text; encodeURIComponent would throw.
  const segments = way.split(sep).map(segment => encodeURIComponent(Buffer.from(segment).toString()))
  return { uri: segments.join('/'), isRelative: true }
}
