// Every place where an agent names a secret by its id.
import { type Agent, POLICY_FILE, TOOLS_FILE } from '../../model/agent.ts'
import type { Pointer } from '../../model/document.ts'
import { toolsOf } from './agent-tools.ts'
import { once } from './once.ts'
import { policyLists } from './policy-lists.ts'

export interface SecretPlace {
  readonly id: string
  readonly file: string
  readonly pointer: Pointer
}

/** In the order of policy.caps, then of tools.json; the first position of each id. */
export const secretIds: (agent: Agent) => readonly SecretPlace[] = once(findSecretIds)

function findSecretIds(agent: Agent): SecretPlace[] {
  const found = new Map<string, SecretPlace>()
  const add = (id: string, file: string, pointer: Pointer) => {
    if (!found.has(id)) found.set(id, { id, file, pointer })
  }
  const granted = policyLists(agent).find(({ key }) => key === 'secrets')
  for (const [index, id] of granted?.entries ?? []) add(id, POLICY_FILE, [...(granted?.at ?? []), index])
  for (const { index, tool } of toolsOf(agent)) {
    for (const [position, id] of tool.secrets.entries())
      add(id, TOOLS_FILE, ['tools', index, 'secrets', position])
  }
  return [...found.values()]
}
