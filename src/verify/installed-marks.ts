// Finds installed bundles that count as high-water marks because the state remembers none, or an older one. Without this, putting back an
// older `state/` from a back-up would make an older version trusted while a newer one is installed. Nothing here is written into the state.

import { StreamBlake3 } from '../io/bundle/bundle-bytes.ts'
import { attestationsOf } from '../io/bundle/read-attestations.ts'
import { readBundle } from '../io/bundle/read-bundle.ts'
import type { Ways } from '../io/owner/ways.ts'
import { stampedDigest } from '../io/root/own-folder.ts'
import { bundlePath, type Root } from '../io/root/root-places.ts'
import { rootsFor } from '../io/root/roots.ts'
import { knownState } from '../io/state/state.ts'
import type { Attestations } from '../model/attestation.ts'
import type { Candidate } from '../model/bundle.ts'
import type { AgentState } from '../model/state.ts'
import type { HighWaterMark } from '../model/trust.ts'
import { isOlder, manifestDigestOf } from '../version/reference.ts'
import type { Verification } from './verify.ts'

interface InstalledHere {
  /** `name` or `name@variant`. */
  readonly agent: string
  /** Holds the state, and the user's own root. */
  readonly home: string
  /** The only root to look into, absolute; the user's own and the system's if left out. */
  readonly root?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Judges an installed bundle by today's policies, without development keys and without marks. */
export type JudgeInstalled = (
  candidate: Candidate,
  agent: string,
  attested: Attestations | undefined,
) => Promise<Verification>

/**
 * The marks that installed files are. A file counts only if this user and root alone may write its root and the folders above, if its stamp
 * is there and names its content, if it would be `trusted` today, and if no `rlp trust reset` has forgotten it.
 *
 * @throws RlpError CANCELLED, and as {@link knownState}
 */
export async function installedMarks(
  { agent, home, root, signal }: InstalledHere,
  judge: JudgeInstalled,
  ways: Ways,
): Promise<readonly HighWaterMark[]> {
  const found: HighWaterMark[] = []
  for (const place of await rootsFor(root, process.cwd(), home)) {
    const stamped = await stampedDigest(place, agent, ways)
    if (stamped === undefined) continue
    const state = await knownState(agent, ways, home)
    // The usual case costs no second reading: the state knows this file, and a mark is as new.
    const known = versionOf(stamped, state)
    if (known !== undefined && !isAboveMarks(known, state)) continue
    const mark = await markOf(place, { agent, stamped, root, signal }, judge)
    if (mark !== undefined && isAboveMarks(mark.version, state) && !wasForgotten(mark, state))
      found.push(mark)
  }
  return found
}

async function markOf(
  place: Root,
  { agent, stamped, root, signal }: Omit<InstalledHere, 'home'> & { readonly stamped: string },
  judge: JudgeInstalled,
): Promise<HighWaterMark | undefined> {
  const path = bundlePath(place, agent)
  const label = `${place.label}/${agent}.agent.bundle`
  const attested = await attestationsOf(path, undefined)
  const digest = new StreamBlake3()
  const reading = { follow: false, label, signal, unsigned: attested?.keyless !== undefined }
  const candidate = await readBundle(path, { ...reading, keep: 'parsed', plain: digest.add })
  if (candidate.form !== 'archive' || digest.hex() !== stamped) return undefined
  const { report } = await judge(candidate, agent, attested)
  if (report.verdict !== 'trusted' || report.agent === null || report.identity === null) return undefined
  const { version } = report.agent
  const installed = { path, label, ...(root !== undefined && { root }) }
  return { agent, version, manifestDigest: manifestDigestOf(report.identity), keys: [], installed }
}

function versionOf(fileDigest: string, { installs, pending }: AgentState): string | undefined {
  const known = [...installs, ...pending.map(({ install }) => install)]
  return known.find(install => install.fileDigest === fileDigest)?.version
}

function isAboveMarks(version: string, { marks }: AgentState): boolean {
  return marks.every(mark => isOlder(mark.version, version))
}

/** A reset is a person's decision, and stronger than what is installed. */
function wasForgotten({ manifestDigest }: HighWaterMark, { resets }: AgentState): boolean {
  return resets.some(({ marks }) => marks.some(mark => mark.manifestDigest === manifestDigest))
}
