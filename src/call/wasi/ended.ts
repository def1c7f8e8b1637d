// What the runner wrote in the sandbox, and how its process ended → how the module ended.

import { join } from 'node:path'
import { objectIn } from '../../contract/json-text.ts'
import { readFile } from '../../io/read/read-file.ts'
import { RlpError } from '../../model/error.ts'
import { ownMembers } from '../../model/own.ts'
import type { LineEnd } from '../../sandbox/kinds/kind.ts'

export type ModuleEnd =
  /** By itself, with a code of its own: 0 to 255. */
  | { readonly is: 'exited'; readonly code: number }
  /** By a fault of its own, after which no code of it runs. */
  | { readonly is: 'trapped'; readonly why: string; readonly memoryBytes: number }
  /** Before any code of it ran. */
  | { readonly is: 'refused'; readonly why: string }
  /** With the engine, which says nothing more. */
  | { readonly is: 'lost'; readonly by: string }
  /** By its time limit. */
  | { readonly is: 'late' }
  /** By the caller. */
  | { readonly is: 'stopped' }

/** What the runner writes has less. */
const MOST_BYTES = 64 * 1024
const MOST_CHARACTERS = 300
const HIGHEST_CODE = 255

/**
 * @param folder which the program may write: what is in it is read as a stranger's
 * @param process how it ended; that counts where the runner did not get to its end
 */
export async function readEnded(folder: string, { exitCode, signal }: LineEnd): Promise<ModuleEnd> {
  return (await writtenIn(folder)) ?? { is: 'lost', by: signal ?? `exit code ${exitCode}` }
}

/** Undefined for what the runner cannot have written. */
async function writtenIn(folder: string): Promise<ModuleEnd | undefined> {
  const { is, code, step, name, message, memoryBytes } = ownMembers(
    objectIn(await textIn(join(folder, 'ended.json'))) ?? {},
  )
  if (is === 'exited' && typeof code === 'number')
    // What a system takes as an exit code. Cut to eight bits, 256 would be success.
    return { is, code: Number.isInteger(code) && code >= 0 && code < HIGHEST_CODE ? code : HIGHEST_CODE }
  if (typeof message !== 'string' || typeof name !== 'string') return undefined
  const why = message.slice(0, MOST_CHARACTERS)
  if (is === 'trapped' && typeof memoryBytes === 'number') return { is, why, memoryBytes }
  if (is === 'refused') return { is, why: step === 'open' ? `a folder cannot be opened: ${why}` : why }
  return undefined
}

async function textIn(path: string): Promise<string> {
  try {
    const bytes = await readFile(path, { follow: false, most: MOST_BYTES, larger: () => [] })
    return Buffer.from(bytes).toString()
  } catch (error) {
    // A runner that was ended wrote nothing; a link or a FIFO in its place is not from it.
    if (error instanceof RlpError) return ''
    throw error
  }
}
