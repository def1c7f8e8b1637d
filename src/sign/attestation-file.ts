// Adds a line to the file of attestations of a bundle, or replaces one, in one step. The lines of everybody else stay as they are.
import { entryAt } from '../io/read/entry.ts'
import { readFile } from '../io/read/read-file.ts'
import { changeFile } from '../io/write/change-file.ts'
import { RlpError } from '../model/error.ts'
import { byteLimit } from '../model/limits.ts'
import { ownMembers } from '../model/own.ts'
import { MOST_FILE_BYTES, readAttestations } from '../statement/lines.ts'

export interface AttestationFile {
  /** Absolute. */
  readonly path: string
  readonly label: string
}

interface ChangeHow {
  /** In the grammar of messages: `attest in "scan.intoto.jsonl"`. */
  readonly doing: string
  /** What to do about a file that is full. */
  readonly hint: string
  readonly signal: AbortSignal
}

/**
 * @param change gets what is there while no other command writes
 * @returns whether it gave other bytes
 * @throws RlpError LIMIT_EXCEEDED where the file would be larger than what is read; then it is as it was
 */
export async function changeBeside(
  file: AttestationFile,
  how: ChangeHow,
  change: (before: Uint8Array) => Uint8Array | Promise<Uint8Array>,
): Promise<boolean> {
  const read = () => besideIn(file, how)
  return changeFile({ ...file, ...how, read, lock: '.rlp-lock' }, async (before, write) => {
    const bytes = await change(before)
    refuseTooMuch(bytes, file.label, how)
    await write(bytes, how.signal)
    return Buffer.compare(before, bytes) !== 0
  })
}

/** Adds a line. What is there need not end with a line end. */
export function lineAdded(before: Uint8Array, line: Uint8Array): Uint8Array {
  const isEnded = before.length === 0 || before.at(-1) === 0x0a
  return Buffer.concat([before, Buffer.from(isEnded ? '' : '\n'), line, Buffer.from('\n')])
}

/** Nothing where there is no file. @throws RlpError LIMIT_EXCEEDED for one that is not read, NO_PERMISSION, IO */
export async function besideIn(
  { path, label }: AttestationFile,
  how: Pick<ChangeHow, 'doing' | 'hint'>,
): Promise<Uint8Array> {
  if (entryAt(path) === undefined) return new Uint8Array()
  const most = MOST_FILE_BYTES
  const larger = () => {
    throw tooMuch(`it has more than ${byteLimit(most)}`, how)
  }
  const bytes = await readFile(path, { follow: true, label, most, larger })
  refuseTooMuch(bytes, label, how)
  return bytes
}

function refuseTooMuch(bytes: Uint8Array, label: string, how: Pick<ChangeHow, 'doing' | 'hint'>): void {
  const { problem, keyless } = ownMembers(readAttestations(label, bytes))
  const wrong = problem ?? keyless?.problem
  if (wrong !== undefined) throw tooMuch(wrong.message, how)
}

function tooMuch(state: string, { doing, hint }: Pick<ChangeHow, 'doing' | 'hint'>): RlpError {
  return new RlpError('LIMIT_EXCEEDED', `Cannot ${doing}: ${state}`, { hint })
}
