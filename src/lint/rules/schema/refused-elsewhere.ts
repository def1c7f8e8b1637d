import { isBareList } from '../../../format/openai/bare-lists.ts'
import { patternRefusal } from '../../../format/openai/pattern.ts'
import type { SchemaObject } from '../../../format/schema/walk.ts'
import { applySplices } from '../../../format/text/splice.ts'
import type { Agent } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import type { Problem } from '../../../model/finding.ts'
import { atOnce, type Steps } from '../../../model/steps.ts'
import { addMember } from '../add-member.ts'
import { listText, quoteName } from '../list-text.ts'
import type { FileFix, Rule } from '../rule.ts'
import { inputsOf } from '../schema-inputs.ts'
import { placeIn } from '../schema-list.ts'
import { referencesInSteps } from '../schema-refs.ts'
import type { AgentSchema } from '../schemas.ts'

export const schemaRefusedElsewhere: Rule = {
  id: 'schema/refused-elsewhere',
  severity: 'info',
  scope: 'source',
  summary: 'a list or a pattern in an input that OpenAI or VS Code refuses',
  why: 'It is valid JSON Schema, and rlp calls the tool. But OpenAI refuses a whole request if it cannot read the schema of one tool, and VS Code refuses a tool with a list that does not say what it holds, over MCP too. The exports of rlp write items {} and leave such patterns out; a host that passes tools.json on does not.',
  fix: 'Write items into every list, and patterns without look-around, \\p and named groups.',
  *check(agent) {
    yield* referencesInSteps(agent)
    // A catalogue that leaves out items leaves it out everywhere.
    for (const [first, ...others] of (yield* listsByFile(agent)).values()) {
      yield
      if (first === undefined) continue
      yield aboutLists(first, others)
    }
    for (const [refusal, [first, ...others]] of yield* patternsByRefusal(agent)) {
      yield
      if (first === undefined) continue
      const names = listText([first, ...others].map(nameOf))
      yield {
        ...placeIn(first.where, [...first.pointer, first.part], 'value'),
        message: `OpenAI refuses a pattern that ${refusal}: ${names}`,
        fix: 'Write it without that, or say it in the description; the runtime checks what the pattern says',
      }
    }
  },
  *autofix(agent): Iterable<FileFix> {
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
        yield { path, text: described, what: 'write "items": {} into lists that do not say what they hold' }
    }
  },
}

/** A schema within an input, and the place of it. */
interface Found {
  readonly where: AgentSchema
  readonly pointer: Pointer
  /** The keyword that the finding is about. */
  readonly part: 'type' | 'pattern' | 'patternProperties'
}

function aboutLists(first: Found, others: readonly Found[]): Problem {
  const names = new Set([first, ...others].map(nameOf))
  const seen =
    names.size === 1
      ? 'is a list that does not say what it holds'
      : 'are lists that do not say what they hold'
  return {
    ...placeIn(first.where, first.pointer),
    message: `${listText(names)} ${seen}, which OpenAI and VS Code refuse`,
    fix: 'Write "items" with the schema of one item there; "items": {} takes any, as now',
  }
}

function* listsByFile(agent: Agent): Steps<Map<string, Found[]>> {
  const found = new Map<string, Found[]>()
  for (const { where, pointer, schema } of yield* nodesOf(agent)) {
    yield
    // An input that is a list is what another rule is about.
    const isInput = where.role === 'input' && pointer.length === 0
    if (isBareList(schema) && !isInput) add(found, where.file, { where, pointer, part: 'type' })
  }
  return found
}

function* patternsByRefusal(agent: Agent): Steps<Map<string, Found[]>> {
  const found = new Map<string, Found[]>()
  for (const { where, pointer, schema } of yield* nodesOf(agent)) {
    yield
    const { pattern, patternProperties } = schema
    const refusal = typeof pattern === 'string' ? patternRefusal(pattern) : undefined
    if (refusal !== undefined) add(found, refusal, { where, pointer, part: 'pattern' })
    for (const key of Object.keys(patternProperties ?? {})) {
      yield
      const refusal = patternRefusal(key)
      if (refusal !== undefined) add(found, refusal, { where, pointer, part: 'patternProperties' })
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

function add(found: Map<string, Found[]>, key: string, one: Found): void {
  const known = found.get(key)
  if (known === undefined) found.set(key, [one])
  else known.push(one)
}

function nameOf({ where, pointer }: Found): string {
  const name = pointer.findLast((_, index) => pointer[index - 1] === 'properties')
  return quoteName(String(name ?? where.tool?.id ?? where.file))
}
