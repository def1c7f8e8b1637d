// One argument → the bundle, installed agent or source folder that it names, read; a bundle with its verdict.

import { resolve } from 'node:path'
import { readReference } from '../agent/agent-name.ts'
import { isAuthors } from '../io/find/bundle-name.ts'
import { sourceHere, type Target } from '../io/find/find-agents.ts'
import { findBundles } from '../io/find/find-bundles.ts'
import { inputOf, kindAt } from '../io/find/search-folders.ts'
import { readSourceFolder } from '../io/read/read-tree.ts'
import { findInstalled } from '../io/root/find-installed.ts'
import type { Root } from '../io/root/root-places.ts'
import type { Setting } from '../io/setting.ts'
import type { Agent } from '../model/agent.ts'
import type { Attestations } from '../model/attestation.ts'
import type { Candidate } from '../model/bundle.ts'
import { RlpError } from '../model/error.ts'
import type { CheckedKeyless } from '../model/keyless.ts'
import { ownMembers } from '../model/own.ts'
import type { Report } from '../model/report.ts'
import type { TrustContext } from '../model/trust.ts'
import { isOciReference } from '../oci/scheme.ts'
import { examine, type Judging } from '../verify/examine.ts'
import { checkedKeyless } from '../verify/make-report.ts'

/** A bundle that was examined, whatever its verdict. */
export interface SeenBundle {
  readonly report: Report
  readonly trust: TrustContext
  /** Undefined if the form is wrong or nothing could be read: then none of its content can be relied upon. */
  readonly agent: Agent | undefined
  /** Keyless signatures that came with it; not proven where no policy names an identity. */
  readonly keyless?: readonly CheckedKeyless[] | undefined
  /** What kept it from being read. */
  readonly unread?: RlpError | undefined
}

/** @throws RlpError USAGE for more than one bundle, NOT_FOUND for a folder without any */
export async function oneTarget(
  doing: string,
  arg: string,
  io: Setting,
  roots: readonly Root[],
): Promise<Target> {
  const targets = await findBundles([arg], {
    cwd: io.cwd,
    signal: io.signal,
    byName: reference => findInstalled(reference, roots),
  })
  const [target] = targets
  if (target !== undefined && targets.length === 1) return target
  throw new RlpError('USAGE', `Cannot ${doing} "${arg}": ${targets.length} bundles are there`, {
    hint: 'Name one of them',
  })
}

export interface SourceFound {
  /** The name that was typed of a source: no such agent is installed. */
  readonly notInstalled?: string
}

/**
 * The same for commands that take sources too: a name that is not installed is looked up where every command for authors looks it up.
 * @throws RlpError as {@link oneTarget}
 */
export async function oneTargetOrSource(
  doing: string,
  arg: string,
  io: Setting,
  roots: readonly Root[],
): Promise<Target & SourceFound> {
  const target = await oneTarget(doing, arg, io, roots)
  if (target.reference !== undefined || isOciReference(arg) || kindAt(target.path) !== undefined)
    return target
  const isName = readReference(arg) !== undefined
  const label = isName ? sourceHere(arg, 'agents', io.cwd) : undefined
  return label === undefined ? target : { path: resolve(io.cwd, label), label, notInstalled: arg }
}

/**
 * The same for commands that use installed agents: a name that is not installed is a typing error there, not a bundle that could not be
 * judged.
 * @throws RlpError as {@link oneTarget}, and NOT_FOUND for a name that is not installed
 */
export async function oneAgent(
  doing: string,
  arg: string,
  io: Setting,
  roots: readonly Root[],
): Promise<Target> {
  const target = await oneTarget(doing, arg, io, roots)
  if (isOciReference(arg)) return target
  const isName = target.reference === undefined && readReference(arg) !== undefined
  if (!isName || kindAt(target.path) !== undefined) return target
  throw new RlpError('NOT_FOUND', `Cannot ${doing} "${arg}": no agent of this name is installed`, {
    hint: `rlp agent list shows what is (searched: ${roots.map(({ label }) => label).join(', ')}). A bundle is named by its path`,
  })
}

/** Problems in the contents of a bundle. Its verdict need not depend on them. */
export function wrongContents({ checks }: Report): string | undefined {
  return checks.find(({ step, result }) => step === 'schemas' && result === 'failed')?.detail
}

/** A person looks: what they claim is shown, whether or not anybody could prove it. */
async function unproven(
  attestations: Attestations | undefined,
  candidate: Candidate,
): Promise<readonly CheckedKeyless[] | undefined> {
  const found = attestations?.keyless
  if (found === undefined || candidate.refusal !== undefined) return undefined
  const { readKeyless } = await import('../trust/keyless/prove-keyless.ts')
  const list = readKeyless(found, candidate).map(({ finding }) => finding)
  return checkedKeyless({ list, incomplete: undefined, unusable: [], unsignedSha256: undefined })
}

export async function seeBundle(target: Target, options: Judging): Promise<SeenBundle> {
  const { label, reference } = ownMembers(target)
  const expect = ownMembers(options).expect ?? reference
  const examined = await examine(inputOf(target), { ...options, label, expect, look: true }, 'parsed')
  const { candidate, trust, verification } = examined
  const { report, agent } = verification
  const { error } = candidate.refusal ?? {}
  const keyless = ownMembers(report).keyless ?? (await unproven(trust.attestations, candidate))
  return { report, trust, agent, keyless, unread: error }
}

/** A folder that an author works in: one that is neither installed nor meant as an unpacked bundle. */
export function isSource(target: Target): boolean {
  const { path, reference, input } = ownMembers(target)
  return reference === undefined && input === undefined && isAuthors(path)
}

export function seeSource(target: Target, io: Setting): Promise<Agent> {
  return readSourceFolder(target, 'all', io)
}
