// Dates in the manifest's [schemas.with]: TOML has them and JSON does not, so readers would see different schemas.
import { type Agent, MANIFEST_FILE } from '../../model/agent.ts'
import type { Pointer } from '../../model/document.ts'

/** The positions of dates and times. Their values are texts already. */
export function datesIn(agent: Agent): readonly Pointer[] {
  const dates = agent.documents.get(MANIFEST_FILE)?.dates ?? []
  return dates.filter(([first, second]) => first === 'schemas' && second === 'with')
}
