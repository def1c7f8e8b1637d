// The stages of a walk through an agent whose contents were read.

import { TRANSPORT_KINDS } from '../tools/transports/index.ts'
import { policyLists, secretIds, toolsOf } from './rules/agent-parts.ts'
import { interfaceRecords } from './rules/interface-records.ts'
import { referencesFrom } from './rules/schema-refs.ts'
import { schemaReadingOf, schemasOf } from './rules/schemas.ts'
import { entriesOf } from './rules/wasm-entries.ts'
import { stageOf, visitsOf, type WalkStage, withContents } from './run-rules.ts'
import { ToolSubject } from './subjects.ts'

/** A tool is looked at by the rules about tools, then by those about its kind of transport. */
const TOOLS: WalkStage = {
  looks: ['tool', ...TRANSPORT_KINDS],
  begin({ agent, asked }) {
    const ofTools = asked('tool')
    return visitsOf(toolsOf(agent), ({ tool, index }) => {
      const subject = new ToolSubject(agent, index, tool)
      for (const ask of ofTools) ask(subject)
      for (const ask of asked(tool.transport.kind)) ask(subject as never)
    })
  },
}

/** Before any rule looks at a schema, all are read, because they refer to each other. */
const READING: WalkStage = {
  looks: ['schema', 'reference'],
  begin({ agent }) {
    const reading = schemaReadingOf(agent)
    return { count: reading.left, visit: () => reading.next() }
  },
}

const SCHEMAS: WalkStage = {
  looks: ['schema', 'reference'],
  begin({ agent, asked }) {
    const ofSchemas = asked('schema')
    const ofReferences = asked('reference')
    return visitsOf(schemasOf(agent), schema => {
      for (const ask of ofSchemas) ask({ agent, schema })
      if (ofReferences.length === 0) return
      for (const reference of referencesFrom(agent, schema))
        for (const ask of ofReferences) ask({ agent, reference })
    })
  },
}

export const STAGES: readonly WalkStage[] = withContents([
  stageOf('entry', agent => entriesOf(agent).map(entry => ({ agent, entry }))),
  stageOf('grant', agent => policyLists(agent).map(list => ({ agent, list }))),
  TOOLS,
  stageOf('record', agent => interfaceRecords(agent).map(record => ({ agent, record }))),
  READING,
  SCHEMAS,
  stageOf('secret', agent => secretIds(agent).map(secret => ({ agent, secret }))),
])
