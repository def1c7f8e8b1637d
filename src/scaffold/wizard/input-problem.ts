// What is wrong with the inputs of a tool, as typed, for the templates that they fill in.
import { placeholdersIn } from '../../tools/template.ts'
import { findInput } from '../../tools/template-input.ts'
import { readSchema, schemaProblem } from './schema-answer.ts'

/** A placeholder has to be among the fields, and of a kind that can be filled in, or every call is refused. */
export function inputProblem(
  text: string,
  schemaFiles: readonly string[],
  templates: readonly string[],
): string | undefined {
  const problem = schemaProblem(text, schemaFiles, 'input')
  const read = readSchema(text, schemaFiles, 'input')
  if (problem !== undefined || 'problem' in read) return problem
  const tool = { inputSchema: read.value, schemaRefs: {} }
  for (const part of templates.flatMap(template => placeholdersIn(template))) {
    if (part.kind !== 'input') continue
    const fact = findInput(tool, part.path, () => undefined)
    const name = part.path.join('.')
    if (fact.is === 'missing') return `${part.text} is filled in, so there has to be a field ${name}`
    if (fact.is === 'known' && fact.holds !== undefined)
      return `${part.text} is filled in, so ${name} has to be a text, a number or a boolean`
  }
  return undefined
}
