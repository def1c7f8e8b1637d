// Results that an agent's loop acts on, each with its `kind` (docs/contract.md).
import { type Success, success } from './envelope.ts'

/** One entry of a listing. `path` can be passed to the next call unchanged. */
export interface Entry {
  readonly name: string
  readonly path: string
  readonly type: 'file' | 'directory'
  readonly [extra: string]: unknown
}

/** The content of a folder. */
export interface Listing {
  readonly kind: 'listing'
  readonly path: string
  readonly entries: readonly Entry[]
  readonly entry_count: number
  readonly truncated: boolean
}

/** What a search found. */
export interface SearchResult {
  readonly kind: 'search'
  readonly query: string
  readonly entries: readonly Entry[]
  readonly match_count: number
  readonly truncated: boolean
}

/** The content of a file, with the known facts about its lines and bytes. */
export interface FileContent {
  readonly kind: 'file'
  readonly path: string
  readonly text: string
  readonly [fact: string]: unknown
}

/** A result that was too long; see `normalizeResult`. */
export interface TruncatedOutput {
  readonly kind: 'truncated_output'
  readonly truncated: true
  /** Code points of the tool's answer. */
  readonly original_chars: number
  readonly content: string
}

/** The kinds of result that an agent's loop tells apart. */
export type KnownResult = Listing | SearchResult | FileContent | TruncatedOutput

interface Noted {
  readonly tool?: string | undefined
  readonly warnings?: readonly string[]
}

/** The warning of a truncated listing, if its author gives none. */
const PARTIAL =
  'Listing truncated; entries are incomplete. To find a specific file by name, call `file_search` with `target:"files"` and a token from the name — do not conclude a file is absent from this partial list.'

/**
 * The listing of a folder. It is counted here. One that is truncated says so in its warnings, unless there are others.
 *
 * @example
 * const entries = [{ name: 'notes.txt', path: 'Desktop/notes.txt', type: 'file' }] satisfies Entry[]
 * console.log(serialize(listing({ tool: 'file_read', path: 'Desktop', entries })))
 */
export function listing({
  tool,
  path,
  entries,
  truncated = false,
  warnings = [],
}: Noted & {
  readonly path: string
  readonly entries: readonly Entry[]
  readonly truncated?: boolean
}): Success<Listing> {
  const notes = truncated && warnings.length === 0 ? [PARTIAL] : warnings
  return success(tool, { kind: 'listing', path, entries, entry_count: entries.length, truncated }, notes)
}

/** The matches of a search. They are counted here. */
export function searchResult({
  tool,
  query,
  entries,
  truncated = false,
  warnings,
}: Noted & {
  readonly query: string
  readonly entries: readonly Entry[]
  readonly truncated?: boolean
}): Success<SearchResult> {
  return success(tool, { kind: 'search', query, entries, match_count: entries.length, truncated }, warnings)
}

/**
 * The content of a file. Members of `facts` (lines, bytes) are added beside the fixed three and never replace
 * one.
 * @example fileContent({ tool: 'file_read', path: 'notes.txt', text: 'one\ntwo\n', facts: { total_lines: 2 }
 * })
 */
export function fileContent({
  tool,
  path,
  text,
  facts = {},
  warnings,
}: Noted & {
  readonly path: string
  readonly text: string
  readonly facts?: Readonly<Record<string, unknown>>
}): Success<FileContent> {
  return success(tool, { ...facts, kind: 'file' as const, path, text }, warnings)
}
