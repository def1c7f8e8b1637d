// The documents that a rule needs. While one of them is broken, what the rule would say could be wrong, so lint does not ask it.
import { INTERFACES_FILE } from '../agent-tool/records.ts'
import { MANIFEST_FILE, POLICY_FILE, TOOLS_FILE } from '../model/agent.ts'
import type { Kind } from '../model/transports/index.ts'
import { TRANSPORT_KINDS } from '../tools/transports/index.ts'
import type { Looks } from './subjects.ts'

/** The files of `schemas/`, all together. */
export const SCHEMA_FOLDER = 'schemas/'

/**
 * `readable`: its text is JSON or TOML. `parts`: some of its tools or records are as their schema says; the rule looks at those. `sound`:
 * the whole document is.
 */
export type NeededState = 'readable' | 'parts' | 'sound'

/** By path, what a rule needs of a document. */
export type Needs = Readonly<
  Partial<
    Record<
      | typeof MANIFEST_FILE
      | typeof POLICY_FILE
      | typeof TOOLS_FILE
      | typeof INTERFACES_FILE
      | typeof SCHEMA_FOLDER,
      NeededState
    >
  >
>

const TOOL_NEEDS: Needs = { [TOOLS_FILE]: 'parts' }

/** What the rules need that look at parts of one kind. */
export const NEEDS_OF_LOOKS: Readonly<Record<Looks, Needs>> = {
  agent: {},
  file: {},
  secret: {},
  schema: {},
  reference: {},
  tool: TOOL_NEEDS,
  ...(Object.fromEntries(TRANSPORT_KINDS.map(kind => [kind, TOOL_NEEDS])) as Readonly<Record<Kind, Needs>>),
  grant: { [POLICY_FILE]: 'sound' },
  artifact: { [MANIFEST_FILE]: 'readable' },
  entry: { [MANIFEST_FILE]: 'readable' },
  record: { [INTERFACES_FILE]: 'parts' },
}
