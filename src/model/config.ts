// What the operator of a host has decided, from config.toml (docs/operator.md).

/** A value, and the name of the file that states it, for messages. */
export interface Decided<T> {
  readonly value: T
  readonly from: string
}

/** Of the system's file and the user's the stricter value; undefined where neither states one. */
export interface Config {
  /** `[security] confirm_external_actions`: whether a person is asked before each call that needs a confirmation. */
  readonly confirmExternalActions: Decided<boolean> | undefined
}
