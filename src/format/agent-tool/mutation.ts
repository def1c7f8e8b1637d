// Records of calls → the calls whose arguments were changed on the way without a record of it (specification, a MUST: what injects
// fields is recorded, and the model's own input stays as it was).
import { isSameData } from '../same-data.ts'
import type { AgentToolRecord } from './records.ts'

/** Invocations whose `call_input` is not their `model_input` and that no `input_mutation` speaks of. */
export function unrecordedMutations(records: readonly AgentToolRecord[]): AgentToolRecord[] {
  const recorded = new Set(
    records.filter(({ name }) => name === 'input-mutation').map(({ value }) => value['invocation_id']),
  )
  return records.filter(({ name, value }) => {
    if (name !== 'invocation' || recorded.has(value['invocation_id'])) return false
    const { model_input: written, call_input: called } = value
    return written !== undefined && called !== undefined && !isSameData(written, called)
  })
}
