// The argument of export → its agent; a bundle only if its verdict allows using it.
import { basename } from 'node:path'
import { isOciReference } from '../format/oci/scheme.ts'
import { isSource, seeSource } from '../inspect/look-into.ts'
import type { Target } from '../io/find/find-agents.ts'
import { kindAt } from '../io/find/search-folders.ts'
import type { Setting } from '../io/setting.ts'
import type { Agent } from '../model/agent.ts'
import type { ConversionChange } from '../model/conversion.ts'
import { RlpError } from '../model/error.ts'
import type { Report } from '../model/report.ts'
import { type ExamineOptions, examine } from '../verify/verify-file.ts'
import { toolsFileAt } from './export-file.ts'

export type OpenedToExport =
  | {
      readonly agent: Agent
      readonly verdict: Report['verdict'] | 'source'
      /** What changed before the export: a file of agentcli is put into our words first. */
      readonly changes: readonly ConversionChange[]
    }
  | { readonly refused: Report }

/** A source folder needs no verdict: its author exports from it. */
export async function openToExport(
  target: Target,
  options: ExamineOptions,
  io: Setting,
): Promise<OpenedToExport> {
  if (isSource(target)) return { agent: await seeSource(target, io), verdict: 'source', changes: [] }
  const file = await toolsFileAt(target, io)
  if (file !== undefined) return { ...file, verdict: 'source' }
  const { path, label, reference } = target
  if (!isOciReference(path) && kindAt(path) === undefined) {
    throw new RlpError(
      'NOT_FOUND',
      `Cannot export the tools of "${label}": no such file, folder or installed agent`,
      {
        hint: `Name an agent’s folder, for example agents/${basename(label)}, or a bundle`,
      },
    )
  }
  const expect = options.expect ?? reference
  const { verification } = await examine(path, { ...options, label, expect, mustExpect: true }, 'parsed')
  const { report, bundle } = verification
  return bundle === undefined
    ? { refused: report }
    : { agent: bundle.agent, verdict: report.verdict, changes: [] }
}
