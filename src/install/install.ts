// Installs a bundle: verify, compare, decide, ask, and put it in place. The bundle is never held in memory: it is digested on its way to
// its place, and is what was verified, or nothing.
import { StreamSha256 } from '../io/bundle/bundle-bytes.ts'
import { attestationsOf } from '../io/bundle/read-attestations.ts'
import type { Target } from '../io/find/find-agents.ts'
import { inputOf } from '../io/find/search-folders.ts'
import { inRoot } from '../io/root/install-root.ts'
import { checkRoot } from '../io/root/own-folder.ts'
import { bundlePath, type Root } from '../io/root/root-places.ts'
import { updateState } from '../io/state/change-state.ts'
import { readState } from '../io/state/state.ts'
import type { AttestationBytes, Attestations } from '../model/attestation.ts'
import type { Candidate } from '../model/bundle.ts'
import { RlpError } from '../model/error.ts'
import type { Decision } from '../model/install.ts'
import { ownMembers } from '../model/own.ts'
import type { TrustContext } from '../model/trust.ts'
import { isOciReference } from '../oci/scheme.ts'
import { joinAttestations, lineKey } from '../statement/join-lines.ts'
import { isNothing } from '../statement/lines.ts'
import { utcSecond } from '../text/time.ts'
import { provenOf } from '../trust/keyless/keyless-findings.ts'
import { examine } from '../verify/examine.ts'
import { decide, offerOf } from './decide.ts'
import { Draft, type Incoming, onDisk } from './incoming.ts'
import type { InstallCall, Installing, InstallOutcome } from './outcome.ts'
import { placeBundle, placeStatements } from './place-bundle.ts'
import { diskStateOf, unlessBusy } from './read-installed.ts'
import { announce, complete, settle, withdraw } from './record.ts'
import { memoryOf, recover } from './recover.ts'

export async function installBundle(call: InstallCall): Promise<InstallOutcome> {
  const { source, root, judging, dryRun } = ownMembers(call)
  const { label } = source
  const bundle =
    ownMembers(source).input !== undefined || isOciReference(source.path)
      ? await Draft.in(root, { label, dryRun })
      : onDisk(source, judging.signal)
  let isUsed = false
  try {
    const outcome = await installFrom(bundle, call)
    isUsed = outcome.is === 'decided' && outcome.decision.is === 'install' && !dryRun
    return outcome
  } finally {
    await bundle.close(isUsed)
  }
}

async function installFrom(incoming: Incoming, call: InstallCall): Promise<InstallOutcome> {
  const { source, root, judging, flags, holds, mayBegin, onDecided, home } = call
  const { signal } = judging
  const { by } = ownMembers(call)
  const passed = onDecided && new StreamSha256()
  const through = passed && { through: (chunks: AsyncIterable<Uint8Array>) => passed.through(chunks) }
  const decided = (outcome: InstallOutcome): InstallOutcome => {
    onDecided?.(outcome, passed?.sha256)
    return outcome
  }
  const examined = await examine(
    inputOf(source),
    { ...judging, ...through, mustExpect: true, plain: incoming.plain },
    'parsed',
  )
  incoming.refuseIfFailed()
  const { candidate, trust, verification } = examined
  const { report, bundle } = verification
  if (bundle === undefined) {
    const foreign = await foreignTo(candidate, source)
    return decided({ is: 'not-verified', report, foreign, unread: candidate.refusal?.error })
  }
  const archive = await incoming.archive(examined)
  const offer = offerOf({ ...verification, agent: bundle.agent }, trust, archive.digest)
  const judge = async (holdsLock: boolean): Promise<[Decision, isDerived: boolean]> => {
    const state = await readState(offer.agent, home)
    const onDisk = await diskStateOf(root, state, holdsLock)
    const decision = decide(offer, { onDisk, state, trust, holds, by }, flags, utcSecond(new Date()))
    return [decision, onDisk.folder === 'derived']
  }
  checkRoot(root)
  if (call.dryRun) {
    const [decision] = await judge(false)
    const isNew = decision.is !== 'refused' && (await cameWith(trust, root, offer.agent)).isNew
    return { is: 'decided', report, offer, decision, hasNewStatements: isNew }
  }
  const planned = await unlessBusy(root, async () => (await judge(false))[0])
  const isDone =
    planned?.is === 'unchanged' && planned.isRecorded && !(await cameWith(trust, root, offer.agent)).isNew
  if (planned?.is === 'refused' || isDone)
    return decided({ is: 'decided', report, offer, decision: planned, hasNewStatements: false })
  const isFirst = planned?.is === 'install' && planned.isFirst
  if (isFirst && !flags.lockConsents && !(await mayBegin(offer, planned)))
    return decided({ is: 'not-begun', report, offer, decision: planned })
  return inRoot(
    root,
    `install ${offer.agent}`,
    async () => {
      await recover(root, memoryOf(root, offer.agent, home))
      // Judged again under the lock: another run may have changed the root meanwhile.
      const [decision, isDerived] = await judge(true)
      const { attestations, isNew } = ownMembers(await cameWith(trust, root, offer.agent))
      const hasNewStatements = isNew && decision.is !== 'refused'
      if (decision.is === 'install' && decision.isFirst && !isFirst) throw changed(offer.agent)
      const outcome = decided({ is: 'decided', report, offer, decision, hasNewStatements })
      if (decision.is === 'unchanged' && !decision.isRecorded)
        await updateState(offer.agent, state => complete(state, decision.install), { home })
      if (decision.is === 'install') await place(decision, isDerived, attestations)
      else if (attestations !== undefined && hasNewStatements)
        await placeStatements(root, offer.agent, attestations)
      return outcome
    },
    signal,
  )

  async function place(
    { pending }: Installing,
    isDerived: boolean,
    attestations: Uint8Array | undefined,
  ): Promise<void> {
    const { agent } = offer
    const remember = async (change: Parameters<typeof updateState>[1]) => {
      await updateState(agent, change, { home })
    }
    const placement = {
      agent,
      archive,
      attestations,
      unpack: flags.unpack,
      hasFolder: isDerived,
      announce: () => remember(state => announce(state, pending)),
      withdraw: () => remember(state => withdraw(state, root.path)),
      settle: () => remember(state => settle(state, root.path, archive.digest)),
    }
    await placeBundle(root, placement, signal)
  }
}

/** Why an archive is not canonical, if the bytes are an archive at all. */
async function foreignTo({ refusal, form }: Candidate, { path, label, input }: Target): Promise<string[]> {
  if (input !== undefined || refusal?.why !== 'form' || form === 'directory' || isOciReference(path))
    return []
  const { foreignReasons } = await import('../pack/foreign-archive.ts')
  return foreignReasons(path, label)
}

function changed(agent: string): RlpError {
  return new RlpError(
    'CHANGED_WHILE_READING',
    `Cannot install ${agent}: what is remembered of it changed meanwhile`,
    { hint: 'Run the command again' },
  )
}

interface CameWith {
  /** Undefined where nothing came with it. */
  readonly attestations?: Uint8Array
  /** Whether one of them is not there yet. */
  readonly isNew: boolean
}

/** Until it is in place, the file there belongs to its predecessor, whose statements are kept. */
async function cameWith(trust: TrustContext, root: Root, agent: string): Promise<CameWith> {
  const { attestations } = trust
  if (isNothing(attestations)) return { isNew: false }
  const before = await attestationsOf(bundlePath(root, agent), undefined)
  const known = new Set(linesOf(before).map(lineKey))
  return {
    attestations: joinAttestations(provenOf(trust), attestations, before),
    isNew: linesOf(attestations).some(one => !known.has(lineKey(one))),
  }
}

function linesOf(came: Attestations | undefined): readonly AttestationBytes[] {
  return [...(came?.envelopes ?? []), ...(came?.keyless?.bundles ?? [])]
}
