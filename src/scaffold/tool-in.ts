// An agent and the id of a tool → that tool.

import type { Agent } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { Tool } from '../model/tools.ts'
import { probablyMeant } from '../text/did-you-mean.ts'
import { quoted } from '../text/printable.ts'

/** Ids of the other tools. */
export function othersIn({ tools }: Agent, id: string): readonly string[] {
  return (tools?.tools ?? []).flatMap(tool => (tool.id === id ? [] : tool.id))
}

/** @throws RlpError NOT_FOUND */
export function toolIn({ tools, label }: Agent, id: string, verb: string): Tool {
  const all = tools?.tools ?? []
  const found = all.find(tool => tool.id === id)
  if (found !== undefined) return found
  const ids = all.map(tool => tool.id)
  const known =
    ids.length === 0
      ? `${label} has no tools; rlp tool add makes one`
      : `Its tools: ${ids.slice(0, 5).join(', ')}`
  const meant = probablyMeant(id, ids)
  throw new RlpError(
    'NOT_FOUND',
    `Cannot ${verb} the tool ${quoted(id)} of "${label}": there is no such tool`,
    { hint: meant === undefined ? known : `Did you mean ${meant}?` },
  )
}
