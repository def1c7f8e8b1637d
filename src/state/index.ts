// AgentState ↔ the bytes of its file. A file of another version is refused: what it leaves out would have to be guessed.

import { parseJson } from '../json/parse.ts'
import { ReadProblem } from '../json/read.ts'
import type { AgentState } from '../model/state.ts'
import { readReference } from '../version/reference.ts'
import { readMembers } from './members.ts'

const VERSION = 4

export type ReadAgentState =
  | { readonly ok: true; readonly state: AgentState }
  | { readonly ok: false; readonly problem: string; readonly hint: string }

const CHANGED =
  'It tells what was installed before. Put it back from a backup, or look into what changed it before you remove it'
const OTHER_VERSION =
  'Use the rlp that wrote it. If there is none any more, move the file away: the next install then asks as the first one does, and refuses no older version'

/** @param agent the agent of this file: a file about another agent was moved there */
export function readAgentState(path: string, bytes: Uint8Array, agent: string): ReadAgentState {
  const parsed = parseJson(path, bytes)
  if (!parsed.ok) return { ok: false, problem: parsed.problem.message, hint: CHANGED }
  const { value } = parsed.document
  const stated = typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined
  if (stated !== undefined && stated !== VERSION) {
    const problem = `its version is ${JSON.stringify(stated)}, and this build reads ${VERSION}`
    return { ok: false, problem, hint: OTHER_VERSION }
  }
  try {
    const state = readMembers(value)
    if (state.agent === agent && readReference(agent) !== undefined) return { ok: true, state }
    return { ok: false, problem: 'it is about another agent', hint: CHANGED }
  } catch (error) {
    if (!(error instanceof ReadProblem)) throw error
    return { ok: false, problem: error.message, hint: CHANGED }
  }
}

export function writeAgentState(state: AgentState): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ version: VERSION, ...state }, null, 1)}\n`)
}
