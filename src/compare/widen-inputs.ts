// The arguments that fill a tool's templates, before and after → which of them accept more values now (docs/upgrades.md). Part of widen.ts.
import { isSameData } from '../format/same-data.ts'
import { gapsIn } from '../format/schema/cover.ts'
import { type Change, type FilledArgument, NOT_COMPARED, type ToolPermission } from '../model/permissions.ts'

type Filled = readonly FilledArgument[]
type Fit = 'within' | 'more' | 'perhaps more'

/** If two schemas cannot be compared, the new one counts as wider. */
export function* widerInputs(before: Filled, { id, fills }: ToolPermission): Generator<Change> {
  for (const filled of fills) {
    const fit = fitOf(filled, before)
    if (fit === 'within') continue
    const takes = fit === 'more' ? 'takes' : 'may take'
    yield { kind: 'input', tool: id, message: `${takes} more values as input.${filled.path} of ${id}` }
  }
}

/** Only certain losses: in all other cases it is unknown whether less is possible now. */
export function* narrowerInputs({ id, fills }: ToolPermission, now: Filled): Generator<Change> {
  for (const filled of fills)
    if (now.some(({ path }) => path === filled.path) && fitOf(filled, now) === 'more')
      yield { kind: 'input', tool: id, message: `takes more values as input.${filled.path} of ${id}` }
}

export function areInputsWithin(fills: Filled, before: Filled): boolean {
  return fills.every(filled => fitOf(filled, before) === 'within')
}

function fitOf({ path, schema, beside }: FilledArgument, before: Filled): Fit {
  const old = before.find(other => other.path === path)
  if (old === undefined || old.beside === NOT_COMPARED) return 'perhaps more'
  // A keyword that is new beside the schema can only restrict it. If there were some before, equality is all that can be judged.
  if (old.beside !== '' && old.beside !== beside) return 'perhaps more'
  if (isSameData(old.schema, schema)) return 'within'
  let fit: Fit = 'within'
  for (const { is } of gapsIn(old.schema, schema, { side: 'input', areRefsSame: false })) {
    if (is === 'breaking' && beside === '') return 'more'
    fit = 'perhaps more'
  }
  return fit
}
