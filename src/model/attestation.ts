// What others state about a bundle: who built it, what is in it, who checked it (docs/evidence.md).

/** Envelopes that came with a bundle, as they are. None of them is believed yet. */
export interface Attestations {
  /** How people call the place they came from. */
  readonly label: string
  /** One for each line of the file, or for each that was attached. */
  readonly envelopes: readonly AttestationBytes[]
  /** Why they could not be read, or not all of them. */
  readonly problem: AttestationsProblem | undefined
  /** Sigstore bundles that came with it; left out where there are none. */
  readonly keyless?: KeylessFound | undefined
}

/** Sigstore bundles that came with a bundle, as they are. None of them is parsed unless a trust policy names an identity. */
export interface KeylessFound {
  readonly bundles: readonly AttestationBytes[]
  /** Why there may be more of them. */
  readonly problem: AttestationsProblem | undefined
}

export interface AttestationsProblem {
  /**
   * `limit`: there is more than is read, which could be what is missing. `io`: they could not be read, so it is unknown what they say. `unwanted`:
   * what names no key that attests here was not looked at, and could not count.
   */
  readonly why: 'limit' | 'io' | 'unwanted'
  /** A clause: `it has more than 65536 envelopes`. */
  readonly message: string
}

export interface AttestationBytes {
  /** `line 2`, or the digest of the manifest that holds it. */
  readonly where: string
  readonly bytes: Uint8Array
}

/** What an envelope states, once a key that is believed has signed it. */
export interface AttestedStatement {
  readonly predicateType: string
  readonly subjects: readonly AttestedSubject[]
  /** The predicate as it was parsed. */
  readonly predicate: Readonly<Record<string, unknown>>
}

export interface AttestedSubject {
  readonly name: string
  /** By algorithm, lower-case hex. */
  readonly digest: Readonly<Record<string, string>>
}

/** One envelope, as far as it was looked into. */
export interface LookedInto {
  readonly where: string
  /** Anchors that have signed it and are believed. */
  readonly by: readonly string[]
  /** The keys of theirs that did. */
  readonly keyids: readonly string[]
  /** Set where `by` is not empty. */
  readonly statement: AttestedStatement | undefined
  /** What a certificate names as built; of a statement by an identity alone. */
  readonly certified?: { readonly source: string | undefined; readonly ref: string | undefined }
  readonly isAbout: boolean
  /** Why it does not count, after *it is*; undefined if it may. The same for each that lacks the same. */
  readonly problem: string | undefined
}

/** A required statement that counted for a trust policy. */
export interface CountedStatement {
  /** Its `predicateType`. */
  readonly type: string
  /** The anchors that attested it, of those that the policy asks for. */
  readonly by: readonly string[]
  /** `line 2`, or the digest of the manifest that holds it. */
  readonly where: string
}
