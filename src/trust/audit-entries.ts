// Writes the entries of the audit log for a change of a trust policy, and for a reset of what is remembered of an agent.
import { blake3Hex } from '../bundle/blake3.ts'
import { homeLabel, SYSTEM_TRUST_POLICY, TRUST_POLICY_NAME } from '../io/home.ts'
import { type AuditDecision, type DecidedChange, NOTHING_JUDGED } from '../model/audit.ts'
import type { PolicyRole } from '../model/trust.ts'
import { editOf, type TrustChange } from './edits/index.ts'
import type { EditableFile } from './write-trust.ts'

/**
 * @param home the user's folder
 * @param before the policy as it was; undefined where there was no file
 * @param text as it will be
 */
export function editAuditEntry(
  { path, label }: EditableFile,
  change: TrustChange,
  home: string,
  before: Uint8Array | undefined,
  text: string,
): AuditDecision {
  const after = blake3Hex(Buffer.from(text))
  const { about, reason } = editOf(change)
  return {
    ...auditEntryHere(`trust.${change.do}`, label),
    policies: [{ path: homeLabel(path), role: roleOf(path, home), digest: after }],
    change: {
      do: change.do,
      what: about(change),
      reason: reason?.(change) ?? null,
      before: before === undefined ? null : blake3Hex(before),
      after,
    },
  }
}

/** @param forgotten versions that were the newest here */
export function resetAuditEntry(
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
  return { ...auditEntryHere('trust.reset', agent), change }
}

function auditEntryHere(command: string, target: string): AuditDecision {
  return { ...NOTHING_JUDGED, command, target, accepted: true, verdict: null, codes: [] }
}

function roleOf(path: string, home: string): PolicyRole {
  if (path === SYSTEM_TRUST_POLICY) return 'system'
  return path === `${home}/${TRUST_POLICY_NAME}` ? 'user' : 'given'
}
