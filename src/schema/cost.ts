// Linked schemas → whether checking one value with them ends soon: references can form circles, or double at every step.
import type { JsonSchema } from '../model/tools.ts'
import { quoteText } from '../text/quote.ts'
import type { Link, LinkedSchemas, SchemaProblem } from './link.ts'
import { inner } from './walk.ts'

/** The most subschemas that may check one value. 30 schemas that each refer to the next one twice would be a billion. */
const MAX_COST = 10_000

/** A schema that checks the same value, and the reference that led to it. */
interface Edge {
  readonly schema: JsonSchema
  readonly via: Link | undefined
}

/** A schema on the way, with those after it that are still to be counted. */
interface Frame extends Edge {
  readonly next: Edge[]
  cost: number
}

/**
 * The first circle or explosion among the schemas that check the same value. Recursion through `properties` or `items` is fine: it ends
 * with the value.
 */
export function findEndless({ documents, links }: LinkedSchemas): SchemaProblem | undefined {
  const costs = new Map<JsonSchema, number>()
  const open = new Set<JsonSchema>()
  const stack: Frame[] = []
  const enter = ({ schema, via }: Edge): void => {
    const next: Edge[] = inner(schema)
      .filter(({ inPlace }) => inPlace)
      .map(child => ({ schema: child.schema, via }))
    const link = typeof schema === 'boolean' ? undefined : links.get(schema)
    if (link?.target) next.push({ schema: link.target.schema, via: link })
    open.add(schema)
    stack.push({ schema, via, next: next.reverse(), cost: 1 })
  }
  for (const { schema } of documents.flatMap(({ subschemas }) => subschemas)) {
    if (typeof schema === 'boolean' || costs.has(schema)) continue
    enter({ schema, via: undefined })
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const edge = top.next.pop()
      const known = edge && (typeof edge.schema === 'boolean' ? 1 : costs.get(edge.schema))
      if (edge === undefined) {
        stack.pop()
        open.delete(top.schema)
        costs.set(top.schema, top.cost)
        const below = stack.at(-1)
        if (below !== undefined) below.cost += top.cost
      } else if (known !== undefined) top.cost += known
      else if (open.has(edge.schema))
        return problem(edge.via, 'leads back to itself without end', 'Break the circle of references')
      else enter(edge)
      if (top.cost > MAX_COST)
        return problem(
          top.via,
          `makes more than ${MAX_COST} subschemas judge one value`,
          'Refer to each schema once',
        )
    }
  }
  return undefined
}

function problem(via: Link | undefined, why: string, fix: string): SchemaProblem {
  const message = via ? `The reference ${quoteText(via.found.ref)} ${why}` : `The schema ${why}`
  return { document: via?.document.label ?? '', pointer: via?.found.pointer ?? [], message, fix }
}
