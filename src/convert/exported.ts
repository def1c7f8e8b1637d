// The argument of export → its agent; a bundle only if its verdict allows using it.

import { basename, dirname } from 'node:path'
import { NO_FILES, overlay } from '../agent/overlay.ts'
import { read } from '../agent/read-agent.ts'
import { isSource, seeSource } from '../inspect/look-into.ts'
import type { Target } from '../io/find/find-agents.ts'
import { inputOf, isFile, kindAt } from '../io/find/search-folders.ts'
import { readInput } from '../io/read/bounded.ts'
import { openFile, readAt, withFile } from '../io/read/read-file.ts'
import type { Setting } from '../io/setting.ts'
import { type Agent, TOOLS_FILE } from '../model/agent.ts'
import type { ConversionChange } from '../model/conversion.ts'
import { RlpError } from '../model/error.ts'
import { ownMembers } from '../model/own.ts'
import type { Report } from '../model/report.ts'
import { isOciReference } from '../oci/scheme.ts'
import { writeToolsV1 } from '../tools/v1.ts'
import { examine, type Judging } from '../verify/examine.ts'
import { importTools } from './import.ts'
import { importKind } from './import-format.ts'

export type OpenedToExport =
  | {
      readonly agent: Agent
      readonly verdict: Report['verdict'] | 'source'
      /** What changed before the export: a file of agentcli is put into our words first. */
      readonly changes: readonly ConversionChange[]
    }
  | { readonly refused: Report }

/** A source folder needs no verdict: its author exports from it. */
export async function openToExport(target: Target, options: Judging, io: Setting): Promise<OpenedToExport> {
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
  return bundle === undefined
    ? { refused: report }
    : { agent: bundle.agent, verdict: report.verdict, changes: [] }
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
    const { tools, changes } = importTools({ bytes, label, installDir: dirname(path), platform })
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
