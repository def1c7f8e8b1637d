// Reads a list of bundles, name by name, while it arrives.
import { resolve } from 'node:path'
import { boundedLines } from '../io/read/bounded.ts'
import { entryOrNothing } from '../io/read/entry.ts'
import { chunksAt } from '../io/read/read-file.ts'
import type { Setting } from '../io/setting.ts'
import { UsageError } from '../model/error.ts'
import { byteLimit, LIST_LINE_BYTES } from '../model/limits.ts'
import { isOciReference } from '../oci/scheme.ts'
import { decodeText } from '../text/decode.ts'

/** A name, or why one could not be read. */
type ListedName = { readonly name: string } | { readonly problem: string }

const NEWLINE = 0x0a
const NUL = 0x00
const CONTROL = /[\u0000-\u001f\u007f]/

/**
 * @param file a path, or `-` for standard input
 * @param nul whether names end with NUL. Otherwise each is a line, and what no line can hold ends the call: a part of a name could be the
 * name of another bundle
 * @throws UsageError for a line that is no name
 */
export async function* listedNames(file: string, nul: boolean, setting: Setting): AsyncGenerator<ListedName> {
  let number = 0
  const what = nul ? 'name' : 'line'
  const lines = boundedLines(chunksOf(file, setting), LIST_LINE_BYTES, nul ? NUL : NEWLINE)
  for await (const { bytes } of lines) {
    number++
    if (bytes === undefined) {
      yield {
        problem: `${what} ${number} of the list is longer than ${byteLimit(LIST_LINE_BYTES)}: write one path a ${what}`,
      }
      continue
    }
    if (bytes.length === 0) throw noName(nul, number, 'it is empty')
    if (bytes.includes(NUL)) throw noName(nul, number, 'it has a NUL byte')
    const read = decodeText(bytes)
    if (read.ok) yield { name: nul ? read.text : nameIn(read.text, number, setting) }
    else if (read.problem.code === 'empty') throw noName(nul, number, 'it is blank')
    else yield { problem: `${what} ${number} of the list is no text: ${read.problem.message}` }
  }
}

/** On some systems, lines end with a carriage return as well. */
function nameIn(line: string, number: number, { cwd }: Setting): string {
  const name = line.replace(/\r$/, '')
  if (CONTROL.test(name)) throw noName(false, number, 'it has a control character')
  if (name !== line && !isOciReference(line) && entryOrNothing(resolve(cwd, line)) !== undefined)
    throw noName(false, number, 'it ends with a carriage return, and so does a file of this name')
  return name
}

function noName(nul: boolean, number: number, state: string): UsageError {
  return new UsageError(
    `Cannot read the list: ${nul ? 'name' : 'line'} ${number} is not the name of a bundle: ${state}`,
    {
      field: 'bundles-from',
      hint: nul
        ? 'Write each name once, and NUL behind it'
        : 'Names with newlines fit no line: end each name with NUL, as find -print0 does, and add -0',
    },
  )
}

function chunksOf(file: string, { cwd, stdin }: Setting): AsyncIterable<Uint8Array> {
  return file === '-' ? stdin() : chunksAt(resolve(cwd, file), { follow: true, label: file })
}
