// Files that are about to be replaced → a diff of each on standard error.
import type { GlobalArgs, Io } from '../cli/command.ts'
import { unifiedDiff } from '../cli/render/diff.ts'
import { createStyle, wantsColor } from '../cli/render/style.ts'
import type { Replacement } from './replacements.ts'

/** Nothing with `--quiet` or `--json`. */
export function showReplaced(
  files: readonly Replacement[],
  label: string,
  args: Pick<GlobalArgs, 'json' | 'quiet' | 'color'>,
  io: Io,
): void {
  if (args.json || args.quiet) return
  const style = createStyle(wantsColor(args.color, io.env, io.isTTY.stderr))
  for (const file of files) io.stderr(`${unifiedDiff(label, file, style).join('\n')}\n`)
}
