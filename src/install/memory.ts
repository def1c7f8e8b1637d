// What is remembered of a root, for clearing away what an interrupted run left there.
import { runloopHome } from '../io/home.ts'
import type { Root } from '../io/root/root-places.ts'
import { updateState } from '../io/state/change-state.ts'
import { readState } from '../io/state/state.ts'
import { RlpError } from '../model/error.ts'
import { hasFolder, installIn, settle } from './record.ts'
import type { Memory } from './recover.ts'

/** What the state says of a root. That of another agent may be unusable: then only that agent’s root is left as it is. */
export function memoryOf(root: Root, current: string, home: string = runloopHome()): Memory {
  return {
    async knows(agent) {
      try {
        return installIn(await readState(agent, home), root.path) !== undefined
      } catch (error) {
        if (!(error instanceof RlpError) || agent === current) throw error
        return false
      }
    },
    async recall(agent, fileDigest) {
      const state = await readState(agent, home)
      const install = installIn(state, root.path, fileDigest)
      return install && { unpacked: install.unpacked, hadFolder: hasFolder(state, root.path) }
    },
    async settle(agent, fileDigest) {
      await updateState(agent, state => settle(state, root.path, fileDigest), { home })
    },
  }
}
