// What scaffold wrote, and the next steps, for people.
import type { Io } from '../cli/command.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { printable } from '../format/text/printable.ts'
import { writePath } from '../format/text/shell-words.ts'

export interface Scaffolded {
  readonly path: string
  readonly files: readonly string[]
  readonly replaced: readonly string[]
  /** The placeholder, unless an existing build was kept. */
  readonly stub: string | null
  readonly kept: string | null
  readonly opening: string | null
}

/** With `quiet` only the paths, one a line. */
export function renderScaffolded(written: Scaffolded, quiet: boolean, io: Io): string {
  const paths = [written.path, ...(written.opening === null ? [] : [written.opening])]
  if (quiet) return paths.map(path => `${printable(path)}\n`).join('')
  const style = createStyle(io.color)
  const done = style.green(SYMBOLS.ok)
  const word = written.replaced.length > 0 ? style.dim(' (replaced)') : ''
  const files = written.files.map(path => `    ${path}${written.replaced.includes(path) ? word : ''}`)
  const at = writePath(written.path)
  return [
    `${done} ${style.bold(printable(written.path))}`,
    ...files,
    ...paths.slice(1).map(path => `${done} ${style.bold(printable(path))}`),
    '',
    ...(written.stub === null
      ? [`${written.kept} stays as it is. Next:`]
      : [
          `${written.stub} is a placeholder that does nothing.`,
          'Build your agent for wasm32-wasip1 and put it there. Then:',
        ]),
    '',
    ...['digest', 'lint', 'pack'].map(verb => `  ${style.cyan(printable(`rlp agent ${verb} ${at}`))}`),
    '',
  ].join('\n')
}
