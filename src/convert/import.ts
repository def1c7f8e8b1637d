// A file of another system → tools of this one. Nothing is guessed: a fact that the file lacks is given by the caller, or inferred and
// listed, or the import stops.

import type { ConversionChange } from '../model/conversion.ts'
import { RlpError } from '../model/error.ts'
import type { NewTool } from '../scaffold/add-tool.ts'
import { quoteText } from '../text/quote.ts'
import { badTools, leftOut } from './bad-tools.ts'
import { importerFor } from './import-format.ts'
import { newTool } from './imported-tool.ts'
import type { Importer, ImportSource } from './importers/importer.ts'
import { notConvertible, orBad } from './importers/refuse.ts'
import { namesTool, type RunChoice } from './importers/run-choice.ts'
import { areManyMisplaced, placedTool } from './placed-schemas.ts'

export interface ImportToolsOptions {
  /** The format that the caller names; by default the content decides. */
  readonly from?: Importer['format'] | undefined
  /** How to run tools that the file only describes. */
  readonly run?: RunChoice | undefined
  /** Name in the file → id, as an export wrote it. */
  readonly names?: ReadonlyMap<string, string> | undefined
  /** Only these, by their names in the file; all if the list is empty. */
  readonly only?: readonly string[] | undefined
  /** Whether tools that cannot be imported are left out, where they stop the import otherwise. */
  readonly onlyGood?: boolean | undefined
  /** Whether arguments beside `properties` are put into it, and keywords in it beside it. */
  readonly fix?: boolean | undefined
}

export interface ImportedTools {
  readonly format: Importer['format']
  readonly tools: readonly NewTool[]
  readonly changes: readonly ConversionChange[]
}

/** No model is shown more, and every rule checks each of them. */
const MAX_TOOLS = 2_000

/** @throws RlpError WRONG_FILE_TYPE for a file of another kind; NOT_CONVERTIBLE; USAGE if it is unknown how to run the tools */
export function importTools(source: ImportSource, options: ImportToolsOptions = {}): ImportedTools {
  const importer = importerFor(source, options.from)
  const { tools: all, changes: found, bad: broken } = importer.read(source)
  const only = new Set(options.only)
  const absent = [...only].find(name => [...all, ...broken].every(tool => tool.name !== name))
  if (absent !== undefined)
    throw new RlpError(
      'NOT_FOUND',
      `Cannot import ${quoteText(absent)}: "${source.label}" has no such tool`,
      {
        hint: `It has ${all
          .slice(0, 8)
          .map(({ name }) => quoteText(name))
          .join(', ')}${all.length > 8 ? ' …' : ''}`,
      },
    )
  const isChosen = ({ name }: { readonly name: string | undefined }) =>
    only.size === 0 || (name !== undefined && only.has(name))
  const chosen = all.filter(isChosen)
  const bad = broken.filter(isChosen)
  // An empty list is valid; a list of which nothing can be taken is not.
  if (chosen.length + bad.length === 0 && found.length > 0) throw notConvertible(source, 'it has no tools')
  if (chosen.length > MAX_TOOLS)
    throw notConvertible(source, `it has ${chosen.length} tools; at most ${MAX_TOOLS} are imported at once`)
  refuseUrl(chosen.length, options.run)
  const changes: ConversionChange[] = []
  const is = { isFixing: options.fix === true, isMany: areManyMisplaced(chosen) }
  const tools = new Map<string, NewTool>()
  const names = new Set<string>()
  for (const tool of chosen) {
    const own: ConversionChange[] = []
    const made = orBad(source, tool.name, () => {
      const one = newTool(placedTool(tool, source, is, own), source, options, own)
      if (tools.has(one.tool.id)) throw twice(one.tool.id, source)
      return one
    })
    if ('why' in made) {
      bad.push(made)
      continue
    }
    tools.set(made.value.tool.id, made.value)
    names.add(tool.name)
    changes.push(...own)
  }
  if (bad.length > 0 && (options.onlyGood !== true || tools.size === 0))
    throw badTools(bad, tools.size, source)
  return {
    format: importer.format,
    tools: [...tools.values()],
    changes: [
      ...found.filter(({ tool }) => tool === undefined || names.has(tool)),
      ...changes,
      ...bad.map(leftOut),
    ],
  }
}

function refuseUrl(count: number, run: RunChoice | undefined): void {
  if (run?.is !== 'url' || count <= 1 || namesTool(run.url)) return
  throw new RlpError(
    'USAGE',
    `Cannot import ${count} tools: nothing in ${quoteText(run.url)} tells them apart`,
    { hint: 'Put {name} into the path or the query of --url' },
  )
}

function twice(id: string, source: ImportSource): RlpError {
  const seen = `two of its tools would be called ${quoteText(id)}`
  return notConvertible(source, seen, 'Import one of them by its name')
}
