// Loads an agentcli tools.json into its tools, or ends in the one error that agentcli reports.

import { posix, win32 } from 'node:path'
import type { Pointer } from '../model/document.ts'
import { type AgentcliDecoded, decodeAgentcli } from './decode.ts'
import type { AgentcliEntry, AgentcliField } from './entry.ts'
import { quoteGo, trimSpace } from './go-json.ts'

/** One tool of the agentcli kind. */
export interface AgentcliTool {
  readonly name: string
  /** The description for a model. An empty text if the entry has none. */
  readonly description: string
  /** The JSON text of `schema` as written, of any type; undefined if it is absent. */
  readonly schema: string | undefined
  /** The argument vector; its first element is absolute. */
  readonly command: readonly string[]
  /** `./tools/bin/…` below the manifest's folder; undefined if the document names an absolute program. */
  readonly relative: string | undefined
  /** Seconds; 0 or less means the default. */
  readonly timeoutSec: number
  /** Upper-case, each once. */
  readonly envPassthrough: readonly string[]
}

/** Where to look for programs. */
export interface AgentcliPlace {
  /** Absolute path of the folder that holds the document. */
  readonly manifestDir: string
  readonly platform: Platform
}

/** Why a document does not load: `error` is agentcli's own text, the rest says where. */
export interface LoadFailure {
  readonly ok: false
  readonly error: string
  /** Undefined if the document as a whole is meant. */
  readonly at?: Pointer
  /** Where the text stops being JSON. */
  readonly offset?: number
}

export type LoadedAgentcli = { readonly ok: true; readonly tools: readonly AgentcliTool[] } | LoadFailure

/** The error for a file that could not be read. */
export function unreadableAgentcli(reason: string): LoadFailure {
  return { ok: false, error: `read manifest: ${reason}` }
}

/** Never throws, whatever the document. Like agentcli, it ends at the first problem. */
export function readAgentcliTools(source: string | Uint8Array, place: AgentcliPlace): LoadedAgentcli {
  return loadDecoded(decodeAgentcli(source), place)
}

/** The same for a decoded document. */
export function loadDecoded(decoded: AgentcliDecoded, place: AgentcliPlace): LoadedAgentcli {
  if (!decoded.ok) {
    const { detail, at, offset } = decoded
    const error = `parse manifest: ${detail}`
    return { ok: false, error, ...(at && { at }), ...(offset !== undefined && { offset }) }
  }
  const tools: AgentcliTool[] = []
  const seen = new Set<string>()
  let failure: LoadFailure | undefined
  decoded.each((entry, index) => {
    const read = readEntry(entry, seen, place)
    if ('problem' in read) {
      const at = [decoded.root, index, ...read.at]
      failure = { ok: false, error: `tool[${index}]${read.problem}`, at }
      return false
    }
    seen.add(entry.name)
    tools.push(read.tool)
    return true
  })
  return failure ?? { ok: true, tools }
}

type ReadEntry = { readonly tool: AgentcliTool } | { readonly problem: string; readonly at: Pointer }

function readEntry(
  entry: AgentcliEntry,
  seen: ReadonlySet<string>,
  { manifestDir, platform }: AgentcliPlace,
): ReadEntry {
  const { name, description, schema, timeoutSec, spelled } = entry
  const refuse = (field: AgentcliField, problem: string, ...below: number[]): ReadEntry => {
    const key = spelled[field]
    return { problem, at: key === undefined ? [] : [key, ...below] }
  }
  if (name === '') return refuse('name', ': name is required')
  const named = ` ${quoteGo(name)}: `
  if (seen.has(name)) return refuse('name', `${named}duplicate name`)
  const [written, ...args] = entry.command
  if (written === undefined) return refuse('command', `${named}command must have at least program name`)
  const env = readEnvNames(entry.envPassthrough)
  if (!env.ok) return refuse('envPassthrough', named + env.problem, env.index)
  const program = resolveProgram(written, manifestDir, platform)
  if (!program.ok) return refuse('command', named + program.problem, 0)
  const { path, relative } = program
  return {
    tool: {
      name,
      description,
      schema,
      command: [path, ...args],
      relative,
      timeoutSec,
      envPassthrough: env.names,
    },
  }
}

type EnvNames =
  | { readonly ok: true; readonly names: readonly string[] }
  /** `problem` follows the index and the name of the tool; `index` is the position in the list. */
  | { readonly ok: false; readonly problem: string; readonly index: number }

/** Upper-cased, each once, in the order of their first appearance. */
export function readEnvNames(written: readonly string[]): EnvNames {
  const names = new Set<string>()
  for (const [index, text] of written.entries()) {
    const trimmed = trimSpace(text)
    if (trimmed === '') return { ok: false, index, problem: `envPassthrough[${index}]: empty name` }
    // Checked before it is upper-cased: JavaScript turns ß into SS, and both languages turn some other letters into ASCII.
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(trimmed)) {
      const problem = `envPassthrough[${index}]: invalid name ${quoteGo(text)} (must match [A-Z_][A-Z0-9_]*)`
      return { ok: false, index, problem }
    }
    names.add(trimmed.toUpperCase())
  }
  return { ok: true, names: [...names] }
}

export type Platform = 'posix' | 'win32'

type AgentcliProgram =
  | {
      readonly ok: true
      /** Absolute. */
      readonly path: string
      /** `./tools/bin/…` in its proper spelling; undefined for an absolute program. */
      readonly relative: string | undefined
    }
  /** `problem` follows the index and the name of the tool. */
  | { readonly ok: false; readonly problem: string }

const BIN = './tools/bin/'

/**
 * @param written `command[0]`
 * @param manifestDir absolute path of the folder that holds the document; the current folder has no effect
 */
export function resolveProgram(written: string, manifestDir: string, platform: Platform): AgentcliProgram {
  if (isAbsolute(written, platform)) return { ok: true, path: written, relative: undefined }
  // Backslashes separate on every platform, so that a document means the same everywhere.
  const slashed = written.replaceAll('\\', '/')
  const cleaned = clean(slashed)
  const form = cleaned === 'tools' || cleaned.startsWith('tools/') ? `./${cleaned}` : cleaned
  const problem = relativeProblem(written, slashed, form)
  if (problem !== undefined) return { ok: false, problem }
  const host = platform === 'posix' ? posix : win32
  if (!host.isAbsolute(manifestDir)) {
    return { ok: false, problem: `resolve command[0]: ${quoteGo(manifestDir)} is not an absolute path` }
  }
  return { ok: true, path: host.join(manifestDir, form), relative: form }
}

function relativeProblem(written: string, slashed: string, form: string): string | undefined {
  if (form === '..' || form.startsWith('../')) {
    return `command[0] must not start with '..' or escape tools/bin (got ${quoteGo(written)})`
  }
  if (form.startsWith(BIN)) return undefined
  if (slashed.startsWith(BIN) || slashed === './tools/bin') {
    return `command[0] escapes ./tools/bin after normalization (got ${quoteGo(written)} -> ${quoteGo(form)})`
  }
  return `relative command[0] must start with ${BIN}`
}

/** On Windows a drive with a root or a share; a bare leading slash is neither. */
function isAbsolute(path: string, platform: Platform): boolean {
  return platform === 'posix'
    ? path.startsWith('/')
    : /^(?:[A-Za-z]:[\\/]|[\\/]{2}[^\\/]+[\\/][^\\/])/.test(path)
}

/** Lexically, as Go's path.Clean, which also drops a slash at the end. */
function clean(path: string): string {
  const normal = posix.normalize(path)
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal
}

const DEFAULT_SECONDS = 30

/** `timeoutSec` of the entry if it is above 0. */
export function effectiveTimeout(timeoutSec: number, defaultSec: number): number {
  return timeoutSec > 0 ? timeoutSec : defaultSec
}

/** What agentcli was told on its command line. */
export interface AgentcliTimeouts {
  /** `-tool-timeout` */
  readonly toolTimeoutSec?: number
  /** `-timeout` */
  readonly timeoutSec?: number
}

/** The default for all tools: `-tool-timeout`, else `-timeout`, else 30 seconds. */
export function defaultTimeout(flags: AgentcliTimeouts): number {
  return [flags.toolTimeoutSec, flags.timeoutSec].find(seconds => (seconds ?? 0) > 0) ?? DEFAULT_SECONDS
}
