// The questions about a JSON Schema.
import type { Answers, Choice, Question } from '../../cli/wizard/question.ts'
import { problemIn } from '../../model/reading.ts'
import { NO_FIELDS, readFields, readSchemaId, readSchemaJson, readSchemaPath } from './schema-answer.ts'

const SCHEMA_CHOICES: readonly Choice[] = [
  { value: 'fields', label: 'An object with these fields', hint: 'you name them next' },
  { value: 'id', label: 'A shared schema by its id', hint: 'schema:<id>' },
  { value: 'file', label: 'A file in schemas/' },
  { value: 'json', label: 'JSON Schema, typed in' },
]

/**
 * The form of the schema, then the schema.
 * @param id of the first question; the second adds the chosen form
 * @param schemaFiles paths in the agent's `schemas/`
 */
export function schemaQuestions(
  answers: Answers,
  id: string,
  title: string,
  schemaFiles: readonly string[],
): Question[] {
  const asked = { kind: 'text' } as const
  const ways = {
    fields: {
      ...asked,
      id: `${id}.fields`,
      message: `${title}: fields (name:type, comma-separated, ? for optional; ${NO_FIELDS} for an empty object)`,
      example: 'to:string, count:integer?, tags:string[]',
      check: text => problemIn(readFields(text)),
    },
    id: {
      ...asked,
      id: `${id}.id`,
      message: `${title}: schema id`,
      example: 'schema:mail.send.request.v1',
      check: text => problemIn(readSchemaId(text)),
    },
    file: {
      ...asked,
      id: `${id}.file`,
      message: `${title}: path in schemas/`,
      ...(schemaFiles[0] !== undefined && { fallback: schemaFiles[0] }),
      check: text => problemIn(readSchemaPath(text, schemaFiles)),
    },
    json: {
      ...asked,
      id: `${id}.json`,
      message: `${title}: JSON Schema on one line`,
      example: '{"type":"object"}',
      check: text => problemIn(readSchemaJson(text)),
    },
  } satisfies Record<string, Question>
  const way = answers.get(id)
  const first: Question = {
    kind: 'choice',
    id,
    message: title,
    choices: SCHEMA_CHOICES.filter(({ value }) => value !== 'file' || schemaFiles.length > 0),
    fallback: 'fields',
    mustBeAnswered: true,
  }
  return way !== undefined && Object.hasOwn(ways, way) ? [first, ways[way as keyof typeof ways]] : [first]
}
