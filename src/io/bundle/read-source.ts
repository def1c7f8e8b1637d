// A folder that an author works in → its agent. Other work goes on while it is parsed.
import { readInTurns } from '../../agent/read-in-turns.ts'
import type { Agent } from '../../model/agent.ts'
import type { Target } from '../find/find-agents.ts'
import { readTree } from '../read/read-tree.ts'
import type { Setting } from '../setting.ts'
import { turnsOf } from '../wait/breathe.ts'

/** @param digest `held` leaves large files unread */
export async function readSourceFolder(
  { path, label }: Pick<Target, 'path' | 'label'>,
  digest: 'all' | 'held',
  { signal, onProgress }: Partial<Pick<Setting, 'signal' | 'onProgress'>>,
): Promise<Agent> {
  const files = await readTree(path, label, { as: 'source', digest, signal, onProgress })
  return readInTurns(files, label, 'source', turnsOf(`reading "${label}"`, signal))
}
