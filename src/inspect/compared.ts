// Reads the two arguments of diff, and says how far each can be relied upon. What diff answers, command and function alike, is made here.

import type { Target } from '../io/find/find-agents.ts'
import type { Setting } from '../io/setting.ts'
import { type Agent, MANIFEST_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { Report } from '../model/report.ts'
import { writePath } from '../text/shell-words.ts'
import type { BundleTarget } from '../verify/bundle-input.ts'
import { judgedWith } from '../verify/bundle-inputs.ts'
import type { Judging } from '../verify/examine.ts'
import { bundleIdentity } from '../version/reference.ts'
import { type AgentDiff, diffAgents, isSame } from './diff.ts'
import { type InspectedSigner, signersOf } from './inspected.ts'
import { isSource, type SeenBundle, seeBundle, seeSource, wrongContents } from './look-into.ts'

/** One of the two, and how far it can be relied upon. */
export interface ComparedSide {
  readonly target: string
  /** `source` for a folder that an author works in: it has no signature. */
  readonly verdict: Report['verdict'] | 'source'
  readonly agent: {
    readonly name: string | null
    readonly version: string | null
    readonly variant: string | null
  }
  /** `blake3:…` of its manifest; null where it was not read. */
  readonly identity: string | null
  readonly signers: readonly InspectedSigner[]
}

export interface Compared {
  readonly agent: Agent
  readonly side: ComparedSide
  /** Undefined for a folder that an author works in: nothing has judged it. */
  readonly seen: SeenBundle | undefined
}

export interface DiffResult extends AgentDiff {
  readonly before: ComparedSide
  readonly after: ComparedSide
  /** Whether the second may do nothing that the first may not. */
  readonly passed: boolean
  /** Whether there is no difference at all. The signers of both do not count. */
  readonly isSame: boolean
}

/** @throws RlpError as {@link diffAgents} */
export function comparison(before: Compared, after: Compared): DiffResult {
  const changes = diffAgents(before.agent, after.agent)
  return {
    ...changes,
    before: before.side,
    after: after.side,
    passed: changes.widened.length === 0,
    isSame: isSame(changes),
  }
}

/** The same with what it came with. */
export function comparedAt(found: BundleTarget, options: Judging, io: Setting): Promise<Compared> {
  return compared(found.target, judgedWith(options, found), io)
}

/** @throws RlpError NOT_VERIFIED for an invalid bundle, IO for one that cannot be read */
export async function compared(target: Target, options: Judging, io: Setting): Promise<Compared> {
  if (isSource(target)) {
    const agent = await seeSource(target, io)
    const digest = agent.files.get(MANIFEST_FILE)?.digest
    const identity = digest === undefined ? null : bundleIdentity(digest)
    return { agent, side: sideOf(agent, 'source', identity, []), seen: undefined }
  }
  // The two may be different agents, or differ from their file names.
  const seen = await seeBundle(target, { ...options, expect: 'any' })
  const agent = comparable(seen.report, seen.agent)
  const { verdict, identity } = seen.report
  return { agent, side: sideOf(agent, verdict, identity, signersOf(seen.report)), seen }
}

function sideOf(
  { label, manifest }: Agent,
  verdict: ComparedSide['verdict'],
  identity: string | null,
  signers: readonly InspectedSigner[],
): ComparedSide {
  const { name = null, version = null, variant = null } = manifest ?? {}
  return { target: label, verdict, agent: { name, version, variant }, identity, signers }
}

function comparable(report: Report, agent: Agent | undefined): Agent {
  const { verdict, target, reasons } = report
  const isUnread = verdict === 'indeterminate' && agent === undefined
  const wrong = wrongContents(report)
  if (agent !== undefined && verdict !== 'invalid' && wrong === undefined) return agent
  const [reason] = reasons
  throw new RlpError(
    isUnread ? 'IO' : 'NOT_VERIFIED',
    isUnread
      ? (reason?.message ?? '')
      : `Cannot compare "${target}": ${wrong === undefined ? `${verdict}: ${reason?.message ?? ''}` : wrong}`,
    {
      hint:
        (isUnread && reason?.hint) || `rlp agent verify ${writePath(target)} shows everything that was found`,
    },
  )
}
