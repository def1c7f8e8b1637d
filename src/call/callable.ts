// The argument of a calling command → the agent whose tools may be called, or why it may not be used.
import { type EffectivePolicy, effectivePolicy } from '../caps/effective.ts'
import { overridesFor } from '../caps/overridden.ts'
import { usable } from '../caps/overrides.ts'
import { writePath } from '../format/text/shell-words.ts'
import { isSource, seeSource } from '../inspect/look-into.ts'
import type { Target } from '../io/find/find-agents.ts'
import type { Setting } from '../io/setting.ts'
import { inTurns } from '../io/wait/breathe.ts'
import { type Agent, POLICY_FILE, TOOLS_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { Report } from '../model/report.ts'
import { type ExamineOptions, examine } from '../verify/examine.ts'
import { findingsOf } from '../verify/findings.ts'
import { callableBundle, callableSource, isCallFile } from './agent.ts'
import type { CallableAgent } from './context.ts'

export interface OpenAgent {
  readonly is: 'open'
  readonly target: Target
  readonly agent: CallableAgent
  /** Whether a signer of the trust policy vouches for it: only then does it get secrets by default. */
  readonly isTrusted: boolean
}

export type Opened = OpenAgent | { readonly is: 'refused'; readonly report: Report }

export interface OpenOptions extends ExamineOptions {
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
  const { path, label, reference } = target
  if (isSource(target)) return openSource(doing, target, options, io)
  refuseUnverified(options, label)
  const { unverified: _, ...given } = options
  const expect = given.expect ?? reference
  const { trust, verification } = await examine(path, { ...given, label, expect, mustExpect: true }, 'parsed')
  const { report, bundle } = verification
  if (bundle === undefined) return { is: 'refused', report }
  const agent = callableBundle(bundle, usable(trust.overrides).sound)
  return { is: 'open', target, agent, isTrusted: report.verdict === 'trusted' }
}

/** @throws RlpError USAGE: only a source folder is used without verification */
export function refuseUnverified({ unverified }: Pick<OpenOptions, 'unverified'>, label: string): void {
  if (!unverified) return
  throw new RlpError('USAGE', `Cannot use --unverified with "${label}": it is no source folder`, {
    hint: 'Leave it out: a bundle is verified',
  })
}

async function openSource(
  doing: string,
  target: Target,
  options: OpenOptions,
  io: Setting,
): Promise<OpenAgent> {
  const { label } = target
  const { source, effective } = await openedSource(doing, target, options, io, isCallFile)
  const agent = callableSource(source, effective)
  if (agent === undefined) throw unreadable(doing, source, label)
  return { is: 'open', target, agent, isTrusted: false }
}

export interface OpenedSource {
  readonly source: Agent
  readonly effective: EffectivePolicy
}

/**
 * A source folder that the user vouches for, without an error in the files that are used.
 * @param isUsed the files that the caller uses
 */
export async function openedSource(
  doing: string,
  target: Target,
  { unverified }: Pick<OpenOptions, 'unverified'>,
  io: Setting,
  isUsed: (path: string) => boolean,
): Promise<OpenedSource> {
  const { label } = target
  if (!unverified) {
    throw new RlpError(
      'NOT_VERIFIED',
      `Cannot ${doing} "${label}": it is a source folder, which cannot be verified`,
      { hint: 'Name a bundle or an installed agent. To try out a folder that you work in, add --unverified' },
    )
  }
  const source = await seeSource(target, io)
  const overrides = await overridesFor(source, io)
  const broken = overrides?.find(({ says }) => says === undefined)
  if (broken !== undefined) {
    throw new RlpError('IO', `Cannot ${doing} "${label}": an override cannot be used: ${broken.label}`, {
      hint: `Run rlp caps lint ${writePath(broken.label)}, which shows how to put it right`,
    })
  }
  await refuseErrors(doing, source, io, isUsed)
  const sound = (overrides ?? []).flatMap(({ label, says }) => (says ? [{ label, says }] : []))
  if (source.policy === undefined) throw unreadable(doing, source, label)
  return { source, effective: effectivePolicy(source.policy, sound) }
}

function unreadable(doing: string, source: Agent, label: string): RlpError {
  const missing = [TOOLS_FILE, POLICY_FILE].find(path => source.files.get(path) === undefined)
  const what = missing === undefined ? 'its tools and its policy cannot be read' : `it has no ${missing}`
  return new RlpError('LINT_FAILED', `Cannot ${doing} "${label}": ${what}`, {
    hint: `Run rlp agent lint ${writePath(label)}, which shows how to put it right`,
  })
}

/** Errors that verification would find in these files. A missing grant is reported by the call itself. */
async function refuseErrors(
  doing: string,
  source: Agent,
  io: Setting,
  isUsed: (path: string) => boolean,
): Promise<void> {
  const { label } = source
  const findings = await inTurns(findingsOf(source, 'schemas'), `checking "${label}"`, io.signal)
  const error = findings.find(({ file }) => isUsed(file))
  if (error === undefined) return
  const { file, line, message, fix } = error
  throw new RlpError('LINT_FAILED', `Cannot ${doing} "${label}": ${file}:${line}: ${message}`, {
    hint: `${fix}. rlp agent lint ${writePath(label)} shows all that is wrong`,
  })
}
