// The misplaced members of a schema, which several rules ask about: advice about an object that lacks its arguments misleads.

import type { Pointer } from '../../model/document.ts'
import { quoteText } from '../../text/quote.ts'
import { listText } from './list-text.ts'
import { type Misplaced, misplacedIn } from './misplaced-members.ts'
import type { AgentSchema } from './schemas.ts'

export interface MisplacedMembers {
  /** By the object that has them, as JSON of its pointer. */
  readonly byObject: ReadonlyMap<string, Misplaced>
  /** By the member itself. */
  readonly byMember: ReadonlyMap<string, Misplaced>
}

const KNOWN = new WeakMap<AgentSchema, MisplacedMembers | 'none'>()

/** Undefined if the schema has none. */
export function misplacedOf(schema: AgentSchema): MisplacedMembers | undefined {
  const known = KNOWN.get(schema) ?? findMisplaced(schema)
  KNOWN.set(schema, known)
  return known === 'none' ? undefined : known
}

function findMisplaced(schema: AgentSchema): MisplacedMembers | 'none' {
  const all = misplacedIn(schema.nodes, isRoot(schema))
  if (all.length === 0) return 'none'
  const byObject = new Map(all.map(one => [JSON.stringify(one.pointer), one]))
  const byMember = new Map(
    all.flatMap(one => memberPlaces(one).map(at => [JSON.stringify(at), one] as const)),
  )
  return { byObject, byMember }
}

/** Whether a schema is the whole input or result of a tool, which is an object. */
export function isRoot({ role }: AgentSchema): boolean {
  return role === 'input' || role === 'result'
}

/** From the root of the schema. */
export function memberPlaces({ pointer, beside, inside }: Misplaced): Pointer[] {
  return [...beside.map(name => [...pointer, name]), ...inside.map(name => [...pointer, 'properties', name])]
}

/** What is wrong, and what to do. */
export function misplacedWords({ beside, inside }: Misplaced): { message: string; fix: string } {
  const [arguments_, keywords] = [beside, inside].map(names => ({
    names: listText(names.map(name => quoteText(name, 40))),
    isOne: names.length === 1,
    count: names.length,
  })) as [Named, Named]
  const messages: string[] = []
  const fixes: string[] = []
  if (arguments_.count > 0) {
    const looks = arguments_.isOne ? 'looks like an argument, but is' : 'look like arguments, but are'
    messages.push(`${arguments_.names} ${looks} not in properties`)
    fixes.push(`Put ${arguments_.isOne ? 'it' : 'them'} into properties`)
  }
  if (keywords.count > 0) {
    const read = keywords.isOne
      ? 'is in properties, where it is read as an argument'
      : 'are in properties, where they are read as arguments'
    messages.push(`${keywords.names} ${read}`)
    fixes.push(`Move ${keywords.isOne ? 'it' : 'them'} one level up, beside properties`)
  }
  return { message: messages.join('; '), fix: fixes.join('; ') }
}

interface Named {
  readonly names: string
  readonly isOne: boolean
  readonly count: number
}
