// Reads config.toml, by a registry of its keys. A closed document: an unknown key is an error, because a misspelt one must not pass for none.
import type { Config, Decided, Mirror } from '../model/config.ts'
import type { Pointer } from '../model/document.ts'
import { FETCH_LIMITS } from '../model/limits.ts'
import type { LayoutPlace, RegistryPrefix } from '../model/oci.ts'
import { own, ownMembers } from '../model/own.ts'
import type { Reading } from '../model/reading.ts'
import type { SandboxMode } from '../model/sandbox.ts'
import { repositoryProblem } from '../oci/reference.ts'
import { readHostPort } from '../policy/host.ts'
import { lineColumn } from '../text/decode.ts'
import { type Table, TableReader } from '../toml/closed-table.ts'
import { parseToml } from '../toml/parse.ts'

const REGISTRY = 'oci://'
const LAYOUT = 'oci-layout:'
const MOST_MIRRORS = 1000

/** @param label name of the file. A wrong line is a problem of the reader, and left out. */
function readMirrors(reader: TableReader, value: unknown, at: Pointer, label: string): readonly Mirror[] {
  const lines = Object.entries(reader.table(value, at))
  if (lines.length > MOST_MIRRORS) reader.wrong(at, `it has more than ${MOST_MIRRORS} lines`)
  const mirrors: Mirror[] = []
  for (const [key, stated] of lines) {
    const here = [...at, key]
    const prefix = readPrefix(key)
    if ('problem' in prefix) reader.wrong(here, `${key.slice(0, 60)}: ${prefix.problem}`, 'key')
    const text = reader.text(stated, here)
    const target = text === undefined ? undefined : readTarget(text)
    if (target !== undefined && 'problem' in target) reader.wrong(here, target.problem)
    if ('value' in prefix && target !== undefined && 'value' in target)
      mirrors.push({ prefix: prefix.value, target: target.value, from: label })
  }
  for (const [index, { prefix }] of mirrors.entries())
    if (mirrors.slice(0, index).some(other => isSame(other.prefix, prefix)))
      reader.wrong(at, `it names oci://${prefix.host} with the same repository twice`)
  return mirrors
}

function readTarget(text: string): Reading<RegistryPrefix | LayoutPlace> {
  if (!text.startsWith(LAYOUT)) return readPrefix(text)
  const folder = text.slice(LAYOUT.length)
  if (!folder.startsWith('/') || /[\u0000-\u001f\u007f]/.test(folder))
    return { problem: 'a layout folder is named by its absolute path' }
  let end = folder.length
  while (folder[end - 1] === '/') end--
  return { value: { in: 'layout', folder: folder.slice(0, end) } }
}

function readPrefix(text: string): Reading<RegistryPrefix> {
  if (!text.startsWith(REGISTRY))
    return { problem: 'it must be oci://HOST[:PORT] or oci://HOST[:PORT]/REPOSITORY' }
  const [hostPort = '', ...parts] = text.slice(REGISTRY.length).split('/')
  const read = readHostPort(hostPort)
  if ('problem' in read) return read
  const problem = parts.length === 0 ? undefined : repositoryProblem(parts.join('/'), hostPort)
  return problem === undefined ? { value: { in: 'registry', ...read, parts } } : { problem }
}

function isSame(one: RegistryPrefix, other: RegistryPrefix): boolean {
  return one.host === other.host && one.port === other.port && one.parts.join('/') === other.parts.join('/')
}

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

type ReadConfig =
  | { readonly ok: true; readonly config: Config }
  /** The first problem, without a full stop. */
  | { readonly ok: false; readonly line: number; readonly column: number; readonly message: string }

const FIELDS = Object.entries(CONFIG_FIELDS) as [keyof Config, (typeof CONFIG_FIELDS)[keyof Config]][]
const TABLES = [...new Set(FIELDS.map(([, { table }]) => table))]

/** @param label name of the file in messages. Never throws for any bytes. */
export function readConfig(label: string, bytes: Uint8Array): ReadConfig {
  const parsed = parseToml(label, bytes)
  if (!parsed.ok) {
    const { text, problem } = parsed
    return { ok: false, ...lineColumn(text ?? '', problem.offset ?? 0), message: problem.message }
  }
  const { document } = parsed
  const reader = new TableReader(document)
  const root = ownMembers(document.value as Table)
  reader.closed(root, TABLES, [])
  for (const table of TABLES) {
    const keys = FIELDS.filter(([, field]) => field.table === table).map(([, { key }]) => key)
    reader.closed(reader.table(own(root, table), [table]), keys, [table])
  }
  const stated = FIELDS.map(([name, { table, key, read }]) => {
    const inTable = own(root, table)
    const value = read(reader, own(reader.table(inTable, [table]), key), [table, key], label)
    return [name, value === undefined ? undefined : { value, from: label }]
  })
  const [problem] = reader.problems
  if (problem === undefined) return { ok: true, config: Object.fromEntries(stated) as Config }
  const { pointer, part, message } = problem
  return { ok: false, ...lineColumn(document.text, document.locate(pointer, part).start), message }
}

/** What counts of both files, field by field. */
export function bothConfigs(system: Config, user: Config): Config {
  return Object.fromEntries(FIELDS.map(([name]) => [name, both(name, system, user)])) as unknown as Config
}

function both<F extends keyof Config>(name: F, system: Config, user: Config): Config[keyof Config] {
  const [first, second] = [system[name], user[name]]
  if (first === undefined || second === undefined) return first ?? second
  const field = CONFIG_FIELDS[name] as { both(one: unknown, other: unknown): unknown }
  const value = field.both(first.value, second.value)
  return { value, from: value === first.value ? first.from : second.from } as Config[keyof Config]
}
