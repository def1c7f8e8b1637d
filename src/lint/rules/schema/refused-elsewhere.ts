import { isBareList } from '../../../format/openai/bare-lists.ts'
import { patternRefusal } from '../../../format/openai/pattern.ts'
import type { SchemaObject } from '../../../format/schema/walk.ts'
import { applySplices } from '../../../format/text/splice.ts'
import type { Agent } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import { atOnce, type Steps } from '../../../model/steps.ts'
import { addMember } from '../add-member.ts'
import type { FileFix, Rule } from '../rule.ts'
import { inputsOf } from '../schema-inputs.ts'
import { argumentOf, placeIn } from '../schema-list.ts'
import type { AgentSchema } from '../schemas.ts'

export const schemaRefusedElsewhere: Rule = {
  id: 'schema/refused-elsewhere',
  severity: 'info',
  scope: 'source',
  summary: 'a list or a pattern in an input that OpenAI or VS Code refuses',
  why: 'It is valid JSON Schema, and rlp calls the tool. But OpenAI refuses a whole request if it cannot read the schema of one tool, and VS Code refuses a tool with a list that does not say what it holds, over MCP too. The exports of rlp write items {} and leave such patterns out; a host that passes tools.json on does not.',
  fix: 'Write items into every list, and patterns without look-around, \\p and named groups.',
  *check(agent) {
    for (const { where, pointer } of [...(yield* listsByFile(agent)).values()].flat()) {
      yield
      const name = argumentOf(where, pointer)
      yield {
        ...placeIn(where, pointer),
        message: `${name} is a list that does not say what it holds, which OpenAI and VS Code refuse`,
        fix: 'Write "items" with the schema of one item there; "items": {} takes any, as now',
        shared: {
          name,
          words: 'lists do not say what they hold, which OpenAI and VS Code refuse',
        },
      }
    }
    for (const { where, pointer, part, refusal } of yield* refusedPatterns(agent)) {
      yield
      const name = argumentOf(where, pointer)
      yield {
        ...placeIn(where, [...pointer, part], 'value'),
        message: `OpenAI refuses a pattern that ${refusal}: ${name}`,
        fix: 'Write it without that, or say it in the description; the runtime checks what the pattern says',
        shared: { name, words: `patterns are refused by OpenAI, because each ${refusal}` },
      }
    }
  },
  autofix(agent) {
    const fixes: FileFix[] = []
    for (const [path, places] of atOnce(listsByFile(agent))) {
      const document = agent.documents.get(path)
      if (document === undefined || !path.endsWith('.json')) continue
      const { text } = document
      const splices = places.flatMap(
        ({ where, pointer }) =>
          addMember(text, document.locate([...where.at, ...pointer]), '"items": {}') ?? [],
      )
      const described = applySplices(text, splices)
      if (described !== undefined && splices.length > 0)
        fixes.push({
          path,
          text: described,
          what: 'write "items": {} into lists that do not say what they hold',
        })
    }
    return fixes
  },
}

/** A schema within an input, and the place of it. */
interface Found {
  readonly where: AgentSchema
  readonly pointer: Pointer
}

/** A pattern that OpenAI does not read, the keyword that holds it, and why. */
interface RefusedPattern extends Found {
  readonly part: 'pattern' | 'patternProperties'
  readonly refusal: string
}

function* listsByFile(agent: Agent): Steps<Map<string, Found[]>> {
  const found = new Map<string, Found[]>()
  for (const { where, pointer, schema } of yield* nodesOf(agent)) {
    yield
    // An input that is a list is what another rule is about.
    const isInput = where.role === 'input' && pointer.length === 0
    if (!isBareList(schema) || isInput) continue
    const known = found.get(where.file)
    if (known === undefined) found.set(where.file, [{ where, pointer }])
    else known.push({ where, pointer })
  }
  return found
}

function* refusedPatterns(agent: Agent): Steps<RefusedPattern[]> {
  const found: RefusedPattern[] = []
  for (const { where, pointer, schema } of yield* nodesOf(agent)) {
    yield
    const { pattern, patternProperties } = schema
    const refusal = typeof pattern === 'string' ? patternRefusal(pattern) : undefined
    if (refusal !== undefined) found.push({ where, pointer, part: 'pattern', refusal })
    for (const key of Object.keys(patternProperties ?? {})) {
      yield
      const refusal = patternRefusal(key)
      if (refusal !== undefined) found.push({ where, pointer, part: 'patternProperties', refusal })
    }
  }
  return found
}

/** The schemas within the inputs of tools. */
function* nodesOf(
  agent: Agent,
): Steps<{ readonly where: AgentSchema; readonly pointer: Pointer; readonly schema: SchemaObject }[]> {
  const found: { where: AgentSchema; pointer: Pointer; schema: SchemaObject }[] = []
  for (const where of inputsOf(agent).schemas) {
    for (const { pointer, schema } of where.nodes) {
      yield
      if (typeof schema === 'object') found.push({ where, pointer, schema })
    }
  }
  return found
}
