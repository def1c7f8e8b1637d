// The argument of a calling command → the agent whose tools may be called, or why it may not be used.
import { usable } from '../caps/overrides.ts'
import { type SafetyFacts, safetyIn } from '../caps/safety.ts'
import { isSource } from '../inspect/look-into.ts'
import type { Target } from '../io/find/find-agents.ts'
import { inputOf } from '../io/find/search-folders.ts'
import type { Setting } from '../io/setting.ts'
import type { Report } from '../model/report.ts'
import { examine, type Judging } from '../verify/examine.ts'
import { callableBundle } from './agent.ts'
import type { CallableAgent } from './context.ts'
import { needsUnverified, openSource, readCallable, refuseUnverified } from './open-source.ts'

export interface OpenAgent {
  readonly is: 'open'
  readonly target: Target
  readonly agent: CallableAgent
  /** Whether a signer of the trust policy vouches for it: only then does it get secrets by default. */
  readonly isTrusted: boolean
}

export type Opened = OpenAgent | { readonly is: 'refused'; readonly report: Report }

export interface OpenOptions extends Judging {
  /** Allow a source folder, without verification. */
  readonly unverified: boolean
}

/**
 * @param doing for messages: `call a tool of`
 * @throws RlpError NOT_VERIFIED for a source folder without --unverified, LINT_FAILED for an unusable one
 */
export async function openAgent(
  doing: string,
  target: Target,
  options: OpenOptions,
  io: Setting,
): Promise<Opened> {
  const { label, reference } = target
  if (isSource(target)) {
    needsUnverified(doing, options, label)
    const source = await readCallable(doing, target, io)
    const agent = await openSource(doing, target, source, io)
    return { is: 'open', target, agent, isTrusted: false }
  }
  refuseUnverified(options, label)
  const { unverified: _, ...given } = options
  const expect = given.expect ?? reference
  const { trust, verification } = await examine(
    inputOf(target),
    { ...given, label, expect, mustExpect: true },
    'parsed',
  )
  const { report, bundle } = verification
  if (bundle === undefined) return { is: 'refused', report }
  const agent = callableBundle(bundle, usable(trust.overrides).sound)
  return { is: 'open', target, agent, isTrusted: report.verdict === 'trusted' }
}

/** Of the tools that may be called: what records of interfaces.json say of their safety. */
export function safetyOf(agent: CallableAgent): [id: string, SafetyFacts][] {
  const find = safetyIn(agent.fileAt)
  return agent.tools.flatMap(({ id }): [string, SafetyFacts][] => {
    const facts = find(id)
    return facts === null ? [] : [[id, facts]]
  })
}
