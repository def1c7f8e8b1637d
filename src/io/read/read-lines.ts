// One file → its lines, one at a time, in memory that does not grow with the file.
import { RlpError } from '../../model/error.ts'
import { chunksAt } from './read-file.ts'

export interface Line {
  /** Without its newline; a copy. */
  readonly bytes: Uint8Array
  /** False for a last line without a newline. */
  readonly isWhole: boolean
}

const NEWLINE = 0x0a

/** @throws RlpError LIMIT_EXCEEDED for a line of more than `most` bytes, and what reading throws */
export async function* readLines(path: string, label: string, most: number): AsyncGenerator<Line> {
  let parts: Uint8Array[] = []
  let length = 0
  const keep = (bytes: Uint8Array): void => {
    length += bytes.length
    if (length > most) {
      const hint = 'Name a file whose lines are shorter: none that rlp writes is so long'
      throw new RlpError('LIMIT_EXCEEDED', `Cannot read "${label}": a line has more than ${most} bytes`, {
        hint,
      })
    }
    parts.push(bytes.slice())
  }
  for await (const chunk of chunksAt(path, { follow: true, label })) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, at))
      yield { bytes: Buffer.concat(parts), isWhole: true }
      parts = []
      length = 0
      from = at + 1
    }
    if (from < chunk.length) keep(chunk.subarray(from))
  }
  if (length > 0) yield { bytes: Buffer.concat(parts), isWhole: false }
}
