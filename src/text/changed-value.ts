// Two versions of a TOML or JSON file → the first value that differs. A guess for people: it decides nothing.

import { parseJson } from '../json/parse.ts'
import { jsonPointer } from '../json/pointer.ts'
import { isSameData } from '../json/same-data.ts'
import type { Document } from '../model/document.ts'
import { isTable, own } from '../model/own.ts'
import { parseToml } from '../toml/parse.ts'
import { writeTomlKey } from '../toml/write.ts'

/**
 * The first value in which two versions of a TOML or JSON file differ: `agent.version`, `/tools/0/id`. Undefined for other files, for
 * unreadable files, and if only the spelling differs.
 */
export function firstChangedValue(path: string, a: Uint8Array, b: Uint8Array): string | undefined {
  const [left, right] = [a, b].map(bytes => parsed(path, bytes))
  if (left === undefined || right === undefined) return undefined
  const at = difference(left.value, right.value)
  if (at === undefined) return undefined
  return (left.syntax === 'json' ? jsonPointer(at) : tomlKey(at)) || 'the whole document'
}

function parsed(path: string, bytes: Uint8Array): Document | undefined {
  const parse = /\.json$/.test(path) ? parseJson : /\.(?:toml|caps)$/.test(path) ? parseToml : undefined
  const result = parse?.(path, bytes)
  return result?.ok ? result.document : undefined
}

/** Documents are at most 64 levels deep; each level follows only the first child that differs. */
function difference(a: unknown, b: unknown): (string | number)[] | undefined {
  if (isSameData(a, b)) return undefined
  if (Array.isArray(a) && Array.isArray(b)) {
    const index = a.findIndex((value, at) => at >= b.length || !isSameData(value, b[at]))
    const at = index === -1 ? a.length : index
    return at < Math.min(a.length, b.length) ? [at, ...(difference(a[at], b[at]) ?? [])] : [at]
  }
  if (!isTable(a) || !isTable(b)) return []
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (!Object.hasOwn(a, key) || !Object.hasOwn(b, key)) return [key]
    const below = difference(own(a, key), own(b, key))
    if (below !== undefined) return [key, ...below]
  }
  return []
}

function tomlKey(at: readonly (string | number)[]): string {
  const parts = at.map(step => (typeof step === 'number' ? `[${step}]` : `.${writeTomlKey([step])}`))
  return parts.join('').replace(/^\./, '')
}
