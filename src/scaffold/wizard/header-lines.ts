// Lines `Name: value` → the headers of a request, for options and for answers.

import type { Reading } from '../../model/reading.ts'
import { quoted } from '../../text/printable.ts'

/** The problem is about one of the lines, which it quotes. */
export function headersIn(lines: readonly string[]): Reading<Readonly<Record<string, string>>> {
  const headers = new Map<string, [name: string, value: string]>()
  for (const line of lines) {
    const [, name = '', value = ''] = /^([A-Za-z0-9!#$%&'*+.^_`|~-]+):[ \t]*(.*)$/.exec(line) ?? []
    if (name === '') return { problem: `${quoted(line)} is not "Name: value"` }
    if (headers.has(name.toLowerCase())) return { problem: `${quoted(line)} appears twice` }
    headers.set(name.toLowerCase(), [name, value.trim()])
  }
  return { value: Object.fromEntries(headers.values()) }
}
