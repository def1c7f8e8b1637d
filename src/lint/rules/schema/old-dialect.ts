import { applySplices } from '../../../format/text/splice.ts'
import type { Agent } from '../../../model/agent.ts'
import type { FileFix, Rule } from '../rule.ts'
import { placeIn } from '../schema-list.ts'
import { type AgentSchema, schemasInSteps, schemasOf } from '../schemas.ts'

export const schemaOldDialect: Rule = {
  id: 'schema/old-dialect',
  severity: 'info',
  isOptIn: true,
  scope: 'source',
  summary: 'a schema names an older dialect than the one it is read in',
  why: 'It is read as JSON Schema 2020-12 anyway. Nothing in it has another meaning there, but the next keyword may.',
  fix: 'Name 2020-12, or nothing.',
  *check(agent) {
    yield* schemasInSteps(agent)
    for (const schema of [...oldByFile(agent).values()].flat()) {
      yield
      const { dialect, at } = schema.foreign
      yield {
        ...placeIn(schema, at),
        message: `The schema says that it is ${dialect}; it is read as 2020-12, which means the same here`,
        fix: `Write "${LATEST}", or remove "$schema"`,
      }
    }
  },
  *autofix(agent): Iterable<FileFix> {
    for (const [path, schemas] of oldByFile(agent)) {
      const document = agent.documents.get(path)
      if (document === undefined) continue
      const splices = schemas.map(({ at, foreign }) => ({
        range: document.locate([...at, ...foreign.at]),
        text: JSON.stringify(LATEST),
      }))
      const text = applySplices(document.text, splices)
      if (text !== undefined) yield { path, text, what: 'name the dialect that schemas are read in' }
    }
  },
}

const LATEST = 'https://json-schema.org/draft/2020-12/schema'

type Foreign = AgentSchema & { readonly foreign: NonNullable<AgentSchema['foreign']> }

function oldByFile(agent: Agent): Map<string, Foreign[]> {
  const found = new Map<string, Foreign[]>()
  for (const schema of schemasOf(agent)) {
    if (!schema.isSound || !isForeign(schema)) continue
    const known = found.get(schema.file)
    if (known === undefined) found.set(schema.file, [schema])
    else known.push(schema)
  }
  return found
}

function isForeign(schema: AgentSchema): schema is Foreign {
  return schema.foreign !== undefined
}
