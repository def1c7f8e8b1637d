// The source of secret values, as the verb `call` sees it.

export type SecretAnswer =
  | { readonly ok: true; readonly value: string }
  /**
   * `secret_unknown`: no store has a secret of this id. `secret_unusable`: there is one, but it is unsafe to
   * use. `problem` continues a sentence that begins with the id, and says nothing of the value.
   */
  | {
      readonly ok: false
      readonly reason: 'secret_unknown' | 'secret_unusable'
      readonly problem: string
      readonly hint?: string | undefined
    }

/** Called for each call of a tool, because values change. Does not throw for what it finds. */
export type SecretSource = (id: string, signal: AbortSignal) => Promise<SecretAnswer>

/**
 * Ids that are looked up. Such an id cannot leave a folder, begin an option, or be the name of another
 * variable.
 */
export const SECRET_ID = /^[a-z0-9_]+([./-][a-z0-9_]+)*$/
/** Characters: no file system and no program takes a longer one. */
export const LONGEST_SECRET_ID = 200
