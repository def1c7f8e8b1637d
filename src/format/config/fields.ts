// The registry of what config.toml may state: one line for each key. What reads the file, and what puts two files together, goes through it.
import type { Config, Decided } from '../../model/config.ts'
import type { Pointer } from '../../model/document.ts'
import type { TableReader } from '../toml/closed-table.ts'

interface ConfigField<T> {
  readonly table: string
  readonly key: string
  /** Undefined for a value of another type, which is a problem of the reader. */
  read(reader: TableReader, value: unknown, at: Pointer): T | undefined
  /** Whether the first value leaves less to others than the second. */
  isStricter(one: T, other: T): boolean
}

type ValueOf<F extends keyof Config> = NonNullable<Config[F]> extends Decided<infer T> ? T : never

export const CONFIG_FIELDS: { readonly [F in keyof Config]: ConfigField<ValueOf<F>> } = {
  confirmExternalActions: {
    table: 'security',
    key: 'confirm_external_actions',
    read: (reader, value, at) => (reader.flag(value, at) ? true : value === false ? false : undefined),
    isStricter: asks => asks,
  },
}
