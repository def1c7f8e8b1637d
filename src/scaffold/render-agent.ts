// Shows people which files of a folder are about to be replaced, and afterwards what scaffold wrote and what to do next.
import type { GlobalArgs, Io } from '../cli/command.ts'
import { unifiedDiff } from '../cli/render/diff.ts'
import { createStyle, SYMBOLS, wantsColor } from '../cli/render/style.ts'
import { printable } from '../text/printable.ts'
import { writePath } from '../text/shell-words.ts'
import type { Replacement, ScaffoldPlace, ScaffoldResult } from './write-scaffold.ts'

export function renderScaffolded(
  { files, replaced, stub, kept, opening }: ScaffoldResult,
  place: ScaffoldPlace,
  io: Io,
): string {
  const style = createStyle(io.color)
  const done = style.green(SYMBOLS.ok)
  const word = replaced.length > 0 ? style.dim(' (replaced)') : ''
  const lines = files.map(path => `    ${path}${replaced.includes(path) ? word : ''}`)
  const at = writePath(place.label)
  return [
    `${done} ${style.bold(printable(place.label))}`,
    ...lines,
    ...(opening === undefined ? [] : [`${done} ${style.bold(printable(place.opening))}`]),
    '',
    ...(stub === undefined
      ? [`${kept} stays as it is. Next:`]
      : [
          `${stub} is a placeholder that does nothing.`,
          'Build your agent for wasm32-wasip1 and put it there. Then:',
        ]),
    '',
    ...['digest', 'lint', 'pack'].map(verb => `  ${style.cyan(printable(`rlp agent ${verb} ${at}`))}`),
    '',
  ].join('\n')
}

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
