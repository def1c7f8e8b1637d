// What a tool's author should know about an answer.

/** Something about an answer that its author should know. */
export interface Remark {
  /** `problem`: it breaks the contract. `remark`: it keeps the contract, and is unusual. */
  readonly weight: 'problem' | 'remark'
  /** One sentence without a full stop. */
  readonly message: string
  readonly fix: string
}

/** Adds a remark. */
export type NoteRemark = (weight: Remark['weight'], message: string, fix: string) => void
