// What is wrong with the inputs of a tool, as typed, for the templates that they fill in.
import { placeholdersIn } from '../../format/template/template.ts'
import { findInput } from '../../format/template/template-input.ts'
import { readSchema, schemaProblem } from './schema-answer.ts'

/** A placeholder has to be among the fields, or it stays empty in every call. */
export function inputProblem(
  text: string,
  schemaFiles: readonly string[],
  templates: readonly string[],
): string | undefined {
  const problem = schemaProblem(text, schemaFiles)
  const read = readSchema(text, schemaFiles)
  if (problem !== undefined || 'problem' in read) return problem
  const tool = { inputSchema: read.value, schemaRefs: {} }
  for (const part of templates.flatMap(template => placeholdersIn(template))) {
    if (part.kind !== 'input' || findInput(tool, part.path, () => undefined).is !== 'missing') continue
    return `${part.text} is filled in, so there has to be a field ${part.path.join('.')}`
  }
  return undefined
}
