// A trust policy as a caller hands it in.

/** It is read when it is asked: its bytes, or an object with its tables. */
export interface PolicyContent {
  readonly content: unknown
}
