// A finding → its file as other programs name it: relative to a folder, with slashes.
import { isAbsolute, join, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { MANIFEST_FILE } from '../../model/agent.ts'
import type { LintedTarget } from '../linted.ts'

/** The file of a finding, absolute. A finding about the agent as a whole is placed in its manifest. */
export function fileOf(
  { folder }: Pick<LintedTarget, 'folder'>,
  { file }: { readonly file: string },
): string {
  return join(folder, file === '' ? MANIFEST_FILE : file)
}

/** Relative to `base` with `/` between segments, or absolute if there is no relative path. */
export function slashed(base: string, path: string): string {
  return relative(base, path).split(sep).join('/')
}

/** A URI reference relative to `base`, or a `file:` URI if there is no relative path (another drive). */
export function uriOf(base: string, path: string): { readonly uri: string; readonly isRelative: boolean } {
  const way = relative(base, path)
  if (isAbsolute(way)) return { uri: pathToFileURL(path).href, isRelative: false }
  // Buffer replaces invalid text; encodeURIComponent would throw.
  const segments = way.split(sep).map(segment => encodeURIComponent(Buffer.from(segment).toString()))
  return { uri: segments.join('/'), isRelative: true }
}

/**
 * The root of the checkout, which need not be the folder of this step: forges count paths from there.
 * @param workspace what the runner says of it
 */
export function checkoutOf(cwd: string, workspace: string | undefined): string {
  const isBelow =
    workspace !== undefined && isAbsolute(workspace) && !/^\.\.(?:\/|$)/.test(slashed(workspace, cwd))
  return isBelow ? workspace : cwd
}
