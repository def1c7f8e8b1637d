// An examined bundle that is trusted → its entry in a lock.

import { sorted } from '../lock-file/write.ts'
import type { LockedAgent } from '../model/lock.ts'
import { ownMembers } from '../model/own.ts'
import { digestText } from '../text/digest-text.ts'
import { vouchers } from '../trust/vouchers.ts'
import type { Examination } from '../verify/judge-candidate.ts'
import { lockFacts } from '../verify/lock.ts'
import { bundleIdentity, manifestDigestOf, referenceText } from '../version/reference.ts'

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
