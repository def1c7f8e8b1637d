// A look at a root without its lock, while another run may be changing it.
import { join } from 'node:path'
import { entryOrNothing } from '../io/read/entry.ts'
import type { Root } from '../io/root/root-places.ts'
import { RlpError } from '../model/error.ts'

/**
 * The result of `look` without the lock. Undefined if it fails while another run may be in the middle of its steps: then only the holder
 * of the lock can judge.
 */
export async function unlessOthersAreAtIt<T>(root: Root, look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look()
  } catch (error) {
    if (!(error instanceof RlpError) || entryOrNothing(join(root.path, '.rlp')) === undefined) throw error
    return undefined
  }
}
