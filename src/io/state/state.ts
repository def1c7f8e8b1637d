// ~/.runloop/state: one file for each agent with what is remembered of it. A state file that cannot be read is an error, never "nothing
// is known": an attacker who made it unreadable could roll an agent back.
import { promises as fs } from 'node:fs'
import { RlpError } from '../../model/error.ts'
import type { AgentState } from '../../model/state.ts'
import type { FoundMarks } from '../../model/trust.ts'
import { readAgentState } from '../../state/agent-state.ts'
import { wasSigned } from '../../state/marks.ts'
import { MAX_TEXT_BYTES } from '../../text/decode.ts'
import { readReference } from '../../version/reference.ts'
import { io } from '../fail.ts'
import { pathBelow, runloopHome } from '../home.ts'
import { Ways } from '../owner/ways.ts'
import { readPrivate } from '../read/read-private.ts'

export function stateFolder(home: string = runloopHome()): string {
  return pathBelow(home, 'state')
}

/** The state of an unknown agent. */
export function noState(agent: string): AgentState {
  return { agent, marks: [], wasInstalled: false, baselines: [], installs: [], pending: [], resets: [] }
}

/**
 * What is remembered of an agent.
 * @param agent a reference, `name` or `name@variant`
 * @throws RlpError NO_PERMISSION if others may write it, IO if it cannot be read or is malformed
 */
export async function readState(agent: string, home: string = runloopHome()): Promise<AgentState> {
  return knownState(agent, new Ways(), home)
}

/** The same in the course of a judgement. */
export async function knownState(agent: string, ways: Ways, home: string): Promise<AgentState> {
  return readStateIn(agent, ways, [home, stateFolder(home)])
}

/** @param folders that lead to the state, outermost first; the last one holds it */
async function readStateIn(
  agent: string,
  ways: Ways,
  folders: readonly [string, ...string[]],
): Promise<AgentState> {
  const path = pathIn(folders.at(-1) ?? folders[0], agent)
  const bytes = await readPrivate(path, folders, MAX_TEXT_BYTES, ways)
  if (bytes === undefined) return noState(agent)
  const read = readAgentState(path, bytes, agent)
  if (read.ok) return read.state
  throw new RlpError('IO', `Cannot rely on "${path}": ${read.problem}`, { hint: read.hint })
}

/** An agent's high-water marks, for verification. */
export async function findMarks(
  agent: string,
  ways: Ways,
  home: string = runloopHome(),
): Promise<FoundMarks> {
  return marksFrom(agent, () => knownState(agent, ways, home))
}

/**
 * The same from a folder that the caller names. It has to be there: a misspelt name must not mean "nothing is known".
 *
 * @param folder as `~/.runloop/state` is
 */
export async function findMarksIn(folder: string, agent: string, ways: Ways): Promise<FoundMarks> {
  return marksFrom(agent, async () => {
    await io(`rely on "${folder}"`, () => fs.access(folder))
    return readStateIn(agent, ways, [folder])
  })
}

async function marksFrom(agent: string, read: () => Promise<AgentState>): Promise<FoundMarks> {
  try {
    const state = await read()
    return { marks: state.marks.map(mark => ({ agent, ...mark })), wasSigned: wasSigned(state) }
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    return { problem: error.message, hint: error.hint }
  }
}

/** A checked reference has no slash or dot, so it cannot lead out of the folder. */
export function statePath(agent: string, home: string): string {
  return pathIn(stateFolder(home), agent)
}

function pathIn(folder: string, agent: string): string {
  if (readReference(agent) === undefined) throw new TypeError(`${JSON.stringify(agent)} is no reference`)
  return pathBelow(folder, `${agent}.json`)
}
