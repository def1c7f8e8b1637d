// Version 4 of the state: an install also says where it was read from, when its signatures expire, and by which lock it came.
import type { AgentState } from '../../model/state.ts'
import { readInstallWithSource } from './parts.ts'
import { readPlaced } from './v3.ts'

export function readStateV4(value: unknown): AgentState {
  return readPlaced(value, readInstallWithSource)
}
