// A unified diff with the colours of a terminal.

import type { Finding } from '../../model/finding.ts'
import { type ChangedFile, diffLines } from '../../text/unified-diff.ts'
import type { Style } from './style.ts'

/** As {@link diffLines}, with the style of the terminal. */
export function unifiedDiff(
  label: string,
  file: ChangedFile,
  style: Style,
  findings: readonly Finding[] = [],
): string[] {
  const paint = { '@': style.cyan, '-': style.red, '+': style.green }
  return diffLines(label, file, findings).map((line, index) => {
    if (index < 2) return style.bold(line)
    const of = line[0]
    return of === '@' || of === '-' || of === '+' ? paint[of](line) : line
  })
}
