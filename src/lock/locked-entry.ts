// Makes the entry of a trusted bundle in a lock, and lists what the entries of a lock pin. To list them no bundle is read.
import { sorted } from '../lock-file/write.ts'
import type { LockedAgent } from '../model/lock.ts'
import { ownMembers } from '../model/own.ts'
import { digestText } from '../text/digest-text.ts'
import { vouchers } from '../trust/vouchers.ts'
import type { Examination } from '../verify/judge-candidate.ts'
import { lockFacts } from '../verify/lock.ts'
import { bundleIdentity, manifestDigestOf, referenceText } from '../version/reference.ts'
import { type LockPlace, usableLock } from './lock-file.ts'

export interface LockEntry {
  /** `name` or `name@variant`. */
  readonly agent: string
  readonly entry: LockedAgent
}

/** Undefined unless the verdict is `trusted`: a flag that accepts another verdict does not make a bundle worth pinning. */
export function lockEntry(
  { verification, trust }: Examination,
  from: Pick<LockedAgent, 'source' | 'expect'>,
): LockEntry | undefined {
  const { source, expect } = ownMembers(from)
  const { report, bundle } = verification
  const { agent, identity, verdict } = report
  if (bundle === undefined || verdict !== 'trusted' || agent === null || identity === null) return undefined
  const facts = lockFacts(bundle.agent)
  if (facts === undefined) throw new TypeError('a trusted bundle has a policy and tools')
  const { signers } = vouchers(bundle.agent, report, trust, verification.payload)
  const entry = {
    source,
    expect,
    oci: report.carried?.manifest,
    version: agent.version,
    identity: manifestDigestOf(identity),
    signers: sorted(signers),
    ...facts,
  }
  return { agent: referenceText(agent), entry }
}

/** An agent of a lock as plain data, spelt as the lock spells it. */
export interface PinnedAgent {
  /** `name` or `name@variant`. */
  readonly agent: string
  readonly source: string
  /** Which of the versions that are stored at its source is taken, as `mailer@^1.2`; null where the source names one. */
  readonly expect: string | null
  /** `sha256:…`; null for a source that is not in a registry or a layout folder. */
  readonly oci: string | null
  readonly version: string
  /** `blake3:…` */
  readonly identity: string
  readonly signers: readonly string[]
  readonly caps: readonly string[]
  /** Tool id → `blake3:…` */
  readonly tools: Readonly<Record<string, string>>
}

export function pinnedAgent({ agent, entry }: LockEntry): PinnedAgent {
  const { source, expect = null, oci = null, version, identity, signers, caps, tools } = ownMembers(entry)
  const digests = Object.fromEntries([...tools].map(([id, digest]) => [id, digestText(digest)]))
  return {
    agent,
    source,
    expect,
    oci,
    version,
    identity: bundleIdentity(identity),
    signers,
    caps,
    tools: digests,
  }
}

export interface LockListed {
  /** The lock, as the caller names it. */
  readonly lock: string
  /** The name of the lock; null if it has none. */
  readonly name: string | null
  /** BLAKE3 of the file, in hex. */
  readonly digest: string | null
  readonly agents: readonly PinnedAgent[]
}

/** @throws RlpError as {@link usableLock} */
export async function listLocked(place: LockPlace): Promise<LockListed> {
  const { lock, digest = null, label } = await usableLock(place)
  const agents = [...lock.agents].map(([agent, entry]) => pinnedAgent({ agent, entry }))
  return { lock: label, name: lock.name ?? null, digest, agents }
}
