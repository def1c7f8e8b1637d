// The word of --args → the text of the arguments.

import { readInput } from '../io/read/input-file.ts'
import type { Setting } from '../io/setting.ts'
import { UsageError } from '../model/error.ts'
import { decodeText } from '../text/decode.ts'

/**
 * JSON itself, `@file`, or `-` for standard input. The call checks whether it is JSON and fits.
 * @throws UsageError for bytes that are not text, RlpError if the file cannot be read
 */
export async function readArguments(given: string, io: Setting): Promise<string> {
  const name = given === '-' ? '-' : given.startsWith('@') ? given.slice(1) : undefined
  if (name === undefined) return given
  const read = decodeText(await readInput(name, io))
  if (read.ok) return read.text
  const { message } = read.problem
  throw new UsageError(`Cannot use the arguments in "${name}": ${message}`, { field: 'args' })
}
