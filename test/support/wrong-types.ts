// A document with a value of a wrong type in every place, one document each; and TOML from values, to write them.

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

export interface Wrong {
  /** Keys and indexes joined with dots, and the value that is there now. */
  readonly what: string
  readonly pointer: string
  readonly value: Json
  /** The whole document. */
  readonly document: Json
}

const KINDS: readonly Json[] = ['text', 7, true, [], {}]

/** Every place of a document, the root included, with a value of each other kind; `kinds` may add `null`. */
export function wrongTypes(document: Json, kinds: readonly Json[] = KINDS): Wrong[] {
  return places(document, []).flatMap(({ at, value }) =>
    kinds
      .filter(other => kindOf(other) !== kindOf(value))
      .map(other => ({
        what: `${at.join('.') || '(root)'} = ${JSON.stringify(other)}`,
        pointer: at.join('.'),
        value: other,
        document: replaced(document, at, other),
      })),
  )
}

/** One line of TOML for each key of the root. */
export function toml(root: Json): string {
  return Object.entries(root as object)
    .map(([key, value]) => `${JSON.stringify(key)} = ${inline(value)}\n`)
    .join('')
}

function inline(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const pairs = Object.entries(value).map(([key, child]) => `${JSON.stringify(key)} = ${inline(child)}`)
  return `{ ${pairs.join(', ')} }`
}

function places(value: Json, at: readonly string[]): { at: readonly string[]; value: Json }[] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value as object) : []
  return [{ at, value }, ...inner.flatMap(([key, child]) => places(child as Json, [...at, key]))]
}

function replaced(value: Json, [key, ...rest]: readonly string[], other: Json): Json {
  if (key === undefined) return other
  const entries = Object.entries(value as object).map(([name, child]): [string, Json] => [
    name,
    name === key ? replaced(child as Json, rest, other) : (child as Json),
  ])
  return Array.isArray(value) ? entries.map(([, child]) => child) : Object.fromEntries(entries)
}

function kindOf(value: Json): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
}
