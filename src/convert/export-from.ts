// Opens what `tool export` names, exports its tools to a format by name, and writes the files: the same for the command and the library. A bundle only if
// its verdict allows using it.

import { basename, dirname } from 'node:path'
import { NO_FILES, overlay } from '../agent/overlay.ts'
import { read } from '../agent/read-agent.ts'
import { isSource, seeSource } from '../inspect/look-into.ts'
import type { Target } from '../io/find/find-agents.ts'
import { inputOf, isFile, kindAt } from '../io/find/search-folders.ts'
import { readInput } from '../io/read/bounded.ts'
import { openFile, readAt, withFile } from '../io/read/read-file.ts'
import type { Setting } from '../io/setting.ts'
import { writeResult } from '../io/write/new-files.ts'
import { type Agent, TOOLS_FILE } from '../model/agent.ts'
import type { ConversionChange } from '../model/conversion.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { ownMembers } from '../model/own.ts'
import type { Report } from '../model/report.ts'
import { isOciReference } from '../oci/scheme.ts'
import { writeToolsV1 } from '../tools/v1.ts'
import { examine, type Judging } from '../verify/examine.ts'
import { NotVerifiedError } from '../verify/make-report.ts'
import { type ExportChoices, type ExportedTools, exportText, exportWith, readableTools } from './export.ts'
import { EXPORTERS } from './exporters/index.ts'
import { importFrom, importKind } from './import.ts'
import { SERVER_FORMATS } from './servers/index.ts'
import type { ServerFormat } from './servers/server-format.ts'

export interface ExportResult extends ExportedTools {
  /** The agent or file of the tools, as the caller named it. */
  readonly target: string
  /** `source` for a source folder, which has no verdict. */
  readonly verdict: Report['verdict'] | 'source'
  readonly format: string
  /** The files that hold the document and the names, as the caller called them. */
  readonly files: readonly string[]
  /** Whether one of them is new, or has other content now. */
  readonly changed: boolean
}

interface Exporting {
  readonly to: string
  readonly ids: readonly string[] | undefined
  readonly api: 'chat' | 'responses' | undefined
  readonly namespace: string | undefined
  /** The file of the document. */
  readonly out: Target | undefined
  /** The file of the other names. */
  readonly names: Target | undefined
  readonly force: boolean
  readonly failOnLoss: boolean
}

export interface ExportOutcome {
  readonly answer: ExportResult
  /** Nothing was written, because a fact would be lost. */
  readonly isLossy: boolean
}

/** @throws NotVerifiedError for a bundle that may not be used */
export async function exportFrom(
  target: Target,
  judged: Judging,
  { to, out, names, force, failOnLoss, ...asked }: Exporting,
  io: Setting,
): Promise<ExportOutcome> {
  const opened = await openToExport(target, judged, io)
  const exported = exportTo(opened.agent, to, { ...asked, before: opened.changes, place: target.path })
  const { document, changes } = exported
  const isLossy = failOnLoss && changes.some(({ what }) => what === 'lost')
  // The names are written first, so that an export never exists without them.
  const files = [
    ...(names === undefined || isLossy ? [] : [{ ...names, text: exportText(exported.names) }]),
    ...(out === undefined || isLossy ? [] : [{ ...out, text: exportText(document) }]),
  ]
  const changed = await writeResult(files, { force, signal: io.signal })
  const answer = {
    ...exported,
    document: out === undefined && !isLossy ? document : undefined,
    target: target.label,
    verdict: opened.verdict,
    format: to,
    files: files.map(({ label }) => label),
    changed,
  }
  return { answer, isLossy }
}

interface OpenedToExport {
  readonly agent: Agent
  readonly verdict: Report['verdict'] | 'source'
  /** What changed before the export: a file of agentcli is put into our words first. */
  readonly changes: readonly ConversionChange[]
}

/** A source folder needs no verdict: its author exports from it. */
async function openToExport(target: Target, options: Judging, io: Setting): Promise<OpenedToExport> {
  if (isSource(target)) return { agent: await seeSource(target, io), verdict: 'source', changes: [] }
  const file = await toolsFileAt(target, io)
  if (file !== undefined) return { ...file, verdict: 'source' }
  const { path, label, reference, input } = ownMembers(target)
  if (input === undefined && !isOciReference(path) && kindAt(path) === undefined)
    throw new RlpError(
      'NOT_FOUND',
      `Cannot export the tools of "${label}": no such file, folder or installed agent`,
      { hint: `Name an agent’s folder, for example agents/${basename(label)}, or a bundle` },
    )
  const expect = options.expect ?? reference
  const { verification } = await examine(
    inputOf(target),
    { ...options, label, expect, mustExpect: true },
    'parsed',
  )
  const { report, bundle } = verification
  if (bundle === undefined) throw new NotVerifiedError(report)
  return { agent: bundle.agent, verdict: report.verdict, changes: [] }
}

/**
 * A tools.json that is named by itself → an agent of those tools, for an export: ours, or one of agentcli. It has no verdict, as a folder has none.
 */
interface ToolsFile {
  readonly agent: Agent
  /** What changed on the way from agentcli's words to ours. */
  readonly changes: readonly ConversionChange[]
}

/** Undefined for anything but a file of JSON text: no bundle begins as JSON does. @throws RlpError WRONG_FILE_TYPE, NOT_CONVERTIBLE */
async function toolsFileAt({ path, label }: Target, io: Setting): Promise<ToolsFile | undefined> {
  if (!isFile(path) || !(await beginsAsJson(path, label))) return undefined
  const bytes = await readInput(path, io)
  const kind = importKind(bytes)
  // What is no JSON is told its place by the reader of tools.json.
  if (kind === 'runloop' || kind === 'not-json') return { agent: agentOf(bytes, label), changes: [] }
  if (kind === 'agentcli') {
    const platform = process.platform === 'win32' ? 'win32' : 'posix'
    const { tools, changes } = importFrom({ bytes, label, installDir: dirname(path), platform })
    return { agent: agentOf(writeToolsV1(tools.map(({ tool }) => tool)), label), changes }
  }
  throw new RlpError('WRONG_FILE_TYPE', `Cannot export the tools of "${label}": it is no tools.json`, {
    hint: 'Name a tools.json of an agent or of agentcli, or take the file into an agent with rlp tool import',
  })
}

function agentOf(tools: Uint8Array | string, label: string): Agent {
  return read(overlay(NO_FILES, new Map([[TOOLS_FILE, tools]])), label)
}

async function beginsAsJson(path: string, label: string): Promise<boolean> {
  const start = new Uint8Array(64)
  const count = await withFile(openFile(path, { follow: true, label }), file => readAt(file, start, 0))
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(start.subarray(0, count))
  return /^(?:\u{feff})?\s*[{[]/u.test(text)
}

interface ExportToOptions extends ExportChoices {
  readonly namespace?: string | undefined
  /** Where the agent was found, as the caller has named it. */
  readonly place: string
}

/** In the order of the documents. */
export const EXPORT_FORMATS: readonly { readonly format: string; readonly summary: string }[] = [
  ...EXPORTERS,
  ...SERVER_FORMATS,
]

/** @throws UsageError for what is no format, and as {@link exportWith} */
function exportTo(agent: Agent, to: string, options: ExportToOptions): ExportedTools {
  const exporter = EXPORTERS.find(({ format }) => format === to)
  const server = SERVER_FORMATS.find(({ format }) => format === to)
  if (server !== undefined) return exportServer(agent, server, options)
  if (exporter === undefined)
    throw new UsageError(`Cannot export tools: ${JSON.stringify(to)} is no format`, {
      field: 'to',
      expected: EXPORT_FORMATS.map(({ format }) => format).join(', '),
    })
  if (options.namespace !== undefined)
    throw new UsageError(`Cannot export to ${to} with --namespace: it names no server`, {
      field: 'namespace',
      hint: 'Leave it out',
    })
  return exportWith(agent, exporter, options)
}

function exportServer(
  agent: Agent,
  server: ServerFormat,
  { ids = [], namespace, place }: ExportToOptions,
): ExportedTools {
  if (ids.length > 0)
    throw new UsageError(`Cannot export single tools to ${server.format}: a server serves all of an agent`, {
      field: 'id',
      hint: 'Leave the ids out',
    })
  const { manifest, policy, label } = agent
  const tools = readableTools(agent)
  const { name, variant, version, description } = manifest ?? {}
  if (name === undefined || version === undefined || policy === undefined)
    throw new RlpError('NOT_CONVERTIBLE', `Cannot say how "${label}" is served: it is no whole agent`, {
      hint: 'Name an agent’s folder, a bundle, or an installed agent',
    })
  const installed = variant === undefined ? name : `${name}@${variant}`
  const called = isOciReference(place) ? place : installed
  const served = { name, variant, version, description, policy, tools, called }
  const { document, changes } = server.write(served, { namespace })
  return { document, tools: tools.length, names: {}, changes, apart: [] }
}
