// Imports tools into an agent or a file. A dry run says what an import would change. Command and library both call it.
import type { ConversionChange } from '../model/conversion.ts'
import type { AddedTool, NewTool } from '../scaffold/add-tool.ts'
import { goodTools } from './good-tools.ts'
import { type ImportToolsOptions, importTools } from './import.ts'
import type { ImportPlace } from './import-place.ts'
import type { Importer, ImportSource } from './importers/importer.ts'
import { factsLost, NOT_WRITTEN, writeGranted } from './write-import.ts'

export interface ImportResult {
  /** The file of the tools, as the caller called it. */
  readonly file: string
  readonly format: Importer['format']
  /** The agent that gets the tools, or the file, as the caller called it. */
  readonly to: string
  /** Ids, in the order of the file. */
  readonly tools: readonly string[]
  readonly changes: readonly ConversionChange[]
  /** Files that were written, by name. */
  readonly files: readonly string[]
  /** Lines that policy.caps has got; with `dryRun`, lines that it would get. */
  readonly granted: readonly string[]
  /** Lines that it would need: until it has them no runtime exposes the tools. */
  readonly missing: readonly string[]
  /** Whether a file changed; with `dryRun`, whether it would have. */
  readonly changed: boolean
}

export interface Importing {
  /** As the caller called it. */
  readonly file: string
  readonly source: ImportSource
  readonly place: ImportPlace
  readonly options: ImportToolsOptions
  /** Whether the caller grants what is missing without looking at it. */
  readonly grant: boolean
  readonly dryRun: boolean
  readonly failOnLoss: boolean
}

export interface ImportOutcome {
  readonly answer: ImportResult
  readonly tools: readonly NewTool[]
  /** Nothing was written, because a fact would be lost. */
  readonly isLossy: boolean
}

/** @param agrees whether policy.caps may get the lines of a plan; asked before anything is written */
export async function importInto(
  { file, source, place, options, grant, dryRun, failOnLoss }: Importing,
  agrees: (plan: AddedTool) => Promise<boolean>,
): Promise<ImportOutcome> {
  const imported = importTools(source, options)
  const { tools, changes: leftOut } =
    options.onlyGood === true
      ? await goodTools(place, imported.tools)
      : { tools: imported.tools, changes: [] }
  const changes = [...imported.changes, ...leftOut, ...(place.is === 'file' ? factsLost(tools) : [])]
  const { plan } = await place.add(tools)
  const isLossy = failOnLoss && changes.some(({ what }) => what === 'lost')
  const changed = !isLossy && (await place.changes(tools, plan))
  const done = isLossy || dryRun ? NOT_WRITTEN : await writeGranted(place, plan, tools, () => agrees(plan))
  const lines = place.is === 'agent' ? (plan.policy?.added ?? []) : []
  const isGranted = done.isGranted || (dryRun && grant)
  const answer = {
    file,
    format: imported.format,
    to: place.label,
    tools: tools.map(({ tool }) => tool.id),
    changes,
    files: done.files,
    granted: isGranted ? lines : [],
    missing: isGranted ? [] : lines,
    changed,
  }
  return { answer, tools, isLossy }
}
