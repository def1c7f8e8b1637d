// Words of installing: the bundle on offer, what stands in its place, and what came of it.
import type { Permissions, Widening } from './permissions.ts'
import type { Allowance, Install, Pending } from './state.ts'
import type { Verdict } from './verdict.ts'

/** The bundle that is to be installed: its verdict has been accepted, by itself or by a flag. */
export interface Offer {
  /** `name` or `name@variant`. */
  readonly agent: string
  readonly version: string
  /** BLAKE3 of the manifest. */
  readonly manifestDigest: string
  /** BLAKE3 of the canonical archive. */
  readonly fileDigest: string
  readonly verdict: Verdict
  /** Anchor strings of the keys that vouch: those that count under every policy, or under any where they have none in common. */
  readonly signers: readonly string[]
  /** What the policies call them. */
  readonly anchors: readonly string[]
  /** Whether it would not be trusted without development keys. */
  readonly isDev: boolean
  readonly permissions: Permissions
}

/** What stands in a root under an agent's name. */
export interface Standing {
  /** Absolute path of the root. */
  readonly root: string
  readonly file: StandingFile
  /** `derived`: unpacked from the file by us. */
  readonly folder: 'nothing' | 'derived' | 'something-else'
  /** No install or uninstall of it was interrupted. */
  readonly isSettled: boolean
}

export type StandingFile =
  | { readonly is: 'nothing' | 'something-else' }
  | {
      readonly is: 'bundle'
      readonly version: string
      readonly manifestDigest: string
      readonly fileDigest: string
    }

export interface InstallFlags {
  /** Puts it in the place of what rlp did not put there, and of the same version with other content. */
  readonly force: boolean
  /** Derives the folder for other runtimes. */
  readonly unpack: boolean
  readonly allowDowngrade: boolean
  readonly allowSignerChange: boolean
  readonly allowCapsChange: boolean
}

/** Why a bundle that verifies may not take the place of another. */
export interface Refusal {
  readonly reason: 'older' | 'other_content' | 'signature_required' | 'signer_changed' | 'widened'
  readonly message: string
  readonly hint: string
}

export type Decision =
  | {
      readonly is: 'refused'
      readonly refusals: readonly [Refusal, ...Refusal[]]
      readonly changes: Widening
    }
  | { readonly is: 'unchanged'; readonly install: Install }
  | {
      readonly is: 'install'
      readonly pending: Pending
      /** There is nothing to compare with: a person has to see everything it may do. */
      readonly isFirst: boolean
      readonly changes: Widening
      /** The version that is replaced. */
      readonly previous: string | undefined
    }

/** Something that speaks against an install, and the flag that lets it pass, where one does. */
export interface Concern {
  readonly refusal: Refusal
  readonly flag: Exclude<Allowance, 'unsigned' | 'dev'> | 'force' | 'none'
}
