// The version table of tools.json: one row per version that this build reads. Other folders see only `ToolsDocument`.
import type { Document } from '../model/document.ts'
import type { ToolsDocument } from '../model/tools.ts'
import { readToolsV1 } from './v1.ts'

interface ToolsVersion {
  readonly version: number
  /** Name of its schema in `schema/check.ts`. */
  readonly shape: 'toolsV1'
  /** @param value a document without shape problems */
  read(value: unknown): ToolsDocument
}

export const TOOLS_VERSIONS: readonly ToolsVersion[] = [{ version: 1, shape: 'toolsV1', read: readToolsV1 }]

/** How this build treats the `version` of a document; `stated` is the text as written, or undefined if it is absent. */
export type VersionFact =
  | { readonly is: 'known'; readonly row: ToolsVersion }
  | { readonly is: 'newer'; readonly stated: string }
  | { readonly is: 'malformed'; readonly stated: string | undefined }

/**
 * Only a plain whole number is a version: `"1"`, `1.0`, `1e0`, `-1`, `0` and absence are malformed. The text decides, not the value:
 * JavaScript reads `1.0` as 1, and readers with integer types refuse it.
 */
export function toolsVersionOf(document: Document): VersionFact {
  const before = known.get(document)
  if (before !== undefined) return before
  const fact = versionIn(document)
  known.set(document, fact)
  return fact
}

/** Safe as a cache, because a document never changes. The key may come last, behind every tool. */
const known = new WeakMap<Document, VersionFact>()

function versionIn(document: Document): VersionFact {
  const root = document.value
  if (typeof root !== 'object' || root === null || !Object.hasOwn(root, 'version'))
    return { is: 'malformed', stated: undefined }
  const { start, end } = document.locate(['version'])
  const stated = document.text.slice(start, end)
  if (!/^[1-9][0-9]{0,14}$/.test(stated)) return { is: 'malformed', stated }
  const row = TOOLS_VERSIONS.find(row => row.version === Number(stated))
  return row ? { is: 'known', row } : { is: 'newer', stated }
}
