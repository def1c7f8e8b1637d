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
  begin: walk =>
    visitsOf(toolsOf(walk.agent), ({ tool, index }) => {
      const subject = new ToolSubject(walk.agent, index, tool)
      walk.ask('tool', subject)
      walk.ask(tool.transport.kind, subject as never)
    }),
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
  begin(walk) {
    const { agent } = walk
    const asksReferences = walk.asks('reference')
    return visitsOf(schemasOf(agent), schema => {
      walk.ask('schema', { agent, schema })
      if (!asksReferences) return
      for (const reference of referencesFrom(agent, schema)) walk.ask('reference', { agent, reference })
    })
  },
}

export const STAGES: readonly WalkStage[] = withContents([
  stageOf('entry', entriesOf, (entry, { agent }) => ({ agent, entry })),
  stageOf('grant', policyLists, (list, { agent }) => ({ agent, list })),
  TOOLS,
  stageOf('record', interfaceRecords, (record, { agent }) => ({ agent, record })),
  READING,
  SCHEMAS,
  stageOf('secret', secretIds, (secret, { agent }) => ({ agent, secret })),
])
