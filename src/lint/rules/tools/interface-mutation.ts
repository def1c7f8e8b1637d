import { isMarked } from '../../../agent-tool/marks.ts'
import { type AgentToolRecord, INTERFACES_FILE, type RecordObject } from '../../../agent-tool/records.ts'
import { isSameData } from '../../../json/same-data.ts'
import type { Agent } from '../../../model/agent.ts'
import { own } from '../../../model/own.ts'
import { quoteText } from '../../../text/quote.ts'
import { isBlank } from '../../../text/words.ts'
import { interfaceRecords } from '../interface-records.ts'
import { eachSameField, recordedSchemas } from '../interface-schemas.ts'
import { once } from '../once.ts'
import type { SourceRule } from '../rule.ts'

export const toolsInterfaceMutation: SourceRule = {
  id: 'tools/interface-mutation',
  severity: 'error',
  scope: 'source',
  summary: 'a record does not say what changed an input',
  why: 'Where a hook or a prompt puts fields into an input, records must name the source, and must not silently replace what the model wrote (Agent Tool, MUST).',
  fix: 'Name the source: in mutation_source of the field, or in an input_mutation record of the call.',
  looks: 'record',
  check({ agent, record }, report) {
    const schemas = recordedSchemas(agent).get(record)
    if (schemas !== undefined)
      eachSameField(schemas, ({ name, runtime }) => {
        for (const { file, at, schema } of runtime) {
          // Required for a field that is filled in, optional for others.
          const source = isMarked(schema) ? own(schema as RecordObject, 'mutation_source') : undefined
          if (source === undefined || (typeof source === 'string' && !isBlank(source))) continue
          report({
            file,
            place: { pointer: [...at, 'mutation_source'] },
            message: `The mutation_source of the internal field ${quoteText(name)} is empty`,
            fix: 'Say what puts it in, for example "mutation_source": "hook"',
          })
        }
      })
    if (record.name !== 'invocation' || !unrecordedIn(agent).has(record)) return
    report({
      file: INTERFACES_FILE,
      place: { pointer: [...record.at, 'call_input'] },
      message: 'The call got other arguments than the model wrote, and no input_mutation says where from',
      fix: 'Add an input_mutation record with this invocation_id and its source_type',
    })
  },
}

const unrecordedIn = once(
  (agent: Agent): ReadonlySet<AgentToolRecord> => new Set(unrecordedMutations(interfaceRecords(agent))),
)

/** Invocations whose `call_input` differs from their `model_input` without an `input_mutation`. */
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
