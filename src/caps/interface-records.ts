// Reads from interfaces.json what its records say of each tool: restrictions (docs/interfaces.md), safety, and words for a screen. A
// record grants nothing, and the words decide nothing. Pure.
import { flagState } from '../agent-tool/flags.ts'
import { INTERFACES_FILE, type RecordObject, recordsIn } from '../agent-tool/records.ts'
import { askingIn, inlineLimitIn, recordsOf, timeLimitIn } from '../agent-tool/tool-records.ts'
import { type EmptyResult, isEmptyResult, SAFETY_FLAGS } from '../agent-tool/vocabulary.ts'
import { frozen } from '../model/frozen.ts'
import { own, ownMembers } from '../model/own.ts'
import type { Tool } from '../model/tools.ts'
import { printable } from '../text/printable.ts'

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
export const UNRESTRICTED: Restrict = () => NOT_RESTRICTED

const NOT_RESTRICTED: Restriction = frozen(ownMembers({}))

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

export interface ToolWords {
  /** `ui_summary`: what the tool does, in short. */
  readonly summary?: string
  /** `activity_description`: what it is doing while a call runs. */
  readonly activity?: string
}

/** Characters of one of them: it is one line of a screen. */
const MOST_CHARACTERS = 200

/** @param fileAt the parsed JSON file of the agent at a path, if there is one */
export function wordsIn(fileAt: (path: string) => unknown): (id: string) => ToolWords {
  const find = recordsOf(recordsIn(fileAt(INTERFACES_FILE)))
  return id => {
    const { interface: face } = find(id)
    const [summary, activity] = [shown(own(face, 'ui_summary')), shown(own(face, 'activity_description'))]
    return { ...(summary !== undefined && { summary }), ...(activity !== undefined && { activity }) }
  }
}

function shown(text: unknown): string | undefined {
  return typeof text === 'string' && text.trim() !== '' ? printable(text.trim(), MOST_CHARACTERS) : undefined
}
