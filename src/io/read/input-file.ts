// A named file or standard input → its bytes, up to a limit.
import { resolve } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { byteLimit, PARSE_LIMITS } from '../../model/limits.ts'
import type { Setting } from '../setting.ts'
import { readFile } from './read-file.ts'

/** The limit for texts that are read strictly. */
const MAX_BYTES = PARSE_LIMITS.textBytes

/** @param name a path, or `-` for standard input. @throws RlpError NOT_FOUND, WRONG_FILE_TYPE, NO_PERMISSION, LIMIT_EXCEEDED */
export async function readInput(name: string, io: Setting): Promise<Uint8Array> {
  if (name === '-') return readStandardInput(io)
  const larger = (size: number) => {
    throw tooLarge(name, `it has ${size} bytes`)
  }
  return readFile(resolve(io.cwd, name), { follow: true, label: name, most: MAX_BYTES, larger })
}

async function readStandardInput(io: Setting): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of io.stdin()) {
    size += chunk.length
    if (size > MAX_BYTES) throw tooLarge('-', 'it has more')
    chunks.push(Uint8Array.from(chunk))
  }
  return Buffer.concat(chunks)
}

function tooLarge(name: string, seen: string): RlpError {
  return new RlpError(
    'LIMIT_EXCEEDED',
    `Cannot read "${name}": ${seen}; at most ${byteLimit(MAX_BYTES)} are read`,
    { hint: 'Split it into several files, or name the file that was meant' },
  )
}
