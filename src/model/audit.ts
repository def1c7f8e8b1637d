// A decision, as the audit log keeps it (docs/audit.md): who decided what about which bytes, and by which policies.
import type { RefusalCode } from './channel.ts'
import { frozen } from './frozen.ts'
import type { InstallRefusal } from './install.ts'
import type { ReasonCode } from './reason-codes.ts'
import type { CheckedPolicy } from './report.ts'
import type { Verdict } from './verdict.ts'

/** Why it was decided so: codes of the report, those of install, a person's no, and why an update of a channel was refused. */
export type AuditCode = ReasonCode | InstallRefusal['reason'] | 'not_confirmed' | RefusalCode

/** What was decided about a bundle. */
export interface DecidedBundle {
  /** As the user named it; null for bytes without a name. */
  readonly target: string | null
  /** Whether it may be used, is put in place, or is signed. */
  readonly accepted: boolean
  /** Null where no policy was asked. */
  readonly verdict: Verdict | null
  /** Each once. */
  readonly codes: readonly AuditCode[]
  readonly agent: { readonly name: string; readonly version: string; readonly variant?: string } | null
  /** `blake3:…` of manifest.toml. */
  readonly identity: string | null
  /** Of the bytes as they are stored. Null for an unpacked bundle, and if not all bytes were read. */
  readonly sha256: string | null
  /** Keys whose signatures are valid. */
  readonly signers: readonly string[]
  readonly policies: readonly CheckedPolicy[]
}

/** Of a bundle that was not read or not judged, and of a decision that is about none. */
export const NOTHING_JUDGED = frozen({
  agent: null,
  identity: null,
  sha256: null,
  signers: [],
  policies: [],
} as const satisfies Partial<DecidedBundle>)

/** What a command of `trust` changed. */
export interface DecidedChange {
  readonly do:
    | 'add'
    | 'remove'
    | 'group'
    | 'require'
    | 'floor'
    | 'revoke'
    | 'reset'
    | 'follow'
    | 'update'
    | 'unfollow'
  /** The names, keys, digests or versions that it is about. */
  readonly what: readonly string[]
  /** As the user gave it. */
  readonly reason: string | null
  /** BLAKE3 of the policy before, and as it is written; null without one. */
  readonly before: string | null
  readonly after: string | null
}

export interface AuditDecision extends DecidedBundle {
  /** The command’s name in the tool contract: `agent.install`. */
  readonly command: string
  /** Where it is installed. */
  readonly root?: string
  /** The lock that was the consent to what it may do, and what of that is more than before. */
  readonly consent?:
    | {
        readonly lock: string
        readonly digest: string | null
        readonly widened: readonly string[]
      }
    | undefined
  /** The key that signs it. */
  readonly signedBy?: string | undefined
  readonly change?: DecidedChange
}
