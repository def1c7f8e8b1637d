// interfaces.json → what it takes away from a tool (DESIGN §3.1). A record grants nothing, and may restrict. Pure.

import { flagState } from '../format/agent-tool/flags.ts'
import { INTERFACES_FILE, recordsIn } from '../format/agent-tool/records.ts'
import { inlineLimitIn, recordsOf, timeLimitIn } from '../format/agent-tool/tool-records.ts'
import { own } from '../model/own.ts'

/** Why a record keeps a tool from being used. */
export type RestrictionReason = 'disabled' | 'setup_required'

export interface Restriction {
  /** The tool is not exposed. */
  readonly reason?: RestrictionReason
  /** Milliseconds that a call may take at most. */
  readonly timeoutMs?: number
  /** Characters of an answer that a model gets at most. */
  readonly maxInlineChars?: number
}

/** What the records say of a tool with an id. */
export type Restrict = (id: string) => Restriction

/** @param fileAt the parsed JSON file of the agent at a path, if there is one */
export function restrictionsIn(fileAt: (path: string) => unknown): Restrict {
  const find = recordsOf(recordsIn(fileAt(INTERFACES_FILE)))
  return id => {
    const records = find(id)
    const { declaration, interface: face } = records
    const lifecycle = own(declaration, 'lifecycle')
    // A flag in words that nobody here understands fails closed (systems reference §2c no. 10).
    const isOff =
      (face !== undefined && Object.hasOwn(face, 'is_enabled') && flagState(face, 'is_enabled') !== true) ||
      lifecycle === 'disabled' ||
      lifecycle === 'retired'
    const needsSetup = own(face, 'requires_setup') === true || lifecycle === 'requires_setup'
    const timeoutMs = timeLimitIn(records)
    const maxInlineChars = inlineLimitIn(records)
    return {
      ...(isOff ? { reason: 'disabled' } : needsSetup && { reason: 'setup_required' }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(maxInlineChars !== undefined && { maxInlineChars }),
    }
  }
}

/** Where nothing is taken away. */
export const UNRESTRICTED: Restrict = () => ({})
