// A source → an installed bundle: verify, compare, decide, ask, and put it in place. The source is read once, so the written bytes are
// the verified ones.

import { join } from 'node:path'
import { archiveDigest } from '../format/archive/writer.ts'
import { isOciReference } from '../format/oci/scheme.ts'
import { updateState } from '../io/change-state.ts'
import { entryOrNothing } from '../io/entry.ts'
import type { Target } from '../io/find-agents.ts'
import { runloopHome } from '../io/home.ts'
import { checkRoot, inRoot } from '../io/install-root.ts'
import type { Root } from '../io/root-places.ts'
import { readState } from '../io/state.ts'
import type { Candidate } from '../model/bundle.ts'
import { RlpError } from '../model/error.ts'
import type { Decision, InstallFlags, Offer } from '../model/install.ts'
import type { Report } from '../model/report.ts'
import { type ExamineOptions, examine } from '../verify/verify-file.ts'
import { cameWith } from './came-with.ts'
import { decide, offerOf } from './install.ts'
import { memoryOf } from './memory.ts'
import { placeBundle } from './place-bundle.ts'
import { announce, settle, withdraw } from './record.ts'
import { recover, wholeFiles } from './recover.ts'
import { standingOf } from './standing.ts'

export interface InstallCall {
  readonly source: Target
  readonly root: Root
  readonly options: ExamineOptions
  readonly flags: InstallFlags
  /** Whether a first install may proceed; asked once, before anything is written. */
  readonly mayBegin: (offer: Offer, decision: Installing) => Promise<boolean>
  readonly signal: AbortSignal
  /** Where it is remembered what is installed; `$RUNLOOP_HOME` or `~/.runloop` where it is left out. */
  readonly home?: string
}

export type Installing = Extract<Decision, { is: 'install' }>

export type InstallOutcome =
  /** The verdict is against it. `foreign`: why the archive is not canonical. */
  | {
      readonly is: 'not-verified'
      readonly report: Report
      readonly foreign: readonly string[]
      /** What kept it from being read. */
      readonly unread?: RlpError
    }
  | {
      readonly is: 'not-begun'
      readonly report: Report
      readonly offer: Offer
      readonly decision: Installing
    }
  | { readonly is: 'decided'; readonly report: Report; readonly offer: Offer; readonly decision: Decision }

export async function install(call: InstallCall): Promise<InstallOutcome> {
  const { source, root, options, flags, mayBegin, signal, home = runloopHome() } = call
  const { candidate, trust, verification } = await examine(
    source.path,
    { ...options, mustExpect: true },
    'all',
  )
  const { report, bundle } = verification
  if (bundle === undefined) {
    const { error } = candidate.refusal ?? {}
    const foreign = await foreignTo(candidate, source)
    return { is: 'not-verified', report, foreign, ...(error && { unread: error }) }
  }
  const files = wholeFiles(candidate.files)
  const offer = offerOf(bundle.agent, report, trust, archiveDigest(files))
  const judge = async (): Promise<[Decision, isDerived: boolean]> => {
    const state = await readState(offer.agent, home)
    const standing = await standingOf(root, state)
    const at = new Date().toISOString().replace(/\.[0-9]+Z$/, 'Z')
    return [decide(offer, { standing, state, trust }, flags, at), standing.folder === 'derived']
  }
  checkRoot(root)
  const planned = await unlessOthersAreAtIt(root, async () => (await judge())[0])
  if (planned !== undefined && planned.is !== 'install')
    return { is: 'decided', report, offer, decision: planned }
  if (planned?.isFirst && !(await mayBegin(offer, planned)))
    return { is: 'not-begun', report, offer, decision: planned }
  return inRoot(
    root,
    `install ${offer.agent}`,
    async () => {
      await recover(root, memoryOf(root, offer.agent, home))
      // Judged again under the lock: another run may have changed the root meanwhile.
      const [decision, isDerived] = await judge()
      if (decision.is === 'install') {
        if (decision.isFirst && !planned?.isFirst) throw changed(offer.agent)
        await place(decision, isDerived)
      }
      return { is: 'decided', report, offer, decision }
    },
    signal,
  )

  async function place({ pending }: Installing, isDerived: boolean): Promise<void> {
    const { agent, fileDigest } = offer
    const remember = async (change: Parameters<typeof updateState>[1]) => {
      await updateState(agent, change, { home })
    }
    const placement = {
      agent,
      files,
      fileDigest,
      ...(await cameWith(trust, root, agent)),
      unpack: flags.unpack,
      hasFolder: isDerived,
      announce: () => remember(state => announce(state, pending)),
      withdraw: () => remember(state => withdraw(state, root.path)),
      settle: () => remember(state => settle(state, root.path, fileDigest)),
    }
    await placeBundle(root, placement, signal)
  }
}

/**
 * The result of `look` without the lock. Undefined if it fails while another run may be in the middle of its steps: then only the holder
 * of the lock can judge.
 */
async function unlessOthersAreAtIt<T>(root: Root, look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look()
  } catch (error) {
    if (!(error instanceof RlpError) || entryOrNothing(join(root.path, '.rlp')) === undefined) throw error
    return undefined
  }
}

/** Why an archive is not canonical, if the bytes are an archive at all. */
async function foreignTo({ refusal, form }: Candidate, { path, label }: Target): Promise<string[]> {
  if (refusal?.why !== 'form' || form === 'directory' || isOciReference(path)) return []
  const { foreignReasons } = await import('../pack/foreign-archive.ts')
  return foreignReasons(path, label)
}

function changed(agent: string): RlpError {
  return new RlpError(
    'CHANGED_WHILE_READING',
    `Cannot install ${agent}: what is remembered of it changed meanwhile`,
    {
      hint: 'Run the command again',
    },
  )
}
