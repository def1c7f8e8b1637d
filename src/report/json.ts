// The line of JSON that a command prints for programs.
import { success } from '../contract/envelope.ts'
import { serialize } from '../contract/serialize.ts'
import { printableJson } from '../text/printable.ts'

export function jsonLine(value: unknown): string {
  return `${printableJson(serialize(value))}\n`
}

/** The tool contract's envelope of a result. */
export function envelopeLine(tool: string, result: unknown, warnings?: readonly string[]): string {
  return jsonLine(success(tool, result, warnings))
}
