// Bytes of rlp.lock → Lock, or why it is refused, with the line. It has one byte form: what reads well is written again and compared.

import type { Pointer } from '../model/document.ts'
import { LOCK_VERSION, type Lock, type LockProblem } from '../model/lock.ts'
import { ownMembers } from '../model/own.ts'
import { decodeText, lineColumn } from '../text/decode.ts'
import { quoted } from '../text/printable.ts'
import { parseToml } from '../toml/parse.ts'
import { LockReader } from './tables.ts'
import { writeLock } from './write.ts'

export type ReadLock =
  | { readonly ok: true; readonly lock: Lock }
  | { readonly ok: false; readonly problems: readonly LockProblem[] }

const CONFLICT = /^(?:<{7}|\|{7}|={7}|>{7})(?: |$)/

/** @param path name of the file in messages. Never throws for any bytes. */
export function readLock(path: string, bytes: Uint8Array): ReadLock {
  const decoded = decodeText(bytes)
  if (decoded.ok) {
    const at = linesOf(decoded.text).findIndex(line => CONFLICT.test(line))
    if (at !== -1) return no(at + 1, 'a merge left its marks here')
  }
  const parsed = parseToml(path, bytes)
  if (!parsed.ok) {
    const { offset = 0, message } = parsed.problem
    return no(parsed.text === undefined ? 1 : lineColumn(parsed.text, offset).line, message)
  }
  const { document } = parsed
  const lineOf = (pointer: Pointer, part: 'key' | 'value' = 'key') =>
    lineColumn(document.text, document.locate(pointer, part).start).line
  const { version } = ownMembers(document.value as { readonly version?: unknown })
  if (typeof version === 'number' && version > LOCK_VERSION)
    return no(
      lineOf(['version']),
      `version ${version} is newer than this build reads, which is ${LOCK_VERSION}`,
    )
  const reader = new LockReader(document)
  const lock = reader.lock()
  if (reader.problems.length > 0) {
    const problems = reader.problems.map(({ pointer, part, message }) => ({
      line: lineOf(pointer, part),
      message,
    }))
    return { ok: false, problems }
  }
  const written = writeLock(lock)
  return written === document.text ? { ok: true, lock } : differing(document.text, written)
}

/** Reads well, and is not what rlp writes: names the first line. */
function differing(text: string, written: string): ReadLock {
  const [is, should] = [linesOf(text), linesOf(written)]
  const at = should.findIndex((line, index) => is[index] !== line)
  if (at === -1) return no(should.length, 'nothing may follow the last line')
  const [found, expected = ''] = [is[at], should[at]]
  const end = at === should.length - 1
  if (found === undefined || end)
    return no(Math.min(at + 1, is.length), 'the file ends in another way than rlp ends it')
  return no(at + 1, `it is not as rlp writes it: expected ${quoted(expected, 160)}`)
}

/** A carriage return stays in its line, where it is another byte. */
function linesOf(text: string): string[] {
  return text.split('\n')
}

function no(line: number, message: string): ReadLock {
  return { ok: false, problems: [{ line, message }] }
}
