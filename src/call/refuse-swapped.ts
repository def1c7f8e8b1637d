// Refuses a call of a tool whose bundle is named first, with the order in which rlp tool call takes them.
import { resolve } from 'node:path'
import { readReference } from '../agent/agent-name.ts'
import { findInstalled } from '../io/find/find-installed.ts'
import { kindAt } from '../io/find/search-folders.ts'
import type { Root } from '../io/root/root-places.ts'
import { UsageError } from '../model/error.ts'
import { isOciReference } from '../oci/scheme.ts'
import { writePath, writeWords } from '../text/shell-words.ts'

interface Words {
  readonly id: string
  readonly target: string | undefined
}

/** @throws UsageError if the first word names a bundle, and the second names none */
export async function refuseSwapped(
  { id, target: tool }: Words,
  roots: readonly Root[],
  { cwd }: { readonly cwd: string },
): Promise<void> {
  const isBundle = async (word: string) => {
    if (isOciReference(word) || kindAt(resolve(cwd, word)) !== undefined) return true
    const reference = readReference(word)
    return reference !== undefined && (await findInstalled(reference, roots)) !== undefined
  }
  if (tool === undefined || (await isBundle(tool)) || !(await isBundle(id))) return
  throw new UsageError(`Cannot call ${JSON.stringify(id)}: it is a bundle, and no tool`, {
    field: 'id',
    hint: `Name the tool first: rlp tool call ${writeWords([tool])} ${writePath(id)}`,
  })
}
