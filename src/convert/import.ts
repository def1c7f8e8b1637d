// A file of another system → tools of this one. Nothing is guessed: a fact that the file lacks is given by the caller, or inferred and
// listed, or the import stops.

import { isBlank } from '../format/text/blank.ts'
import { quoteText } from '../format/text/quote.ts'
import type { ConversionChange, Field } from '../model/conversion.ts'
import { RlpError } from '../model/error.ts'
import { ownMembers } from '../model/own.ts'
import type { Tool } from '../model/tools.ts'
import type { NewTool } from '../scaffold/added-files.ts'
import { importerFor } from './import-format.ts'
import type { ImportedTool, Importer, ImportSource } from './importers/importer.ts'
import { notConvertible } from './importers/refuse.ts'
import { exportedId, namesTool, type Run, type RunChoice, runOf } from './importers/run-choice.ts'
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
  const { tools: all, changes: found } = importer.read(source)
  const only = options.only ?? []
  const absent = only.find(name => all.every(tool => tool.name !== name))
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
  const chosen = only.length === 0 ? all : all.filter(({ name }) => only.includes(name))
  // An empty list is valid; a list of which nothing can be taken is not.
  if (chosen.length === 0 && found.length > 0) throw notConvertible(source, 'it has no tools')
  if (chosen.length > MAX_TOOLS)
    throw notConvertible(source, `it has ${chosen.length} tools; at most ${MAX_TOOLS} are imported at once`)
  refuseUrl(chosen.length, options.run)
  const names = new Set(chosen.map(({ name }) => name))
  const changes = found.filter(({ tool }) => tool === undefined || names.has(tool))
  const is = { isFixing: options.fix === true, isMany: areManyMisplaced(chosen) }
  const tools = chosen.map(tool => newTool(placedTool(tool, source, is, changes), source, options, changes))
  refuseTwice(tools, source)
  return { format: importer.format, tools, changes }
}

function newTool(
  imported: ImportedTool,
  source: ImportSource,
  { names, run }: ImportToolsOptions,
  changes: ConversionChange[],
): NewTool {
  const { name, capabilities, budget, tags, facts } = imported
  const note = (field: Field, what: ConversionChange['what'], message: string) =>
    void changes.push({ tool: name, field, what, message })
  const id = names?.get(name) ?? imported.id ?? exportedId(run, name) ?? name
  if (isBlank(id)) throw notConvertible(source, `a tool is called ${quoteText(id)}`, 'Give it a name')
  if (id !== name) note('id', 'renamed', `${name} is ${id} here`)
  const inferred = [...imported.inferred]
  const given = <T>(value: T | undefined, key: Field, made: T, message: string): T => {
    if (value !== undefined) return value
    note(key, 'inferred', message)
    inferred.push(key)
    return made
  }
  const hasNone = imported.description !== undefined && isBlank(imported.description)
  const description = given(
    hasNone ? undefined : imported.description,
    'description',
    name,
    'its name: the file does not say what it does',
  )
  const inputSchema = given(
    imported.inputSchema,
    'input_schema',
    { type: 'object' },
    'any object: the file does not say what it takes',
  )
  const resultSchema = given(
    imported.resultSchema,
    'result_schema',
    {},
    'anything: the file does not say what it answers',
  )
  const ran: Run = imported.run ?? runOf({ id, name }, run, source)
  const tool: Tool = {
    id,
    description,
    transport: ran.transport,
    inputSchema,
    resultSchema,
    schemaRefs: {},
    capabilities: [...new Set([...(ran.capabilities ?? []), ...capabilities])],
    secrets: ownMembers(ran).secrets ?? [],
    budget,
    // A confirmation is never dropped by an import.
    requiresConfirmation: imported.requiresConfirmation || ran.requiresConfirmation === true,
    tags,
    rlp: ran.rlp,
  }
  return { tool, inferred, isDecided: false, facts }
}

function refuseUrl(count: number, run: RunChoice | undefined): void {
  if (run?.is !== 'url' || count <= 1 || namesTool(run.url)) return
  throw new RlpError(
    'USAGE',
    `Cannot import ${count} tools: nothing in ${quoteText(run.url)} tells them apart`,
    { hint: 'Put {name} into the path or the query of --url' },
  )
}

function refuseTwice(tools: readonly NewTool[], source: ImportSource): void {
  const seen = new Set<string>()
  for (const { tool } of tools) {
    if (seen.has(tool.id))
      throw notConvertible(
        source,
        `two of its tools would be called ${quoteText(tool.id)}`,
        'Import one of them by its name',
      )
    seen.add(tool.id)
  }
}
