// An installed bundle and its folder → gone. Its high-water mark stays.

import { inRoot, isDisturbed, look } from '../io/root/install-root.ts'
import { checkRoot } from '../io/root/own-folder.ts'
import { bundlePath, folderPath, type Root } from '../io/root/root-places.ts'
import { tidyState, updateState } from '../io/state/change-state.ts'
import { readState } from '../io/state/state.ts'
import { refuseIfAborted } from '../io/write/write-atomic.ts'
import { RlpError, UsageError } from '../model/error.ts'
import type { AgentState } from '../model/state.ts'
import { quoted } from '../text/printable.ts'
import { readReference, referenceText } from '../version/reference.ts'
import { forget, hasFolder, installIn, withdraw } from './record.ts'
import { memoryOf, recover, removeBundle } from './recover.ts'

export interface Uninstalled {
  /** `name` or `name@variant`. */
  readonly agent: string
  /** Always true: an agent that is not installed is an error. */
  readonly changed: boolean
  /** The file that was removed, absolute. */
  readonly bundle: string
  /** The unpacked folder that was removed with it; null if there was none. */
  readonly folder: string | null
}

interface UninstallJob {
  readonly root: Root
  /** Where it is remembered what is installed. */
  readonly home: string
  readonly signal: AbortSignal
  /** Called when it is certain that there is something to remove; what it throws ends the job. */
  beforeRemoving?(): Promise<void>
  /** Asked once more when no other run can change the root, of what is remembered then; false ends the job. */
  mayRemove?(state: AgentState): boolean
}

/** @throws UsageError for what is no name of an agent */
export function agentNamed(text: string): string {
  const reference = readReference(text)
  if (reference !== undefined) return referenceText(reference)
  throw new UsageError(`Cannot uninstall ${quoted(text)}: it is not name or name@variant`, {
    field: 'name',
    hint: 'rlp agent list shows the names',
  })
}

/** @throws RlpError NOT_FOUND if nothing of it is in that root, CHANGED_WHILE_READING, NO_PERMISSION, IO */
export async function uninstallAgent(agent: string, job: UninstallJob): Promise<Uninstalled> {
  const { root, home, signal, beforeRemoving } = job
  const place = { root, home, agent }
  const isThere = checkRoot(root)
  // Clears away the traces of an interrupted run too, if there is nothing else to do.
  if (isThere && (await isDisturbed(root)) && (await isAbsent(place))) {
    await inRoot(root, `uninstall ${agent}`, () => recover(root, memoryOf(root, agent, home)), signal)
    await tidyState(agent, home)
  }
  await refuseAbsent(place)
  await beforeRemoving?.()
  const folder = await inRoot(root, `uninstall ${agent}`, () => remove(place, job), signal)
  return { agent, changed: true, bundle: bundlePath(root, agent), folder }
}

interface Place {
  readonly root: Root
  readonly home: string
  readonly agent: string
}

/** @returns the folder that was removed with it */
async function remove(
  place: Place,
  { signal, mayRemove = () => true }: UninstallJob,
): Promise<string | null> {
  const { root, home, agent } = place
  await recover(root, memoryOf(root, agent, home))
  await refuseAbsent(place)
  const state = await readState(agent, home)
  if (!mayRemove(state))
    throw new RlpError(
      'CHANGED_WHILE_READING',
      `Cannot uninstall ${agent}: it was installed again meanwhile`,
      {
        hint: 'Run the command again',
      },
    )
  const { folder } = await look(root, agent, hasFolder(state, root.path))
  const isDerived = folder === 'derived'
  refuseIfAborted(signal)
  await removeBundle(root, {
    agent,
    hasFolder: isDerived,
    forget: async () => {
      await updateState(agent, state => forget(withdraw(state, root.path), root.path), { home })
    },
  })
  return isDerived ? folderPath(root, agent) : null
}

/** An unpacked folder without its file is removed too, and so is the record of a file that is gone. */
async function isAbsent({ root, home, agent }: Place): Promise<boolean> {
  const { file, folder } = await look(root, agent, false)
  const isRemembered = installIn(await readState(agent, home), root.path) !== undefined
  return file === 'nothing' && folder !== 'derived' && !isRemembered
}

async function refuseAbsent(place: Place): Promise<void> {
  if (!(await isAbsent(place))) return
  const { root, agent } = place
  const { folder } = await look(root, agent, false)
  const seen = folder === 'nothing' ? 'it is not there' : 'the folder there was not installed by rlp'
  throw new RlpError('NOT_FOUND', `Cannot uninstall ${agent} from "${root.label}": ${seen}`, {
    hint:
      folder === 'nothing'
        ? 'rlp agent list shows what is installed where; name another root with --root'
        : 'Remove the folder by hand',
  })
}
