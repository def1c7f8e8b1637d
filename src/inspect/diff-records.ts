// interfaces.json → what its records say of a tool, as fields of a difference. Part of diff.ts.
import { restrictionsIn } from '../caps/restrictions.ts'
import { safetyIn } from '../caps/safety.ts'
import { titlesIn } from './told.ts'

/**
 * A record grants nothing, and may restrict: a restriction that comes or goes is a difference, also where tools.json stays the same.
 *
 * @param fileAt the parsed JSON file of the agent at a path, if there is one
 */
export function recordFieldsIn(fileAt: (path: string) => unknown): (id: string) => Record<string, unknown> {
  const restrict = restrictionsIn(fileAt)
  const safetyOf = safetyIn(fileAt)
  const titleOf = titlesIn(fileAt)
  return id => {
    const facts = Object.entries(safetyOf(id) ?? {}).map(([key, value]) => [`interfaces.${key}`, value])
    return { title: titleOf(id), restricted: restrict(id).reason, ...Object.fromEntries(facts) }
  }
}
