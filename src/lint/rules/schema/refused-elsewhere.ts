import type { Pointer } from '../../../model/document.ts'
import type { JsonSchema } from '../../../model/tools.ts'
import { isBareList, patternRefusal } from '../../../openai/refused.ts'
import { checkPattern } from '../../../schema/pattern.ts'
import { addMember, editedParts } from '../change-schemas.ts'
import type { ReportProblem, Rule } from '../rule.ts'
import { inputsOf } from '../schema-inputs.ts'
import { type AgentSchema, argumentOf, placeIn } from '../schemas.ts'

export const schemaRefusedElsewhere: Rule = {
  id: 'schema/refused-elsewhere',
  severity: 'info',
  scope: 'source',
  summary: 'a list or a pattern in an input that OpenAI or VS Code refuses',
  why: 'It is valid JSON Schema, and rlp calls the tool. But OpenAI refuses a whole request if it cannot read the schema of one tool, and VS Code refuses a tool with a list that does not say what it holds, over MCP too. The exports of rlp write items {} and leave such patterns out; a host that passes tools.json on does not.',
  fix: 'Write items into every list, and patterns without look-around, \\p and named groups.',
  looks: 'schema',
  check({ agent, schema: where }, report) {
    if (!inputsOf(agent).schemas.has(where)) return
    for (const { pointer, schema } of where.nodes) {
      if (isUnsaid(where, pointer, schema)) {
        const name = argumentOf(where, pointer)
        report({
          ...placeIn(where, pointer),
          message: `${name} is a list that does not say what it holds, which OpenAI and VS Code refuse`,
          fix: 'Write "items" with the schema of one item there; "items": {} takes any, as now',
          shared: {
            name,
            words: 'lists do not say what they hold, which OpenAI and VS Code refuse',
          },
        })
      }
      if (typeof schema === 'boolean') continue
      const { pattern, patternProperties } = schema
      if (typeof pattern === 'string') reportRefusal(pattern, 'pattern', where, pointer, report)
      if (patternProperties === undefined) continue
      for (const key of Object.keys(patternProperties as object))
        reportRefusal(key, 'patternProperties', where, pointer, report)
    }
  },
  autofix(agent) {
    const lists = [...inputsOf(agent).schemas].flatMap(where =>
      where.nodes.flatMap(({ pointer, schema }) =>
        isUnsaid(where, pointer, schema) ? { where, pointer } : [],
      ),
    )
    return editedParts(
      agent,
      lists,
      'write "items": {} into lists that do not say what they hold',
      (document, pointer) => addMember(document, pointer, '"items": {}'),
    )
  },
}

/** Whether it is a list that does not say what it holds. An input that is a list is what another rule is about. */
function isUnsaid({ role }: AgentSchema, pointer: Pointer, schema: JsonSchema): boolean {
  return typeof schema === 'object' && isBareList(schema) && !(role === 'input' && pointer.length === 0)
}

/** @param part the keyword that holds the pattern */
function reportRefusal(
  pattern: string,
  part: 'pattern' | 'patternProperties',
  where: AgentSchema,
  pointer: Pointer,
  report: ReportProblem,
): void {
  // An invalid one is refused here too.
  const refusal = checkPattern(pattern) === undefined ? patternRefusal(pattern) : undefined
  if (refusal === undefined) return
  const name = argumentOf(where, pointer)
  report({
    ...placeIn(where, [...pointer, part], 'value'),
    message: `OpenAI refuses a pattern that ${refusal}: ${name}`,
    fix: 'Write it without that, or say it in the description; the runtime checks what the pattern says',
    shared: { name, words: `patterns are refused by OpenAI, because each ${refusal}` },
  })
}
