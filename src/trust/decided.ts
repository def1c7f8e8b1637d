// A change of a trust policy, or of what is remembered of an agent → what the audit log keeps of it.
import { blake3Hex } from '../bundle/blake3.ts'
import { homeLabel, SYSTEM_TRUST_POLICY, TRUST_POLICY_NAME } from '../io/home.ts'
import { type AuditDecision, type DecidedChange, NOTHING_JUDGED } from '../model/audit.ts'
import type { PolicyRole } from '../model/trust.ts'
import { identityString } from '../trust-policy/identity-string.ts'
import type { TrustChange } from './change.ts'

interface Edited {
  /** The user's folder. */
  readonly home: string
  /** Absolute. */
  readonly path: string
  readonly label: string
  readonly change: TrustChange
}

/**
 * @param before the policy as it was; undefined where there was no file
 * @param text as it will be
 */
export function editDecided(
  { home, path, label, change }: Edited,
  before: Uint8Array | undefined,
  text: string,
): AuditDecision {
  const after = blake3Hex(Buffer.from(text))
  const reason = change.do === 'revoke' ? (change.reason ?? null) : null
  return {
    ...decidedHere(`trust.${change.do}`, label),
    policies: [{ path: homeLabel(path), role: roleOf(path, home), digest: after }],
    change: {
      do: change.do,
      what: about(change),
      reason,
      before: before === undefined ? null : blake3Hex(before),
      after,
    },
  }
}

/** @param forgotten versions that were the newest here */
export function resetDecided(
  agent: string,
  forgotten: readonly string[],
  reason: string | undefined,
): AuditDecision {
  const change: DecidedChange = {
    do: 'reset',
    what: forgotten,
    reason: reason ?? null,
    before: null,
    after: null,
  }
  return { ...decidedHere('trust.reset', agent), change }
}

function decidedHere(command: string, target: string): AuditDecision {
  return { ...NOTHING_JUDGED, command, target, accepted: true, verdict: null, codes: [] }
}

function about(change: TrustChange): readonly string[] {
  switch (change.do) {
    case 'add':
      return [
        change.name,
        ...(change.key === undefined ? [] : [change.key]),
        ...(change.identity === undefined ? [] : [identityString(change.identity)]),
      ]
    case 'remove':
      return [change.name]
    case 'group':
      return [change.group.name, ...change.group.of]
    case 'require':
      return change.entry.signers ?? []
    case 'floor':
      return [change.agents, change.version]
    case 'revoke':
      return change.what
  }
}

function roleOf(path: string, home: string): PolicyRole {
  if (path === SYSTEM_TRUST_POLICY) return 'system'
  return path === `${home}/${TRUST_POLICY_NAME}` ? 'user' : 'given'
}
