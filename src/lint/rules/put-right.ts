// Moves the misplaced members of an object's schema to where they belong.

import { valueAt } from '../../json/pointer.ts'
import { isTable, own } from '../../model/own.ts'
import type { JsonSchema } from '../../model/tools.ts'
import { subschemasOf } from '../../schema/walk.ts'
import { type Misplaced, misplacedIn } from './misplaced-members.ts'

/** An argument that was moved may be an object with misplaced members itself. No tool nests them deeper. */
const MOST_ROUNDS = 8

/** The schema with every member in its place; itself if there is nothing to move. */
export function putRight(schema: JsonSchema, isInput: boolean): JsonSchema {
  let now = schema
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const found = misplacedIn(subschemasOf(now), isInput)
    if (found.length === 0) break
    now = structuredClone(now)
    // The inner ones first, so that the places of the outer ones stay right.
    for (const one of found.toSorted((a, b) => b.pointer.length - a.pointer.length)) move(now, one)
  }
  return now
}

type Members = Record<string, unknown>

function move(root: JsonSchema, { pointer, beside, inside }: Misplaced): void {
  const holder = valueAt(root, pointer) as Members
  const properties = own(holder, 'properties')
  const table: Members = isTable(properties) && !beside.includes('properties') ? { ...properties } : {}
  for (const name of beside) {
    table[name] = own(holder, name)
    delete holder[name]
  }
  for (const name of inside) {
    const [moved, known] = [own(table, name), own(holder, name)]
    const areLists = Array.isArray(known) && Array.isArray(moved)
    holder[name] = areLists ? [...new Set([...known, ...moved])] : (known ?? moved)
    delete table[name]
  }
  holder['properties'] = table
  if (!Object.hasOwn(holder, 'type')) holder['type'] = 'object'
}
