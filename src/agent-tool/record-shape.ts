// Finds where the records of interfaces.json break their schemas in schemas/agent-tool/, in the words of every other shape problem.
import type { ShapeProblem } from '../model/document.ts'
import { kindName } from '../model/kind-name.ts'
import { MAX_SHAPE_PROBLEMS } from '../schema/check.ts'
import { recordSchemas } from '../schema/generated/records.js'
import { ownErrors, type RawError } from '../schema/own-errors.ts'
import { toProblem } from '../schema/problems.ts'
import { elementsIn, INTERFACES_FILE, isRecordObject, type RecordName, recordName } from './records.ts'

const ANY_RECORD = { type: 'object' } as const

const SPEECH_OF_LIST = { language: 'json', root: INTERFACES_FILE, ours: true } as const

/** Empty if there is no problem; at most {@link MAX_SHAPE_PROBLEMS}, and then one more that says so. */
export function checkRecords(value: unknown): ShapeProblem[] {
  const elements = elementsIn(value)
  if (elements === undefined) return [notRecords(value)]
  const problems: ShapeProblem[] = []
  for (const { at, value } of elements) {
    for (const error of recordErrors(value)) {
      if (problems.length === MAX_SHAPE_PROBLEMS) {
        const message = 'There are more problems than are listed'
        const fix = 'Correct what is listed, then check again'
        return [...problems, { pointer: [], part: 'value', message, fix, keyword: 'limit' }]
      }
      problems.push(toProblem(error, at, value, SPEECH_OF_LIST))
    }
  }
  return problems
}

/** One record against its schema, or against the schema of the given kind. */
export function recordErrors(value: unknown, name?: RecordName): RawError[] {
  const schema = isRecordObject(value) ? recordSchemas()[name ?? recordName(value)] : ANY_RECORD
  return ownErrors(value, schema, schema, MAX_SHAPE_PROBLEMS + 1)
}

function notRecords(value: unknown): ShapeProblem {
  const found = isRecordObject(value) ? 'an object without records' : kindName(value)
  const message = `${INTERFACES_FILE} must be a list of Agent Tool records, found ${found}`
  return { pointer: [], part: 'value', message, fix: 'Write [ … ], or { "records": [ … ] }', keyword: 'type' }
}
