// Text for a terminal or a log → the same without credentials, because many people read logs, and logs are kept.

import type { Range } from '../model/document.ts'
import type { Finding } from '../model/finding.ts'
import { MASK, maskRanges } from '../text/mask.ts'
import { credentialsIn } from './credential.ts'

/** Findings of these rules mark the places of credentials; a test finds a rule that is missing. */
export const CREDENTIAL_RULES: ReadonlySet<string> = new Set(['secrets/literal', 'secrets/likely-literal'])

/** For messages: replaces everything that looks like a credential. */
export function veiled(text: string): string {
  return maskRanges(text, credentialsIn(text))
}

/** For diffs: also hides what {@link credentialTexts} gave, wherever it is. */
export function veiledLine(line: string, known: readonly string[]): string {
  return veiled(known.reduce((shown, text) => shown.replaceAll(text, MASK), line))
}

/** The texts of a file that findings call credentials, line by line, as the file writes them: whatever form they have. */
export function credentialTexts(text: string, file: string, findings: readonly Finding[]): string[] {
  const lines = rangesOf(text, file, findings).flatMap(({ start, end }) => text.slice(start, end).split('\n'))
  // The longest first: one may be a part of another. A bracket on a line of its own is no credential.
  const texts = [...new Set(lines.map(line => line.trim()))].filter(({ length }) => length > 2)
  return texts.sort((a, b) => b.length - a.length)
}

/** For code frames: every column stays in place. Findings about credentials hide their places, whatever is there. */
export function veiledFile(text: string, file: string, findings: readonly Finding[]): string {
  const ranges = [...rangesOf(text, file, findings), ...credentialsIn(text)].sort((a, b) => a.start - b.start)
  const parts: string[] = []
  let at = 0
  for (const { start, end } of ranges) {
    if (end <= at) continue
    const from = Math.max(start, at)
    parts.push(text.slice(at, from), text.slice(from, end).replace(/[^\s"']/g, '*'))
    at = end
  }
  return [...parts, text.slice(at)].join('')
}

function rangesOf(text: string, file: string, findings: readonly Finding[]): Range[] {
  const starts = lineStarts(text)
  return findings
    .filter(finding => CREDENTIAL_RULES.has(finding.rule) && finding.file === file)
    .flatMap(finding => [finding, ...(finding.others ?? [])])
    .map(({ line, column, endLine = line, endColumn = column }) => ({
      start: (starts[line - 1] ?? text.length) + column - 1,
      end: (starts[endLine - 1] ?? text.length) + endColumn - 1,
    }))
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}
