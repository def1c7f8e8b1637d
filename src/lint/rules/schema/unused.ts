import { type Agent, MANIFEST_FILE, TOOLS_FILE } from '../../../model/agent.ts'
import { idOfAlias, schemaFileOf } from '../../../schema/reference.ts'
import { SCHEMA_FOLDER } from '../../subjects.ts'
import type { Rule } from '../rule.ts'
import { referencesOf } from '../schema-refs.ts'
import { placeIn, schemasOf } from '../schemas.ts'

export const schemaUnused: Rule = {
  id: 'schema/unused',
  severity: 'info',
  scope: 'source',
  summary: 'a schema file without references to it',
  why: 'Either it was forgotten, or the reference that should lead to it was.',
  fix: 'Refer to it, or remove it.',
  looks: 'agent',
  needs: { [MANIFEST_FILE]: 'readable', [TOOLS_FILE]: 'sound', [SCHEMA_FOLDER]: 'readable' },
  check({ agent }, report) {
    const files = schemasOf(agent).filter(({ role }) => role === 'file')
    if (agent.tools === undefined || files.length === 0) return
    const used = new Set(
      referencesOf(agent).flatMap(({ from, outcome }) => {
        if (outcome.is === 'unread') return outcome.path
        return outcome.is === 'found' && outcome.where !== from ? outcome.where.file : []
      }),
    )
    // An alias says by itself that the tool uses the schema.
    for (const { schemaRefs } of agent.tools.tools)
      for (const meant of Object.values(schemaRefs))
        if (typeof meant === 'string') used.add(schemaFileOf(idOfAlias(meant)))
    const ports = portsOf(agent)
    for (const schema of files)
      if (!used.has(schema.file) && !ports.has(schema.file.slice('schemas/'.length, -'.json'.length)))
        report({
          ...placeIn(schema, []),
          message: 'Nothing in the bundle refers to this schema',
          fix: 'Refer to it, or remove the file',
        })
  },
}

/** The messages that an agent takes and gives are described by schemas of the same name. */
function portsOf({ documents }: Agent): ReadonlySet<unknown> {
  const { ports } = (documents.get(MANIFEST_FILE)?.value ?? {}) as { ports?: Record<string, unknown> }
  return new Set(typeof ports === 'object' && ports !== null ? Object.values(ports).flat() : [])
}
