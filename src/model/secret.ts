// Where the values of secrets come from, as the verb `call` sees it.

export type SecretAnswer =
  | { readonly ok: true; readonly value: string }
  /**
   * `secret_unknown`: nobody has a secret of this id. `secret_unusable`: there is one, and it must not be used as it is. `problem` ends a
   * sentence that begins with the id, and says nothing of the value.
   */
  | {
      readonly ok: false
      readonly reason: 'secret_unknown' | 'secret_unusable'
      readonly problem: string
      readonly hint?: string
    }

/** Asked anew for each call: values change. Throws nothing because of what it finds. */
export type SecretSource = (id: string, signal: AbortSignal) => Promise<SecretAnswer>

/** Ids that are looked up. Nothing in one can leave a folder, begin an option, or be another variable's name. */
export const SECRET_ID = /^[a-z0-9_]+([./-][a-z0-9_]+)*$/
/** Characters: no file system and no program takes a longer one. */
export const LONGEST_SECRET_ID = 200
