// A folder or a reference → the channel that it keeps, checked, and open while a job changes it.

import { channelReferenceProblem } from '../channel-file/followed.ts'
import { absolute } from '../io/layout-folder.ts'
import { noReference, referenceIn } from '../io/reference.ts'
import { timed } from '../io/wait/deadline.ts'
import type { Reach } from '../io/wait/reach.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { isOciReference } from '../oci/scheme.ts'
import { openStore } from '../registry/open-store.ts'
import type { Store } from '../registry/store.ts'
import { writePath } from '../text/shell-words.ts'
import { contentsProblem, draftProblem } from './check-contents.ts'
import { type ChannelContents, NO_DRAFT, readContents, writeContents } from './contents.ts'

export interface ChannelUse extends Reach {
  /** The user's folder, with what they have seen of channels; false if nothing is remembered. */
  readonly home: string | false
  readonly cwd: string
}

/** @throws UsageError for a reference: what is drafted is worked on in a folder */
export function refuseReference(folder: string, doing: string): void {
  if (!isOciReference(folder)) return
  throw new UsageError(`Cannot ${doing} in "${folder}": a folder is needed`, {
    field: 'folder',
    hint: `Fetch it with rlp channel pull ${writePath(folder)} FOLDER, and name that folder`,
  })
}

/** @param field the argument. @throws UsageError for what is no reference */
export function refuseNoReference(text: string, doing: string, field: string): void {
  if (isOciReference(text)) return
  throw noReference(text, {
    message: `Cannot ${doing} "${text}": it is no reference`,
    field,
    hint: 'Write oci://HOST[:PORT]/REPOSITORY or oci-layout:FOLDER',
  })
}

/** @param where a folder, or a reference without a tag */
async function withChannelStore<T>(
  where: string,
  use: ChannelUse,
  writes: boolean,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  // A slash at the end says that a colon before it belongs to the folder's name.
  const folder = where.includes(':') && !where.endsWith('/') ? `${where}/` : where
  const text = absolute(isOciReference(where) ? where : `oci-layout:${folder}`, use.cwd)
  const problem = channelReferenceProblem(text)
  if (problem !== undefined)
    throw new UsageError(`Cannot open the channel "${where}": ${problem}`, {
      hint: 'Name a folder, or write oci://HOST[:PORT]/REPOSITORY',
    })
  const reference = referenceIn(text, 'open')
  const store = await openStore(reference, await timed(use, reference), { writes })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Undefined if nothing of a channel is there. @throws RlpError NOT_VERIFIED for one that is not sound */
async function checkedContents(store: Store): Promise<ChannelContents | undefined> {
  const contents = await readContents(store)
  if (contents === undefined || isNothing(contents)) return undefined
  const problem = contentsProblem(contents)
  if (problem === undefined) return withoutDone(contents)
  throw new RlpError(
    'NOT_VERIFIED',
    `Cannot read the channel in "${store.label}": it is not sound: ${problem}`,
    {
      hint: 'Who carries it has changed it, or lost a part. Get it again from another person who publishes it',
    },
  )
}

function isNothing({ roots, release, draft }: ChannelContents): boolean {
  return [...roots, release, draft.root, draft.release].every(one => one === undefined)
}

/** Work that was ended between two writes leaves a draft beside the same statement, complete. */
function withoutDone(contents: ChannelContents): ChannelContents {
  const { roots, release, draft } = contents
  const root = roots.some(({ digest }) => digest === draft.root?.digest) ? undefined : draft.root
  const isReleased = draft.release !== undefined && draft.release.digest === release?.digest
  if (root === draft.root && !isReleased) return contents
  if (root === undefined && (isReleased || draft.release === undefined))
    return { ...contents, draft: NO_DRAFT }
  return { ...contents, draft: isReleased ? { ...NO_DRAFT, root } : { ...draft, root } }
}

/** @throws RlpError NOT_VERIFIED for a draft that does not follow what is complete, or has other files than it names */
export function refuseUnsoundDraft(contents: ChannelContents, doing: string, where: string): void {
  const problem = draftProblem(contents)
  if (problem === undefined) return
  throw new RlpError('NOT_VERIFIED', `Cannot ${doing}: the draft in "${where}" is not sound: ${problem}`, {
    hint: 'Make it again with rlp channel release or rotate; rlp channel push with `force` puts it in the place of another',
  })
}

/** @throws RlpError NOT_FOUND if there is no channel */
export async function contentsAt(where: string, use: ChannelUse): Promise<ChannelContents> {
  const contents = await withChannelStore(where, use, false, checkedContents)
  if (contents !== undefined) return contents
  throw new RlpError('NOT_FOUND', `Cannot find a channel in "${where}": nothing of one is there`, {
    hint: 'Check the place. rlp channel init begins a channel, and rlp channel pull fetches one',
  })
}

/**
 * Reads, changes and writes under the place's lock.
 * @param change gets undefined where nothing of a channel is there
 */
export async function changeChannel<T extends { readonly contents: ChannelContents }>(
  where: string,
  use: ChannelUse,
  change: (contents: ChannelContents | undefined) => T | Promise<T>,
): Promise<T & { readonly changed: boolean }> {
  return withChannelStore(where, use, true, store =>
    store.changing(async () => {
      const done = await change(await checkedContents(store))
      const tags = await writeContents(store, done.contents)
      return { ...done, changed: tags.length > 0 }
    }),
  )
}

/** The same for a channel that has to be there. */
export async function changeThere<T extends { readonly contents: ChannelContents }>(
  where: string,
  use: ChannelUse,
  change: (contents: ChannelContents) => T | Promise<T>,
): Promise<T & { readonly changed: boolean }> {
  // Before there is a lock: a name that is wrong makes no folder.
  await contentsAt(where, use)
  return changeChannel(where, use, contents => {
    if (contents === undefined)
      throw new RlpError('CHANGED_WHILE_READING', `Cannot change the channel in "${where}": it is gone`)
    return change(contents)
  })
}
