// Names a file as the programs that read a report do: relative to a folder, with slashes.
import { isAbsolute, relative, sep } from 'node:path'

/** Relative to `base` with `/` between segments, or absolute if there is no relative path. */
export function slashed(base: string, path: string): string {
  return relative(base, path).split(sep).join('/')
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
