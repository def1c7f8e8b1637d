// The registry of what config.toml may state: one line for each key. What reads the file, and what puts two files together, goes through it.
import type { Config, Decided } from '../model/config.ts'
import type { Pointer } from '../model/document.ts'
import { FETCH_LIMITS } from '../model/limits.ts'
import type { SandboxMode } from '../model/sandbox.ts'
import type { TableReader } from '../toml/closed-table.ts'
import { readMirrors } from './mirrors.ts'

interface ConfigField<T> {
  readonly table: string
  readonly key: string
  /** Undefined for a value of another type, which is a problem of the reader. */
  read(reader: TableReader, value: unknown, at: Pointer, label: string): T | undefined
  /** What counts where both files state it: of the system's file, then of the user's. */
  both(system: T, user: T): T
}

type ValueOf<F extends keyof Config> = NonNullable<Config[F]> extends Decided<infer T> ? T : never

/** The strictest first. */
const SANDBOX_MODES: readonly SandboxMode[] = ['require', 'auto', 'off']

export const CONFIG_FIELDS: { readonly [F in keyof Config]: ConfigField<ValueOf<F>> } = {
  confirmExternalActions: {
    table: 'security',
    key: 'confirm_external_actions',
    read: (reader, value, at) => (reader.flag(value, at) ? true : value === false ? false : undefined),
    both: (system, user) => system || user,
  },
  sandbox: {
    table: 'security',
    key: 'sandbox',
    read(reader, value, at) {
      const mode = value === undefined ? undefined : SANDBOX_MODES.find(one => one === value)
      if (value !== undefined && mode === undefined)
        reader.wrong(at, `it must be one of ${SANDBOX_MODES.join(', ')}`)
      return mode
    },
    both: (system, user) => SANDBOX_MODES.find(mode => mode === system || mode === user) ?? system,
  },
  sandboxUser: {
    table: 'security',
    key: 'sandbox_user',
    read: (reader, value, at) => (value === undefined ? undefined : reader.text(value, at)),
    // The system's: it says who owns what a program may write.
    both: system => system,
  },
  memoryMb: {
    table: 'security',
    key: 'memory_mb',
    read: (reader, value, at) => wholeNumber(reader, value, at, 16, 1_048_576),
    both: (system, user) => Math.min(system, user),
  },
  mirrors: {
    table: 'registries',
    key: 'mirrors',
    read: (reader, value, at, label) =>
      value === undefined ? undefined : [readMirrors(reader, value, at, label)],
    both: (system, user) => [...system, ...user],
  },
  registryTimeout: {
    table: 'registries',
    key: 'timeout',
    read: (reader, value, at) => wholeNumber(reader, value, at, 1, FETCH_LIMITS.seconds),
    both: (system, user) => Math.min(system, user),
  },
  lockConsent: {
    table: 'locks',
    key: 'consent',
    read(reader, value, at) {
      const isPath = (text: string) =>
        /^(?:~\/|\/)/.test(text) ? undefined : 'it must be an absolute path, or begin with ~/'
      return value === undefined ? undefined : reader.texts(value, at, isPath)
    },
    both: (system, user) => [...system, ...user],
  },
}

function wholeNumber(
  reader: TableReader,
  value: unknown,
  at: Pointer,
  least: number,
  most: number,
): number | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  reader.wrong(at, `it must be a whole number from ${least} to ${most}`)
  return undefined
}
