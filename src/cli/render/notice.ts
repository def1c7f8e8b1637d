// What has to be read before anything else → lines above a page.
import { printable } from '../../format/text/printable.ts'
import { type Style, SYMBOLS } from './style.ts'
import { wrap } from './wrap.ts'

export function noticeLines(notice: string | undefined, style: Style, columns: number): string[] {
  if (notice === undefined) return []
  const lines = wrap(printable(notice), Math.max(30, columns - 2))
  return [...lines.map((line, at) => `${at === 0 ? style.red(SYMBOLS.bad) : ' '} ${style.bold(line)}`), '']
}
