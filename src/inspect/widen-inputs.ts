// The arguments that leave with the calls of a tool, before and after → which of them accept more values now (docs/upgrades.md). Part of
// widen.ts.

import { stepsOf } from '../json/pointer.ts'
import { isSameData } from '../json/same-data.ts'
import { type Change, type FilledArgument, NOT_COMPARED, type ToolPermission } from '../model/permissions.ts'
import { gapsIn, type SchemaGap } from '../schema/cover.ts'

type Filled = readonly FilledArgument[]
/** An argument, as `input.<path>`, and whether it is certain that it accepts more. */
type Wider = ReadonlyMap<string, 'takes' | 'may take'>

/** If two schemas cannot be compared, the new one counts as wider. */
export function widerInputs(before: Filled, { id, fills }: ToolPermission): Change[] {
  const changes: Change[] = []
  for (const [name, takes] of widerIn(fills, before))
    changes.push({ kind: 'input', tool: id, message: `${takes} more values as ${name} of ${id}` })
  return changes
}

/** Only certain losses: in all other cases it is unknown whether less is possible now. */
export function narrowerInputs({ id, fills }: ToolPermission, now: Filled): Change[] {
  const changes: Change[] = []
  const old = byPath(now)
  const kept = fills.filter(({ path }) => old.has(path))
  for (const [name, takes] of widerIn(kept, now))
    if (takes === 'takes')
      changes.push({ kind: 'input', tool: id, message: `${takes} more values as ${name} of ${id}` })
  return changes
}

/** What leaves in a template and with all the others is told once. */
function widerIn(fills: Filled, before: Filled): Wider {
  const found = new Map<string, 'takes' | 'may take'>()
  const old = byPath(before)
  for (const filled of fills) {
    for (const { at, is } of gapsOf(filled, old.get(filled.path))) {
      const path = filled.path === '' ? argumentAt(at) : filled.path
      const name = path === '' ? 'input' : `input.${path}`
      if (found.get(name) !== 'takes') found.set(name, is === 'breaking' ? 'takes' : 'may take')
    }
  }
  return found
}

function byPath(fills: Filled): ReadonlyMap<string, FilledArgument> {
  return new Map(fills.map(filled => [filled.path, filled]))
}

/** Where the new schema may accept more. */
function gapsOf(
  { schema, beside }: FilledArgument,
  old: FilledArgument | undefined,
): Pick<SchemaGap, 'at' | 'is'>[] {
  const unknown = { at: '', is: 'not decided' } as const
  if (old === undefined || old.beside === NOT_COMPARED) return [unknown]
  // A keyword that is new beside the schema can only restrict it. If there were some before, equality is all that can be judged.
  if (old.beside !== '' && old.beside !== beside) return [unknown]
  if (isSameData(old.schema, schema)) return []
  return gapsIn(old.schema, schema, { side: 'input', areRefsSame: false }).map(({ at, is }) => ({
    at,
    is: beside === '' ? is : 'not decided',
  }))
}

/** The argument that a place in the schema of all of them is about; empty if it is about several. */
function argumentAt(pointer: string): string {
  const [keyword, name = ''] = stepsOf(pointer)
  return keyword === 'properties' ? name : ''
}
