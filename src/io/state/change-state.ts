// Changes of what is remembered of an agent. Apart from reading it, which is all that verification does.

import { promises as fs } from 'node:fs'
import { dirname } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { byteLimit } from '../../model/limits.ts'
import { ownMembers } from '../../model/own.ts'
import type { AgentState } from '../../model/state.ts'
import { readAgentState, writeAgentState } from '../../state/agent-state.ts'
import { MAX_TEXT_BYTES } from '../../text/decode.ts'
import { io } from '../fail.ts'
import { runloopHome } from '../home.ts'
import { changeFile, tidyChange } from '../write/change-file.ts'
import { syncFolder } from '../write/write-atomic.ts'
import { readState, stateFolder, statePath } from './state.ts'

/**
 * Changes what is remembered of an agent, under a lock: `change` gets the newest state, including what others wrote meanwhile.
 * @throws RlpError LIMIT_EXCEEDED if it would be too long to be read again, and as {@link readState}
 */
export async function updateState(
  agent: string,
  change: (state: AgentState) => AgentState,
  how: { readonly home?: string; readonly signal?: AbortSignal } = {},
): Promise<AgentState> {
  const { home = runloopHome(), signal } = ownMembers(how)
  const path = statePath(agent, home)
  // Read first, so that a bad state fails before a lock is written beside it.
  await readState(agent, home)
  await makeFolder(home)
  const doing = `remember what is installed of ${agent}`
  const read = () => readState(agent, home)
  return changeFile({ path, doing, read, readBy: 'its user', signal }, async (before, write) => {
    let state = change(before)
    let bytes = writeAgentState(state)
    let problem = problemIn(path, bytes, agent)
    // Without an older baseline more is new to the next version, never less.
    while (problem !== undefined && state.baselines.length > 1) {
      state = { ...state, baselines: state.baselines.slice(1) }
      bytes = writeAgentState(state)
      problem = problemIn(path, bytes, agent)
    }
    if (problem !== undefined)
      throw new RlpError(
        'LIMIT_EXCEEDED',
        `Cannot ${doing}: its permissions could not be read again: ${problem}`,
        {
          hint: 'Ask its author for one with fewer tools and grants: the next version is compared with these',
        },
      )
    await write(bytes)
    return state
  })
}

/** Clears away what a killed change left, for a later run that finds no more work to do. */
export async function tidyState(agent: string, home: string = runloopHome()): Promise<void> {
  await tidyChange(statePath(agent, home), `remember what is installed of ${agent}`)
}

/** Why what is written could not be read again: what cannot be read makes every verdict `indeterminate`. */
function problemIn(path: string, bytes: Uint8Array, agent: string): string | undefined {
  if (bytes.length > MAX_TEXT_BYTES)
    return `they take ${bytes.length} bytes, more than ${byteLimit(MAX_TEXT_BYTES)}`
  const read = readAgentState(path, bytes, agent)
  return read.ok ? undefined : read.problem
}

async function makeFolder(home: string): Promise<void> {
  const folder = stateFolder(home)
  const first = await io(`create the folder "${folder}"`, () =>
    fs.mkdir(folder, { recursive: true, mode: 0o700 }),
  )
  if (first !== undefined) await syncFolder(dirname(first))
}
