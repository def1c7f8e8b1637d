// Results that an agent's loop acts on, each with its `kind` (docs/contract.md).
import { type Failure, failure, type Success, success } from './envelope.ts'
import { listed, shown } from './say.ts'

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

/** Why a file could not be shared. */
export type ShareArtifactProblem =
  /** The path is outside the folder that may be shared. */
  | { readonly failure: 'pathRejected'; readonly path?: string; readonly root?: string }
  /** `tried`: all paths that were checked. */
  | { readonly failure: 'fileNotFound'; readonly path?: string; readonly tried?: readonly string[] }
  /** `reason`: the file system's message. */
  | { readonly failure: 'copyFailed'; readonly path?: string; readonly reason?: string }
  | { readonly failure: 'destinationRejected'; readonly filename?: string }

/**
 * The failure of a file that cannot be shared as an artifact.
 *
 * @example
 * shareArtifactFailure({ failure: 'fileNotFound', path: 'a.png', tried: ['/home/a.png', '/home/output/a.png'] }, 'share_artifact')
 */
export function shareArtifactFailure(problem: ShareArtifactProblem, tool?: string): Failure {
  switch (problem.failure) {
    case 'pathRejected': {
      const root =
        problem.root === undefined ? 'the trusted root' : `the trusted root \`${shown(problem.root)}\``
      return failure({
        kind: 'invalid_args',
        message: `${named('Path', problem.path)} is outside ${root}. Find the file with \`sandbox_search_files\` and pass its path below that root.`,
        field: 'path',
        expected: 'path of a file below the trusted root',
        tool,
      })
    }
    case 'fileNotFound': {
      const { tried = [] } = problem
      const places = tried.length === 0 ? '' : ` Looked at: ${listed(tried)}.`
      return failure({
        kind: 'execution_error',
        message: `${named('File', problem.path)} was not found.${places}`,
        tool,
      })
    }
    case 'copyFailed': {
      const reason = problem.reason === undefined ? '' : `: ${shown(problem.reason)}`
      return failure({
        kind: 'execution_error',
        message: `${named('File', problem.path)} could not be copied${reason}.`,
        tool,
      })
    }
    case 'destinationRejected':
      return failure({
        kind: 'invalid_args',
        message: `${named('Filename', problem.filename)} cannot be used. Pass a plain basename without folders, e.g. \`report.pdf\`.`,
        field: 'filename',
        expected: 'plain basename',
        tool,
      })
  }
}

function named(what: string, value: string | undefined): string {
  return value === undefined ? what : `${what} \`${shown(value)}\``
}

/** Prefix for a command, so that a pipeline fails if any part of it does. */
export const PIPEFAIL = 'set -o pipefail; '

const NO_OUTPUT =
  'Command exited 0 but produced no output. If you used `2>/dev/null` in a pipeline, the upstream error was suppressed — re-run without it to see what failed. (Pipefail is on, so a real upstream failure would have set a non-zero exit; this looks like genuine empty output OR redirected stderr.)'

const SIGPIPE =
  'A pipeline stage was terminated by SIGPIPE (exit 141). Usually safe when piping into `head -n N` and the upstream had more data; the captured stdout is still trustworthy.'

/** The outcome of a command that has ended. */
export interface ShellOutcome {
  readonly command: string
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * Notes for `warnings`: nothing was printed by a pipeline that may have hidden its errors, or a pipeline was closed early.
 *
 * @example
 * const ran = { command: 'cat log | grep x', exitCode: 0, stdout: '', stderr: '' } satisfies ShellOutcome
 * success('shell_run', { stdout: ran.stdout, exit_code: ran.exitCode }, shellWarnings(ran))
 */
export function shellWarnings({ command, exitCode, stdout, stderr }: ShellOutcome): string[] {
  const isSilent = exitCode === 0 && stdout === '' && stderr === ''
  const mayHide = command.includes('|') || command.includes('2>/dev/null')
  return [...(isSilent && mayHide ? [NO_OUTPUT] : []), ...(exitCode === 141 ? [SIGPIPE] : [])]
}
