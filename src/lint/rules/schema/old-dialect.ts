import { type Dialect, dialectOf, LATEST } from '../../../format/schema/dialect.ts'
import { applySplices } from '../../../format/text/splice.ts'
import type { Agent } from '../../../model/agent.ts'
import type { FileFix, Rule } from '../rule.ts'
import { placeIn } from '../schema-list.ts'
import { type AgentSchema, schemasOf } from '../schemas.ts'

export const schemaOldDialect: Rule = {
  id: 'schema/old-dialect',
  severity: 'info',
  isOptIn: true,
  scope: 'source',
  summary: 'a schema names an older dialect than the one it is read in',
  why: 'It is read as JSON Schema 2020-12 anyway. Nothing in it has another meaning there, but the next keyword may.',
  fix: 'Name 2020-12, or nothing.',
  *check(agent) {
    for (const schema of [...oldByFile(agent).values()].flat()) {
      yield
      const { dialect } = schema
      yield {
        ...placeIn(schema, AT),
        message: `The schema says that it is ${dialect}; it is read as 2020-12, which means the same here`,
        fix: `Write "${LATEST}", or remove "$schema"`,
      }
    }
  },
  autofix(agent) {
    const fixes: FileFix[] = []
    for (const [path, schemas] of oldByFile(agent)) {
      const document = agent.documents.get(path)
      if (document === undefined) continue
      const splices = schemas.map(({ at }) => ({
        range: document.locate([...at, ...AT]),
        text: JSON.stringify(LATEST),
      }))
      const text = applySplices(document.text, splices)
      if (text !== undefined) fixes.push({ path, text, what: 'name the dialect that schemas are read in' })
    }
    return fixes
  },
}

/** Where a schema names its dialect. */
const AT = ['$schema']

interface OldSchema extends AgentSchema {
  readonly dialect: Dialect
}

function oldByFile(agent: Agent): Map<string, OldSchema[]> {
  const found = new Map<string, OldSchema[]>()
  for (const schema of schemasOf(agent)) {
    const dialect = dialectOf(schema.schema)
    if (!schema.isSound || dialect === '2020-12') continue
    const known = found.get(schema.file)
    if (known === undefined) found.set(schema.file, [{ ...schema, dialect }])
    else known.push({ ...schema, dialect })
  }
  return found
}
