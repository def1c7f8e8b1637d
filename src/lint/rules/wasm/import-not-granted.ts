import { isLinkedClock } from '../../../wasm/host.ts'
import { importGrantRule } from '../grants.ts'

export const wasmImportNotGranted = importGrantRule(
  imported => !isLinkedClock(imported),
  (line, where) => `Build the module without the import, or write ${line} ${where}`,
  {
    id: 'wasm/import-not-granted',
    severity: 'error',
    summary: 'the module imports what policy.caps does not grant',
    why: 'A module can do only what it imports, and the runtime answers only what policy.caps grants: the call ends the agent at work. To a reviewer, an import without its grant is an open question.',
    fix: 'Grant the family in policy.caps, or build the module without the import.',
  },
)
