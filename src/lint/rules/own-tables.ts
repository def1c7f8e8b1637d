import { POLICY_FILE, TOOLS_FILE } from '../../model/agent.ts'

/** The table of the manifest that names a file, for files that have one of their own. */
export const OWN_TABLES: ReadonlyMap<string, string> = new Map([
  [POLICY_FILE, '[artifacts.policy]'],
  [TOOLS_FILE, '[artifacts.tools]'],
])
