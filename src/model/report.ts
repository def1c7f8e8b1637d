// The report of a verification, step by step: one object for people, for --json and for the library.
import type { CountedStatement } from './attestation.ts'
import type { BundleForm } from './bundle-form.ts'
import type { Carried } from './carried.ts'
import type { ChannelFacts } from './channel.ts'
import type { Pointer } from './document.ts'
import type { Finding } from './finding.ts'
import type { CheckedKeyless } from './keyless.ts'
import type { CodeOf, ReasonCode, WarningCode } from './reason-codes.ts'
import type { PolicyRole } from './trust.ts'
import type { Verdict } from './verdict.ts'

/** The steps of verification, in the order in which they run (docs/spec/judging.md#101-questions). */
export const STEPS = [
  'archive',
  'manifest',
  'signature',
  'files',
  'expectation',
  'trust',
  'schemas',
  'ceiling',
  'freshness',
] as const

export type Step = (typeof STEPS)[number]

export interface Check {
  readonly step: Step
  readonly result: 'passed' | 'failed' | 'undecided' | 'skipped'
  /** One line; the first finding against the bundle, if there is any. */
  readonly detail: string
  /** Everything that this step found. */
  readonly reasons: readonly Reason[]
}

/** One packed file and whether its bytes are the ones its digest names. */
export interface CheckedFile {
  readonly path: string
  readonly size: number
  /** Of the bytes that were read; null if they were not fetched. */
  readonly blake3: string | null
  readonly result: 'passed' | 'mismatch' | 'unlisted' | 'root'
}

/**
 * What probably happened to a file whose digest is not the stated one. A guess for people: no signature
 * covers it.
 */
export interface Diagnosis {
  readonly path: string
  /** Without a full stop. */
  readonly message: string
}

/** One signature. A key id says which key made it and confers nothing. */
export interface CheckedSignature {
  /** As the envelope spells it. */
  readonly keyid: string
  readonly result: 'valid' | 'invalid'
}

/** A trust policy that was read. */
export interface CheckedPolicy {
  readonly path: string
  readonly role: PolicyRole
  readonly digest: string | null
  /** Only of a policy that a channel brought. */
  readonly channel?: ChannelFacts
}

/** An override of policy.caps that applies to the agent on this host and was read. */
export interface CheckedOverride {
  readonly path: string
  /** BLAKE3; null when it could not be read. */
  readonly digest: string | null
  /** `name` or `name@variant`: what selected it. */
  readonly key: string
}

/** The lock that the bundle was held against; of several, the first that names its agent. */
export interface CheckedLock {
  readonly path: string
  /** BLAKE3; null when it could not be read. */
  readonly digest: string | null
}

/** What one trust policy said, and the line that decided. */
export interface PolicyJudgement {
  readonly policy: string
  readonly verdict: string
  readonly detail: string
  readonly line: number | null
  readonly signers: readonly {
    readonly signer: string
    readonly anchor: string | undefined
    readonly is: string
  }[]
  readonly counted: readonly string[]
  readonly attested: readonly CountedStatement[]
  readonly granting: string | null
  readonly beyond: readonly string[]
  /** Every line that was considered, including the one that decided. */
  readonly lines: readonly {
    readonly line: number | null
    readonly says: 'for' | 'against' | 'neutral'
    readonly detail: string
  }[]
}

/** Why the verdict is what it is. */
export interface Reason<Code extends ReasonCode | WarningCode = ReasonCode> {
  /** A stable word: one of the table, or the id of a lint rule. */
  readonly code: Code
  readonly message: string
  readonly hint?: string
}

/** What ends soon. */
export type Warning = Reason<WarningCode>

export interface Report {
  readonly target: string
  readonly verdict: Verdict
  readonly form: BundleForm
  /**
   * As the manifest states it. The manifest is not authenticated if the verdict is `unsigned` or `invalid`.
   */
  readonly agent: {
    readonly name: string
    readonly version: string
    readonly variant?: string
    readonly kind: string
  } | null
  /** `blake3:…` of the manifest's raw bytes; null where it was not read. */
  readonly identity: string | null
  /** All reasons of all checks; those that decided the verdict come first. */
  readonly reasons: readonly Reason[]
  readonly checks: readonly Check[]
  readonly files: readonly CheckedFile[]
  readonly signatures: readonly CheckedSignature[]
  /** Keyless signatures and statements that came with it; left out where none did, or where no policy names an identity. */
  readonly keyless?: readonly CheckedKeyless[]
  /** Only for a bundle in a registry or a layout folder. */
  readonly carried?: Carried
  /** Only if one was asked for. */
  readonly lock?: CheckedLock
  readonly policies: readonly CheckedPolicy[]
  readonly judgements: readonly PolicyJudgement[]
  readonly overrides: readonly CheckedOverride[]
  /** Not authenticated; they decide nothing. */
  readonly diagnoses: readonly Diagnosis[]
  /** What is wrong inside the bundle's documents. */
  readonly findings: readonly Finding[]
  /** Everything that was not checked, in words. */
  readonly skipped: readonly string[]
  /** What ends soon. It decides nothing yet; left out where nothing does. */
  readonly warnings?: readonly Warning[]
}

/** Why a signature by a key of an anchor does not count. */
export interface NotCounted {
  /** What its key is; reports have this word. */
  readonly is: 'an attesting key' | 'a signing key' | 'a development key' | 'an ended key'
  /** What follows on *it has signed*, with the space or comma before it. */
  readonly why: string
}

/** The result for one signature. */
export interface SignerFact {
  readonly signer: string
  readonly anchor: string | undefined
  readonly is: 'counted' | 'no anchor' | 'revoked' | NotCounted['is']
  /** Set where the anchor's own fields decided. */
  readonly why?: string
}

/** What one line of the policy says about the bundle. */
export interface PolicyLine {
  readonly at: Pointer
  /** `neutral`: it neither helps nor hinders. */
  readonly says: 'for' | 'against' | 'neutral'
  /** One sentence without a full stop. */
  readonly detail: string
}

/** One thing that a policy requires. */
export interface RequiredLine extends PolicyLine {
  /** Why it is not met, where it is not. */
  readonly code: CodeOf<'untrusted'>
  /** The statement that counted, if one is required and there. */
  readonly attested?: CountedStatement
}

export interface PassedOver {
  /** Links that add nothing: what they lead to is judged in its own place, or is no bundle. */
  links: number
  /** FIFOs, sockets and devices. */
  special: number
  /** Files without a bundle's name. */
  files: number
  /** In an install root: what rlp keeps for itself, and unpacked copies of the files that are judged. */
  own: number
}

export function nothingPassed(): PassedOver {
  return { links: 0, special: 0, files: 0, own: 0 }
}
