// Opens the agent whose tools may be called: a bundle that verification accepts, or a folder that the user vouches for. Lists which of
// its tools may be called, and which may not.

import { INTERFACES_FILE } from '../agent-tool/records.ts'
import { type EffectivePolicy, effectivePolicy, exposure, type SoundOverride } from '../caps/effective.ts'
import { restrictionsIn, type SafetyFacts, safetyIn, wordsIn } from '../caps/interface-records.ts'
import { soundOf, usable } from '../caps/overrides.ts'
import { overridesFor, referenceOf } from '../caps/permissions.ts'
import { isSource, oneAgent, seeSource } from '../inspect/look-into.ts'
import type { Target } from '../io/find/find-agents.ts'
import { inputOf } from '../io/find/search-folders.ts'
import { installedIn } from '../io/root/find-installed.ts'
import type { Root } from '../io/root/root-places.ts'
import type { Setting } from '../io/setting.ts'
import { turnsOf } from '../io/wait/breathe.ts'
import { type Agent, POLICY_FILE, TOOLS_FILE } from '../model/agent.ts'
import type { VerifiedBundle } from '../model/bundle.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { frozen } from '../model/frozen.ts'
import type { Report } from '../model/report.ts'
import type { Tool } from '../model/tools.ts'
import { writePath } from '../text/shell-words.ts'
import { examine, type Judging } from '../verify/examine.ts'
import type { Examination } from '../verify/judge-candidate.ts'
import { type DeniedTool, type LoadedBundle, type LoadedFrom, load, loadedFrom } from '../verify/load.ts'
import { findingsOf } from '../verify/steps.ts'
import { bundleIdentity, manifestDigestOf, referenceText } from '../version/reference.ts'
import type { CallableAgent } from './context.ts'

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
  if (isSource(target)) {
    needsUnverified(doing, options, target.label)
    const source = await readCallable(doing, target, io)
    const agent = await openSource(doing, target, source, io)
    return { is: 'open', target, agent, isTrusted: false }
  }
  return openedBundle(target, await examineNamed(target, options, 'parsed'))
}

export function openedBundle(target: Target, { trust, verification }: Examination): Opened {
  const { report, bundle } = verification
  if (bundle === undefined) return { is: 'refused', report }
  const agent = callableBundle(bundle, usable(trust.overrides).sound)
  return { is: 'open', target, agent, isTrusted: report.verdict === 'trusted' }
}

/** Verifies a bundle, which has to be the agent that `--expect` or its name says. */
export async function examineNamed(
  target: Target,
  options: OpenOptions,
  reading: Parameters<typeof examine>[2],
) {
  const { label, reference } = target
  refuseUnverified(options, label)
  const { unverified: _, ...judging } = options
  const expect = judging.expect ?? reference
  return examine(inputOf(target), { ...judging, label, expect, mustExpect: true }, reading)
}

/** @throws UsageError for what was not loaded */
export function originOf(bundle: LoadedBundle, doing: string): LoadedFrom {
  const origin = loadedFrom(bundle)
  if (origin !== undefined) return origin
  throw new UsageError(`Cannot ${doing}: the bundle is not one that loadBundle has given`, {
    hint: 'Load the bundle first',
  })
}

/** Of the tools that may be called: what records of interfaces.json say of their safety. */
export function safetyOf(agent: CallableAgent): [id: string, SafetyFacts][] {
  const find = safetyIn(agent.fileAt)
  return agent.tools.flatMap(({ id }): [string, SafetyFacts][] => {
    const facts = find(id)
    return facts === null ? [] : [[id, facts]]
  })
}

/** @param overrides the operator's, for this agent on this host */
export function callableBundle(bundle: VerifiedBundle, overrides: readonly SoundOverride[]): CallableAgent {
  const { agent, tools, denied, policy, report } = load(bundle, overrides)
  const { version } = agent
  const reference = referenceText(agent)
  // Who is asked to confirm a call gets this as well.
  const fileAt = (path: string) => frozen(bundle.agent.documents.get(path)?.value)
  return {
    name: `${reference} ${version}`,
    reference,
    version,
    bundle: report.identity && manifestDigestOf(report.identity),
    tools,
    denied,
    tagsOf: tagsIn(bundle.agent.tools?.tools ?? []),
    net: policy.net,
    restrict: restrictionsIn(fileAt),
    words: wordsIn(fileAt),
    fileAt,
  }
}

/**
 * Undefined if tools.json cannot be read.
 * @param effective what policy.caps and its overrides grant
 */
export function callableSource(source: Agent, effective: EffectivePolicy): CallableAgent | undefined {
  const { label, manifest, tools, documents } = source
  if (tools === undefined) return undefined
  const fileAt = (path: string) => documents.get(path)?.value
  const restrict = restrictionsIn(fileAt)
  const { exposed, denied } = exposure(tools.tools, effective, restrict)
  return {
    name: label,
    reference: referenceOf(source),
    version: manifest?.version ?? null,
    bundle: null,
    tools: exposed,
    denied,
    tagsOf: tagsIn(tools.tools),
    net: effective.policy.net,
    restrict,
    words: wordsIn(fileAt),
    fileAt,
  }
}

function tagsIn(tools: readonly Tool[]): CallableAgent['tagsOf'] {
  const tags = new Map(tools.map(tool => [tool.id, tool.tags]))
  return id => tags.get(id) ?? []
}

/** The files that a call depends on. */
export function isCallFile(path: string): boolean {
  return (
    path === TOOLS_FILE || path === POLICY_FILE || path === INTERFACES_FILE || path.startsWith('schemas/')
  )
}

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
  const { label } = target
  const source = await seeSource(target, io)
  const findings = await findingsOf(source, 'schemas', turnsOf(`checking "${label}"`, io.signal))
  // A missing grant is reported by the call itself.
  const error = findings.find(({ file }) => isUsed(file))
  if (error === undefined) return source
  const { file, line, message, fix } = error
  throw new RlpError('LINT_FAILED', `Cannot ${doing} "${label}": ${file}:${line}: ${message}`, {
    hint: `${fix}. rlp agent lint ${writePath(label)} shows all that is wrong`,
  })
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
function refuseUnverified({ unverified }: Saying, label: string): void {
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
  if (policy === undefined) throw unreadable(doing, source, label)
  return effectivePolicy(policy, soundOf(overrides ?? []))
}

function unreadable(doing: string, source: Agent, label: string): RlpError {
  const missing = [TOOLS_FILE, POLICY_FILE].find(path => source.files.get(path) === undefined)
  const what = missing === undefined ? 'its tools and its policy cannot be read' : `it has no ${missing}`
  return new RlpError('LINT_FAILED', `Cannot ${doing} "${label}": ${what}`, {
    hint: `Run rlp agent lint ${writePath(label)}, which shows how to put it right`,
  })
}

/** The named agent, or every installed one, including those that may not be used. */
export async function openAgents(
  doing: string,
  named: string | undefined,
  roots: readonly Root[],
  options: OpenOptions,
  io: Setting,
): Promise<Opened[]> {
  if (named !== undefined)
    return [await openAgent(doing, await oneAgent(doing, named, io, roots), options, io)]
  if (options.unverified || options.expect !== undefined) {
    throw new RlpError('USAGE', `Cannot ${doing} every installed agent with --unverified or --expect`, {
      hint: 'Name the agent',
    })
  }
  const opened: Opened[] = []
  const seen = new Set<string>()
  for (const root of roots) {
    for (const { path, label, agent: reference } of await installedIn(root)) {
      // The name of a folder from another source cannot be relied upon, and the first root counts.
      if (reference === undefined || seen.has(reference)) continue
      seen.add(reference)
      opened.push(await openAgent(doing, { path, label, reference }, options, io))
    }
  }
  return opened
}

export interface ListedTools {
  /** As the caller called it. */
  readonly target: string
  /** `name` or `name@variant`; null for a folder whose manifest does not say. */
  readonly agent: string | null
  /** As its manifest states it. */
  readonly version: string | null
  /** `blake3:…` of its manifest; null for a folder that an author works in, which is not verified. */
  readonly identity: string | null
  readonly isTrusted: boolean
  /** Those that may be called, in the order of tools.json. */
  readonly tools: readonly Tool[]
  /** Those that may not, with the reasons. */
  readonly denied: readonly DeniedTool[]
  /** The safety facts of interfaces.json, by the id of the tool. */
  readonly safety: Readonly<Record<string, SafetyFacts>>
}

export function listedTools({ target, agent, isTrusted }: OpenAgent): ListedTools {
  const { reference, version, bundle, tools, denied } = agent
  return {
    target: target.label,
    agent: reference,
    version,
    identity: bundle === null ? null : bundleIdentity(bundle),
    isTrusted,
    tools,
    denied,
    safety: Object.fromEntries(safetyOf(agent)),
  }
}
