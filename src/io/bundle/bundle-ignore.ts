// The bytes of a .bundleignore → its patterns. A source folder and a foreign archive leave out the same files.
import type { IgnoreFile } from '../../agent/ignore-file.ts'
import { RlpError } from '../../model/error.ts'
import { decodeText } from '../../text/decode.ts'

export const IGNORE_FILE = '.bundleignore'
const IGNORE_FILE_BYTES = 64 * 1024

export type Ignore = Extract<IgnoreFile, { ok: true }>

/**
 * @param name how people call the file
 * @returns undefined for an empty file
 * @throws RlpError LIMIT_EXCEEDED for patterns that cost too much, and for a file that is no text
 */
export async function ignoreFrom(bytes: Uint8Array, name: string): Promise<Ignore | undefined> {
  const decoded = decodeText(bytes, IGNORE_FILE_BYTES)
  if (!decoded.ok && decoded.problem.code === 'empty') return undefined
  const { readIgnoreFile } = await import('../../agent/ignore-file.ts')
  const file = decoded.ok
    ? readIgnoreFile(decoded.text)
    : { ok: false as const, line: 1, reason: decoded.problem.message }
  if (file.ok) return file
  throw new RlpError('LIMIT_EXCEEDED', `Cannot use "${name}": line ${file.line}: ${file.reason}`, {
    hint: 'Write simpler patterns, one per line, in gitignore syntax',
  })
}
