// Text for a terminal or a log → the same without credentials, because many people read logs, and logs are kept.
import { credentialsIn } from '../../format/credential.ts'
import { maskRanges } from '../../format/text/mask.ts'
import type { Finding } from '../../model/finding.ts'

/** Findings of this rule mark the places of credentials. */
const CREDENTIAL_RULE = 'secrets/literal'

/** For messages: replaces everything that looks like a credential. */
export function veiled(text: string): string {
  return maskRanges(text, credentialsIn(text))
}

/** For code frames: every column stays in place. Findings about credentials hide their places, whatever is there. */
export function veiledFile(text: string, file: string, findings: readonly Finding[]): string {
  const starts = lineStarts(text)
  const found = findings
    .filter(finding => finding.rule === CREDENTIAL_RULE && finding.file === file)
    .map(({ line, column, endLine = line, endColumn = column }) => ({
      start: (starts[line - 1] ?? text.length) + column - 1,
      end: (starts[endLine - 1] ?? text.length) + endColumn - 1,
    }))
  let hidden = text
  for (const { start, end } of [...found, ...credentialsIn(text)])
    hidden = hidden.slice(0, start) + hidden.slice(start, end).replace(/[^\s"']/g, '*') + hidden.slice(end)
  return hidden
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}
