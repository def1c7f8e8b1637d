// What scaffold wrote, and the next steps, for people.
import type { Io } from '../cli/command.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { printable } from '../text/printable.ts'
import { writePath } from '../text/shell-words.ts'
import type { ScaffoldPlace, ScaffoldResult } from './write-scaffold.ts'

/** With `quiet` only the paths, one a line. */
export function renderScaffolded(
  { files, replaced, stub, kept, opening }: ScaffoldResult,
  place: ScaffoldPlace,
  quiet: boolean,
  io: Io,
): string {
  const paths = [place.label, ...(opening === undefined ? [] : [place.opening])]
  if (quiet) return paths.map(path => `${printable(path)}\n`).join('')
  const style = createStyle(io.color)
  const done = style.green(SYMBOLS.ok)
  const word = replaced.length > 0 ? style.dim(' (replaced)') : ''
  const lines = files.map(path => `    ${path}${replaced.includes(path) ? word : ''}`)
  const at = writePath(place.label)
  return [
    `${done} ${style.bold(printable(place.label))}`,
    ...lines,
    ...paths.slice(1).map(path => `${done} ${style.bold(printable(path))}`),
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
