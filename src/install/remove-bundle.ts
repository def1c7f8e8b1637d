// An installed bundle → gone, the file last: until then it counts as installed, and the next run derives its folder again.
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { entryAt } from '../io/entry.ts'
import { io } from '../io/fail.ts'
import { bundlePath, type Root, stagingPath } from '../io/install-root.ts'
import { removeStamp } from '../io/stamp.ts'
import { syncFolder } from '../io/sync.ts'
import { swapFolder } from './place-bundle.ts'

export interface Removal {
  readonly agent: string
  /** Whether the folder was derived from the file. Anything else stays. */
  readonly hasFolder: boolean
  /** Writes down that it is gone. */
  readonly forget: () => Promise<void>
}

/** Staging is there, empty, and ours; whoever made it removes what is moved there. */
export async function removeBundle(root: Root, removal: Removal): Promise<void> {
  // Where nothing can be synced, that is said before anything has changed.
  await syncFolder(stagingPath(root))
  for (const { run } of removalSteps(root, removal)) await run()
}

/** After each of them a crash may come. */
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
        await io(`remove "${root.label}/${agent}.agent.bundle"`, () => rename(bundlePath(root, agent), aside))
        await syncFolder(root.path)
      },
    },
    { name: 'forget', run: forget },
  ]
}
