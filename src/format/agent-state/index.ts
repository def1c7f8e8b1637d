// AgentState ↔ the bytes of its file. One row for each version that this build reads; the newest is written.
import type { AgentState } from '../../model/state.ts'
import { parseJson } from '../json/parse.ts'
import { ReadProblem } from '../json/read.ts'
import { readReference } from '../version/reference.ts'
import { readStateV1 } from './v1.ts'
import { readStateV2 } from './v2.ts'
import { readStateV3 } from './v3.ts'
import { readStateV4 } from './v4.ts'

interface StateVersion {
  readonly version: number
  /** @throws ReadProblem */
  read(value: unknown, agent: string): AgentState
}

const NEWEST: StateVersion = { version: 4, read: readStateV4 }

export const STATE_VERSIONS: readonly StateVersion[] = [
  { version: 1, read: readStateV1 },
  { version: 2, read: readStateV2 },
  { version: 3, read: readStateV3 },
  NEWEST,
]

export type ReadAgentState =
  | { readonly ok: true; readonly state: AgentState }
  | { readonly ok: false; readonly problem: string }

/** @param agent the agent of this file: a file about another agent was moved there */
export function readAgentState(path: string, bytes: Uint8Array, agent: string): ReadAgentState {
  const parsed = parseJson(path, bytes)
  if (!parsed.ok) return { ok: false, problem: parsed.problem.message }
  try {
    const { value } = parsed.document
    const state = rowOf(value).read(value, agent)
    if (state.agent !== agent || readReference(agent) === undefined)
      return { ok: false, problem: 'it is about another agent' }
    return { ok: true, state }
  } catch (error) {
    if (!(error instanceof ReadProblem)) throw error
    return { ok: false, problem: error.message }
  }
}

export function writeAgentState(state: AgentState): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ version: NEWEST.version, ...state }, null, 1)}\n`)
}

function rowOf(value: unknown): StateVersion {
  const stated = typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined
  const row = STATE_VERSIONS.find(({ version }) => version === stated)
  if (row !== undefined) return row
  const known = STATE_VERSIONS.map(({ version }) => version).join(', ')
  throw new ReadProblem(`version is ${JSON.stringify(stated) ?? 'missing'}, and this build reads ${known}`)
}
