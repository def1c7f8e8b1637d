// An agentcli tools.json → its tools, or the one error that agentcli reports.
import type { Pointer } from '../model/document.ts'
import { type AgentcliDecoded, decodeAgentcli } from './decode.ts'
import type { AgentcliEntry, AgentcliField } from './entry.ts'
import { readEnvNames } from './env-name.ts'
import { quoteGo } from './go-text.ts'
import { type Platform, resolveProgram } from './program.ts'

/** One tool of the agentcli kind. */
export interface AgentcliTool {
  readonly name: string
  /** Empty if there is none. */
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
