// Removes an installed bundle, the file last: until then it counts as installed, and the next run unpacks its folder again.
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { io } from '../io/fail.ts'
import { entryAt } from '../io/read/entry.ts'
import { stagingPath } from '../io/root/install-root.ts'
import { removeStamp } from '../io/root/own-folder.ts'
import { bundlePath, type Root } from '../io/root/root-places.ts'
import { syncFolder } from '../io/write/write-atomic.ts'
import { besideBundle } from '../statement/beside-bundle.ts'
import { swapFolder } from './place-bundle.ts'

export interface Removal {
  readonly agent: string
  /** Whether the folder was unpacked from the file. Any other folder stays. */
  readonly hasFolder: boolean
  /** Records that it is gone. */
  readonly forget: () => Promise<void>
}

/** Staging exists, is empty, and is ours; its maker removes what is moved there. */
export async function removeBundle(root: Root, removal: Removal): Promise<void> {
  // If nothing can be synced, fail before anything has changed.
  await syncFolder(stagingPath(root))
  for (const { run } of removalSteps(root, removal)) await run()
}

/** A crash may happen after each of them. */
export function removalSteps(
  root: Root,
  { agent, hasFolder, forget }: Removal,
): { readonly name: string; run(): Promise<void> }[] {
  return [
    { name: 'unstamp', run: () => removeStamp(root.path, agent, join(stagingPath(root), 'stamp')) },
    {
      name: 'remove-folder',
      async run() {
        if (hasFolder) await swapFolder(root, agent, undefined)
      },
    },
    {
      name: 'remove-file',
      async run() {
        const aside = join(stagingPath(root), 'bundle')
        if (entryAt(bundlePath(root, agent)) === undefined) return
        const evidence = besideBundle(bundlePath(root, agent))
        if (entryAt(evidence) !== undefined)
          await io(`remove "${root.label}/${agent}.agent.bundle.intoto.jsonl"`, () =>
            rename(evidence, join(stagingPath(root), 'attestations')),
          )
        await io(`remove "${root.label}/${agent}.agent.bundle"`, () => rename(bundlePath(root, agent), aside))
        await syncFolder(root.path)
      },
    },
    { name: 'forget', run: forget },
  ]
}
