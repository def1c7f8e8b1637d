// A tool → the secrets that it lists and that no part of it sends. A program gets all of its secrets in its environment.
import type { Tool } from '../model/tools.ts'
import { placeholdersIn } from '../tools/template.ts'
import { transportKind } from '../tools/transports/index.ts'

interface UnsentSecret {
  readonly id: string
  /** Its index in the tool's list. */
  readonly position: number
}

export function unsentSecrets({ transport, secrets }: Pick<Tool, 'transport' | 'secrets'>): UnsentSecret[] {
  const kind = transportKind(transport)
  if (kind.secrets.in === 'environment' || secrets.length === 0) return []
  const parts = kind.templates(transport).flatMap(({ text }) => placeholdersIn(text))
  const sent = new Set(parts.flatMap(part => (part.kind === 'secret' ? part.id : [])))
  return secrets.flatMap((id, position) => (sent.has(id) ? [] : { id, position }))
}
