// Bytes of config.toml → what it states, or why it is refused, with line and column. A closed document: an unknown key is an error, because a
// misspelt one must not pass for none.
import type { Config } from '../model/config.ts'
import { own, ownMembers } from '../model/own.ts'
import { lineColumn } from '../text/decode.ts'
import { type Table, TableReader } from '../toml/closed-table.ts'
import { parseToml } from '../toml/parse.ts'
import { CONFIG_FIELDS } from './fields.ts'

export type ReadConfig =
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
