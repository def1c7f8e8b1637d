// Linked schemas → whether checking one value with them ends soon: references can form circles, or double at every step.
import type { JsonSchema } from '../../model/tools.ts'
import { quoteText } from '../text/quote.ts'
import type { Link, LinkedSchemas, SchemaProblem } from './link.ts'
import { inner } from './walk.ts'

/** The most subschemas that may check one value. 30 schemas that each refer to the next one twice would be a billion. */
export const MAX_COST = 10_000

/** A schema on the way: its next subschemas for the same value, and the reference that led to it. */
interface Frame {
  readonly schema: JsonSchema
  readonly next: Iterator<Edge>
  readonly via: Link | undefined
  cost: number
}

interface Edge {
  readonly schema: JsonSchema
  readonly via: Link | undefined
}

/**
 * The first circle or explosion among the schemas that check the same value. Recursion through `properties` or `items` is fine: it ends
 * with the value.
 */
export function findEndless({ documents, links }: LinkedSchemas): SchemaProblem | undefined {
  const linksOf = new Map<JsonSchema, Link[]>()
  for (const link of links) {
    const { holder } = link.found
    const known = linksOf.get(holder)
    if (known === undefined) linksOf.set(holder, [link])
    else known.push(link)
  }
  const costs = new Map<JsonSchema, number>()
  const open = new Set<JsonSchema>()
  const stack: Frame[] = []

  function* edges(schema: JsonSchema): Generator<Edge> {
    for (const child of inner(schema)) if (child.inPlace) yield { schema: child.schema, via: undefined }
    if (typeof schema === 'boolean') return
    for (const via of linksOf.get(schema) ?? []) if (via.target) yield { schema: via.target.schema, via }
  }
  const enter = ({ schema, via }: Edge): void => {
    open.add(schema)
    stack.push({ schema, via: via ?? stack.at(-1)?.via, next: edges(schema), cost: 1 })
  }
  const problem = (via: Link | undefined, why: string, fix: string): SchemaProblem => ({
    document: documents[via?.document ?? 0]?.label ?? '',
    pointer: via?.found.pointer ?? [],
    message: via ? `The reference ${quoteText(via.found.ref)} ${why}` : `The schema ${why}`,
    fix,
  })

  for (const { schema: start } of documents.flatMap(({ subschemas }) => subschemas)) {
    if (typeof start === 'boolean' || costs.has(start)) continue
    enter({ schema: start, via: undefined })
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const { done, value: edge } = top.next.next()
      if (done) {
        stack.pop()
        open.delete(top.schema)
        costs.set(top.schema, top.cost)
        const below = stack.at(-1)
        if (below !== undefined) below.cost += top.cost
      } else if (typeof edge.schema === 'boolean') top.cost++
      else if (open.has(edge.schema)) {
        return problem(
          edge.via ?? top.via,
          'leads back to itself without end',
          'Break the circle of references',
        )
      } else if (costs.has(edge.schema)) top.cost += costs.get(edge.schema) ?? 0
      else enter(edge)
      if (top.cost > MAX_COST) {
        const why = `makes more than ${MAX_COST} subschemas judge one value`
        return problem(top.via, why, 'Refer to each schema once')
      }
    }
  }
  return undefined
}
