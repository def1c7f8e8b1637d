// A folder that an author works in → the agent whose tools may be called, without verification.
import { type EffectivePolicy, effectivePolicy } from '../caps/effective.ts'
import { overridesFor } from '../caps/overridden.ts'
import { seeSource } from '../inspect/look-into.ts'
import type { Target } from '../io/find/find-agents.ts'
import type { Setting } from '../io/setting.ts'
import { turnsOf } from '../io/wait/breathe.ts'
import { type Agent, POLICY_FILE, TOOLS_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import { writePath } from '../text/shell-words.ts'
import { findingsOf } from '../verify/findings.ts'
import { callableSource, isCallFile } from './agent.ts'
import type { CallableAgent } from './context.ts'

/**
 * The folder as it is now.
 * @param doing for messages: `call a tool of`
 * @param isUsed the files that the caller uses
 * @throws RlpError LINT_FAILED for a folder that verification would refuse for one of the files of a call
 */
export async function readCallable(
  doing: string,
  target: Target,
  io: Setting,
  isUsed: (path: string) => boolean = isCallFile,
): Promise<Agent> {
  const source = await seeSource(target, io)
  await refuseErrors(doing, source, target.label, io, isUsed)
  return source
}

/** @throws RlpError NOT_VERIFIED: a folder that an author works in is used only where he says so */
export function needsUnverified(doing: string, { unverified }: Saying, label: string): void {
  if (unverified === true) return
  throw new RlpError(
    'NOT_VERIFIED',
    `Cannot ${doing} "${label}": it is a source folder, which cannot be verified`,
    { hint: 'Name a bundle or an installed agent. To try out a folder that you work in, add --unverified' },
  )
}

/** @throws RlpError USAGE: only a source folder is used without verification */
export function refuseUnverified({ unverified }: Saying, label: string): void {
  if (unverified !== true) return
  throw new RlpError('USAGE', `Cannot use --unverified with "${label}": it is no source folder`, {
    hint: 'Leave it out: a bundle is verified',
  })
}

interface Saying {
  readonly unverified?: boolean | undefined
}

/**
 * With the overrides as they are now.
 * @throws RlpError IO for an override that cannot be used, LINT_FAILED for a folder without tools or policy
 */
export async function openSource(
  doing: string,
  { label }: Target,
  source: Agent,
  io: Setting,
): Promise<CallableAgent> {
  const agent = callableSource(source, await sourceGrants(doing, source, io))
  if (agent !== undefined) return agent
  throw unreadable(doing, source, label)
}

/** What overrides leave of its policy. @throws RlpError IO for an override that cannot be used, LINT_FAILED without a policy */
export async function sourceGrants(doing: string, source: Agent, io: Setting): Promise<EffectivePolicy> {
  const { label, policy } = source
  const overrides = await overridesFor(source, io)
  const broken = overrides?.find(({ says }) => says === undefined)
  if (broken !== undefined) {
    throw new RlpError('IO', `Cannot ${doing} "${label}": an override cannot be used: ${broken.label}`, {
      hint: 'Run rlp doctor, which says how to put it right',
    })
  }
  const sound = (overrides ?? []).flatMap(({ label, says }) => (says ? [{ label, says }] : []))
  if (policy === undefined) throw unreadable(doing, source, label)
  return effectivePolicy(policy, sound)
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
  label: string,
  io: Setting,
  isUsed: (path: string) => boolean,
): Promise<void> {
  const findings = await findingsOf(source, 'schemas', turnsOf(`checking "${label}"`, io.signal))
  const error = findings.find(({ file }) => isUsed(file))
  if (error === undefined) return
  const { file, line, message, fix } = error
  throw new RlpError('LINT_FAILED', `Cannot ${doing} "${label}": ${file}:${line}: ${message}`, {
    hint: `${fix}. rlp agent lint ${writePath(label)} shows all that is wrong`,
  })
}
