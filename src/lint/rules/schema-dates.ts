// Dates in the manifest's [schemas.with]: TOML has them and JSON does not, so readers would see different schemas.
import { type Agent, MANIFEST_FILE } from '../../model/agent.ts'
import type { Pointer } from '../../model/document.ts'
import { listSchemas } from './schema-list.ts'

/** The positions of dates and times. Their values are texts already; their spelling in the file tells them from strings. */
export function datesIn(agent: Agent): Pointer[] {
  const document = agent.documents.get(MANIFEST_FILE)
  const settings = [...listSchemas(agent)].find(({ role }) => role === 'settings')
  if (document === undefined || settings === undefined) return []
  const isDate = (pointer: Pointer) => !/["']/.test(document.text.charAt(document.locate(pointer).start))
  return [...textsIn(settings.schema, settings.at)].filter(isDate)
}

/** The strict reader has bounded the depth. */
function* textsIn(value: unknown, at: Pointer): Generator<Pointer> {
  if (typeof value === 'string' && /^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{2}:[0-9]{2}:)/.test(value)) yield at
  if (typeof value !== 'object' || value === null) return
  for (const [key, child] of Object.entries(value))
    yield* textsIn(child, [...at, Array.isArray(value) ? Number(key) : key])
}
