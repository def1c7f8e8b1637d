/** An installed bundle that counts as a high-water mark for one judgement. */
export interface InstalledFile {
  /** Absolute. */
  readonly path: string
  readonly label: string
  /** The root that was named for this call, absolute; left out for a root that every call looks into. */
  readonly root?: string
}
