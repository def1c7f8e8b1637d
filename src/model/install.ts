// The types of installing: the offered bundle, what the root holds now, and the outcome.
import type { Permissions, Widening } from './permissions.ts'
import type { Allowance, Install, Pending } from './state.ts'
import type { Verdict } from './verdict.ts'

/** The bundle to install. Its verdict is accepted, either as it is or by a flag. */
export interface Offer {
  /** `name` or `name@variant`. */
  readonly agent: string
  readonly version: string
  /** BLAKE3 of the manifest. */
  readonly manifestDigest: string
  /** BLAKE3 of the canonical archive. */
  readonly fileDigest: string
  readonly verdict: Verdict
  /**
   * Anchor strings of the keys that vouch: those that count under every policy, or, if there are none, those
   * that count under any.
   */
  readonly signers: readonly string[]
  /** What the policies call them. */
  readonly anchors: readonly string[]
  /** Whether it is trusted only because of development keys. */
  readonly isDev: boolean
  /** `sha256:…` of the manifest in a registry or layout folder that it was read from; left out for another source. */
  readonly oci?: string | undefined
  /** When its signatures expire; left out if they do not. */
  readonly notAfter?: string | undefined
  readonly permissions: Permissions
}

/** What a root holds under an agent's name now. */
export interface DiskState {
  /** Absolute path of the root. */
  readonly root: string
  readonly file: FileOnDisk
  /** `derived`: unpacked from the file by us. */
  readonly folder: 'nothing' | 'derived' | 'something-else'
  /** False while an install or uninstall of it is interrupted. */
  readonly isSettled: boolean
}

export type FileOnDisk =
  | { readonly is: 'nothing' | 'something-else' }
  | {
      readonly is: 'bundle'
      readonly version: string
      readonly manifestDigest: string
      readonly fileDigest: string
      /** What it may do, if its bytes are those that were recorded here as trusted. */
      readonly permissions?: Permissions | undefined
    }

export interface InstallFlags {
  /** Replaces a file that rlp did not install, and the same version with other content. */
  readonly force: boolean
  /** Unpacks a folder for other runtimes. */
  readonly unpack: boolean
  readonly allowDowngrade: boolean
  readonly allowSignerChange: boolean
  readonly allowCapsChange: boolean
  /** Whether the lock that the bundle is held against is the consent to what it may do: then it begins, and widens, without a second yes. */
  readonly lockConsents: boolean
}

/** Why a bundle that verifies may not replace the installed one. */
export interface InstallRefusal {
  readonly reason:
    | 'older'
    | 'other_content'
    | 'signature_required'
    | 'signer_changed'
    | 'weaker_signatures'
    | 'widened'
  readonly message: string
  readonly hint: string
}

export type Decision =
  | {
      readonly is: 'refused'
      readonly refusals: readonly [InstallRefusal, ...InstallRefusal[]]
      readonly changes: Widening
    }
  | {
      readonly is: 'unchanged'
      readonly install: Install
      /** False if the record in the state is to be completed: it does not say where this file can be read, or until when it is signed. */
      readonly isRecorded: boolean
    }
  | {
      readonly is: 'install'
      readonly pending: Pending
      /** This user never had it: a person has to see all of its permissions. */
      readonly isFirst: boolean
      readonly changes: Widening
      /** The version that is replaced. */
      readonly previous: string | undefined
    }

/** A reason against an install, and the flag that allows it anyway, if there is one. */
export interface Concern {
  readonly refusal: InstallRefusal
  readonly flag: Exclude<Allowance, 'unsigned' | 'dev'> | 'force' | 'none'
}
