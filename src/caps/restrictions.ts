// interfaces.json → the restrictions on each tool (docs/interfaces.md). A record grants nothing, and may restrict. Pure.

import { flagState } from '../agent-tool/flags.ts'
import { INTERFACES_FILE, recordsIn } from '../agent-tool/records.ts'
import { askingIn, inlineLimitIn, recordsOf, timeLimitIn } from '../agent-tool/tool-records.ts'
import { type EmptyResult, isEmptyResult } from '../agent-tool/vocabulary.ts'
import { own, ownMembers } from '../model/own.ts'
import type { Tool } from '../model/tools.ts'

/** Why a record withholds a tool. */
export type RestrictionReason = 'disabled' | 'setup_required'

export interface Restriction {
  /** The tool is not exposed. */
  readonly reason?: RestrictionReason
  /** A person is asked before each call, whatever tools.json says. */
  readonly asks?: boolean
  /** Upper limit of a call, in milliseconds. */
  readonly timeoutMs?: number
  /** Upper limit of an answer for a model, in characters. */
  readonly maxInlineChars?: number
  /** What it means that the tool printed nothing. */
  readonly emptyResult?: EmptyResult
}

/** A tool's id → what the records say of it. */
export type Restrict = (id: string) => Restriction

/** @param fileAt the parsed JSON file of the agent at a path, if there is one */
export function restrictionsIn(fileAt: (path: string) => unknown): Restrict {
  const records = recordsIn(fileAt(INTERFACES_FILE))
  if (records.length === 0) return UNRESTRICTED
  const find = recordsOf(records)
  return id => {
    const records = find(id)
    const { declaration, interface: face } = records
    const lifecycle = own(declaration, 'lifecycle')
    // A flag with an unknown value fails closed.
    const isOff =
      (face !== undefined && Object.hasOwn(face, 'is_enabled') && flagState(face, 'is_enabled') !== true) ||
      lifecycle === 'disabled' ||
      lifecycle === 'retired'
    const needsSetup = own(face, 'requires_setup') === true || lifecycle === 'requires_setup'
    const timeoutMs = timeLimitIn(records)
    const maxInlineChars = inlineLimitIn(records)
    const onEmpty = own(face, 'empty_result_policy')
    return ownMembers({
      ...(isOff ? { reason: 'disabled' } : needsSetup && { reason: 'setup_required' }),
      ...(askingIn(records) !== undefined && { asks: true }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(maxInlineChars !== undefined && { maxInlineChars }),
      ...(isEmptyResult(onEmpty) && { emptyResult: onEmpty }),
    })
  }
}

/** The tool as it may be called. Everything that shows or runs one takes it from here, so that none forgets to ask. */
export function restricted(tool: Tool, { asks = false }: Restriction): Tool {
  return asks && !tool.requiresConfirmation ? { ...tool, requiresConfirmation: true } : tool
}

/** For agents without records. */
export const UNRESTRICTED: Restrict = () => ownMembers({})
