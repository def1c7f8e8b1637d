// A trust policy on disk + a change of its text → the new file, written whole and under a lock. A file that others may write is not
// edited.
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { io } from '../io/fail.ts'
import { SYSTEM_TRUST_POLICY } from '../io/home.ts'
import { refuseForeign } from '../io/owner/owner.ts'
import { readOwn } from '../io/owner/read-own.ts'
import { Ways } from '../io/owner/ways.ts'
import { realPath } from '../io/read/real-path.ts'
import { changeFile, tidyChange } from '../io/write/change-file.ts'
import { makeParents } from '../io/write/make-parents.ts'
import { ownedBy, type ReadBy } from '../io/write/own-file.ts'
import { replaceFile } from '../io/write/replace-file.ts'
import type { Document } from '../model/document.ts'
import { RlpError } from '../model/error.ts'
import { lineColumn } from '../text/decode.ts'
import { parseTrustPolicy } from '../trust-policy/parse.ts'

/** A policy that can be edited. */
export interface EditableFile {
  readonly path: string
  /** Name of the file in messages. */
  readonly label: string
  /** Its content if it does not exist. */
  readonly initial: string
}

/** A new file beside a policy, which the policy names. */
interface FileBeside {
  readonly name: string
  readonly bytes: Uint8Array
}

export interface ReadFile {
  readonly document: Document
  /** Undefined if the file does not exist. */
  readonly bytes: Uint8Array | undefined
}

/** @throws RlpError NOT_EDITABLE if it is not TOML, NO_PERMISSION if others may write it */
export async function readEditable({ path, label, initial }: EditableFile): Promise<ReadFile> {
  const bytes = await readOwn(path, new Ways())
  const parsed = parseTrustPolicy(label, bytes ?? new TextEncoder().encode(initial))
  if (parsed.ok) return { document: parsed.document, bytes }
  const { message, offset = 0 } = parsed.problem
  const line = parsed.text === undefined ? 1 : lineColumn(parsed.text, offset).line
  throw new RlpError('NOT_EDITABLE', `Cannot edit ${label}: line ${line}: ${message}`, {
    hint: 'Correct it by hand',
  })
}

/**
 * Applies `change` to the file's text under the lock. A new file is for its owner alone, except for the system's policy, which every user
 * reads.
 */
export async function updateTrustPolicy(
  file: EditableFile,
  change: (document: Document, bytes: Uint8Array | undefined) => string,
  { beside, signal }: { readonly beside?: FileBeside | undefined; readonly signal?: AbortSignal } = {},
): Promise<void> {
  const { label } = file
  const path = await realPath(file.path, label)
  const folder = dirname(path)
  await makeParents(folder, 0o700)
  refuseForeign(`rely on "${folder}"`, folder, await io(`look at "${folder}"`, () => stat(folder)), 'folder')
  const read = () => readEditable({ ...file, path })
  const locked = { path, label, doing: `edit ${label}`, read, readBy: readersOf(path), signal }
  await changeFile({ ...locked, edited: ({ bytes }) => bytes }, async ({ document, bytes }, write) => {
    const text = change(document, bytes)
    // First: a policy whose root is missing decides nothing.
    if (beside !== undefined) await writeBeside(file.path, beside, signal)
    if (bytes === undefined || text !== document.text) await write(text, signal)
  })
}

/** Beside the name of the policy, where it is looked for; not where a link of that name leads. */
async function writeBeside(policy: string, { name, bytes }: FileBeside, signal?: AbortSignal): Promise<void> {
  const folder = dirname(policy)
  refuseForeign(`rely on "${folder}"`, folder, await io(`look at "${folder}"`, () => stat(folder)), 'folder')
  const like = ownedBy(readersOf(policy))
  await replaceFile(join(folder, name), bytes, { label: name, before: undefined, like, signal })
}

/** Every user reads the system’s policy, and what belongs to it. */
function readersOf(policy: string): ReadBy {
  return policy === SYSTEM_TRUST_POLICY ? 'everybody' : 'its user'
}

/** Clears away what a killed edit left, for a later run that has nothing to change. */
export async function tidyTrustPolicy({ path, label }: EditableFile, signal?: AbortSignal): Promise<void> {
  await tidyChange(await realPath(path, label), `edit ${label}`, signal)
}
