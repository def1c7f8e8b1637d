// interfaces.json → what its records say of a tool's safety, for a person or a runtime that has to decide. Pure.
import { INTERFACES_FILE, type RecordObject, recordsIn } from '../agent-tool/records.ts'
import { recordsOf, timeLimitIn } from '../agent-tool/tool-records.ts'
import { SAFETY_FLAGS } from '../agent-tool/vocabulary.ts'

/** Field → value, as the records have it. They grant nothing. */
export type SafetyFacts = RecordObject

const OF_INTERFACE = [
  ...SAFETY_FLAGS,
  'requires_user_interaction',
  'requires_setup',
  'required_credentials',
  'sandbox_profile',
  'timeout_ms',
  'max_inline_chars',
]
const OF_PERMISSION = ['risk_level', 'access_kinds', 'write_effects', 'network_scope', 'approval_required']
const OF_EXECUTION = ['sandboxed', 'sandbox_profile']

/**
 * What the records of a tool say of its safety; null where they say nothing. The interface counts before a profile, and of time limits the
 * lowest, which is the one that holds.
 *
 * @param fileAt the parsed JSON file of the agent at a path, if there is one
 */
export function safetyIn(fileAt: (path: string) => unknown): (id: string) => SafetyFacts | null {
  const all = recordsIn(fileAt(INTERFACES_FILE))
  if (all.length === 0) return () => null
  const find = recordsOf(all)
  return id => {
    const records = find(id)
    const { declaration, interface: face, permission, execution } = records
    const timeout = timeLimitIn(records)
    const facts = {
      ...(declaration?.['lifecycle'] !== 'available' && pick(declaration, ['lifecycle'])),
      ...pick(permission, [...OF_PERMISSION, 'sandbox_profile']),
      ...pick(execution, OF_EXECUTION),
      ...pick(face, OF_INTERFACE),
      ...(timeout !== undefined && { timeout_ms: timeout }),
    }
    return Object.keys(facts).length === 0 ? null : facts
  }
}

function pick(record: RecordObject | undefined, keys: readonly string[]): RecordObject {
  return Object.fromEntries(Object.entries(record ?? {}).filter(([key]) => keys.includes(key)))
}
