// Which digests of a manifest change, for people.
import type { Style } from '../cli/render/style.ts'
import { printable } from '../text/printable.ts'
import type { DigestChange } from './digest.ts'

/** One line for each digest that changed. */
export function digestLines(changes: readonly DigestChange[], style: Style): string {
  const wide = Math.max(...changes.map(({ path }) => path.length))
  const lines = changes.map(({ path, before, after }) => {
    const old = before === undefined ? 'none' : `${before.slice(0, 12)}…`
    const now = after === undefined ? style.red('removed') : `${after.slice(0, 12)}…`
    return `  ${printable(path.padEnd(wide))}  ${style.dim(printable(old.padEnd(13)))} → ${now}\n`
  })
  return lines.join('')
}
