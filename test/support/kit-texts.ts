// A text of the conformance kit → what rlp's own readers of JSON and TOML answer, in the words of docs/spec/strict-text.md.
import { parseJson } from '../../src/json/parse.ts'
import { parseToml } from '../../src/toml/parse.ts'

/** Problems that the page counts among others. */
const CODES: Readonly<Record<string, string>> = { empty: 'syntax', 'too-deep': 'unsafe-value' }

export function answerToText(bytes: Uint8Array, syntax: string) {
  const read = syntax === 'json' ? parseJson('text', bytes) : parseToml('text', bytes)
  if (read.ok) return { verdict: 'accepted', codes: [] }
  const { code } = read.problem
  return { verdict: 'refused', codes: [`${syntax}/${CODES[code] ?? code}`] }
}
