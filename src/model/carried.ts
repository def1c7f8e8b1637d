// A bundle where a registry or a layout folder keeps it: found, and not yet read.
import type { Attestations } from './attestation.ts'

/** Who logs in to a registry. */
export interface RegistryLogin {
  readonly username: string
  /** A password, or a token in its place. */
  readonly password: string
}

/** How long a registry is waited for; src/io/wait/deadline.ts says what each is. */
export interface FetchTimes {
  readonly operationMs: number
  /** Infinity where the caller has said how long it waits, however slow the registry is. */
  readonly slowMs: number
  readonly bytesPerSecond: number
  readonly attachedMs: number
}

/** What became of a name and a password that a registry was told; the key is a digest of all three. */
export type LoginOutcomes = Map<string, Promise<'taken' | 'refused' | 'unknown'>>

/** How a registry was found to answer, or the error of the try that failed. @see SeenRegistry */
export type RegistryFirstAnswer =
  | { readonly origin: string; readonly isHere: boolean }
  | { readonly isCancelled: boolean; failure(doing: string): unknown }

/** What one registry has shown of itself. It holds no credential, and nothing that another registry has said. */
export interface SeenRegistry {
  /** Whether it speaks http or https: asked once, before anything else is sent. Undefined again after a try that failed. */
  firstAnswer?: Promise<RegistryFirstAnswer> | undefined
  /** True after it answered that it has no referrers API. */
  lacksReferrers?: boolean
}

/** By the origin that a registry's name stands for. */
export type SeenRegistries = Map<string, SeenRegistry>

/** How this process may reach registries. */
export interface RegistryAccess {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Sent instead of what docker and podman have kept: `rlp login` checks it before it keeps it. */
  readonly login?: RegistryLogin | undefined
  /** The folder whose config.toml counts beside the system's, in place of the user's; false: none. */
  readonly home?: string | false | undefined
  /** In place of the usual ones and of config.toml: for tests. */
  readonly times?: Partial<FetchTimes> | undefined
  /** Shared by all operations of one call. */
  readonly logins?: LoginOutcomes | undefined
  /** The same for what registries have shown of themselves, so that they are not asked for it again. */
  readonly seen?: SeenRegistries | undefined
  /** Told what a registry says to people; once each, and to be made printable. */
  readonly onWarning?: ((text: string) => void) | undefined
}

/** Where a bundle came from. Digests here are of what carries the bundle, never of the agent. */
export interface Origin {
  /** As it was asked for. */
  readonly reference: string
  /** `sha256:…` of the manifest that the reference led to. */
  readonly manifest: string
  /** `sha256:…` of the bundle. */
  readonly bundle: string
}

/** A stored bundle of which the manifest was read and hashed, and the list of what is attached to it. Its own bytes were not read. */
export interface LookedUp {
  /** `sha256:…` of the manifest. It names the bundle by digest and size. */
  readonly manifest: string
  /** `sha256:…` of the bundle. */
  readonly bundle: string
  /** {@link Added.listed} */
  readonly attached: string
}

/** Signatures that were added to a bundle after it was stored. Strangers can add some, and a carrier can leave some out. */
export interface Added {
  readonly envelopes: readonly AddedEnvelope[]
  /** Statements about the bundle; left out where there are none. */
  readonly attestations?: Attestations | undefined
  /** What is attached to the bundle and is no signature, or could not be read as one. */
  readonly others: readonly { readonly digest: string; readonly why: string }[]
  /** Why there may be more; undefined when all of them were read. */
  readonly incomplete: string | undefined
  /** A digest of the digests and sizes of all that is attached; undefined if they could not be listed. */
  readonly listed: string | undefined
}

export interface AddedEnvelope {
  /** `sha256:…` of the manifest that holds it. */
  readonly digest: string
  readonly bytes: Uint8Array
}

export interface CarriedBundle {
  readonly origin: Origin
  /** In bytes, as the manifest states it; more or fewer are an error at the end of the chunks. */
  readonly size: number
  readonly added: Added
  /** The bundle's bytes. Throws an `RlpError` if they are not those that the manifest names. */
  chunks(): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

/** Something that was attached to a bundle where it is stored. */
export interface CheckedAddition {
  /** `sha256:…` of the manifest that holds it. */
  readonly digest: string
  /** The key of a signature, as its envelope spells it; null for what is no signature. */
  readonly keyid: string | null
  /** `merged`: it is one of the bundle's signatures now. Anything else decides nothing. */
  readonly result: 'merged' | 'known' | 'unnamed' | 'invalid' | 'too many' | 'other'
  readonly detail: string
}

/** Where a bundle was fetched from, and what was attached to it there. */
export interface Carried extends Origin {
  readonly added: readonly CheckedAddition[]
  /** Why more may be attached than was read; null if all of it was. */
  readonly incomplete: string | null
}
