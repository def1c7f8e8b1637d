// A tool of another system's file → one of ours. What the file does not say is given by the caller, or made up and listed.

import type { ConversionChange, Field } from '../model/conversion.ts'
import { ownMembers } from '../model/own.ts'
import type { Tool } from '../model/tools.ts'
import type { NewTool } from '../scaffold/add-tool.ts'
import { quoteText } from '../text/quote.ts'
import { isBlank } from '../text/words.ts'
import type { ImportedTool, ImportSource } from './importers/importer.ts'
import { notConvertible } from './importers/refuse.ts'
import { exportedId, type Run, type RunChoice, runOf } from './importers/run-choice.ts'

/** What the caller says of each tool. */
export interface ToolChoices {
  /** Name in the file → id. */
  readonly names?: ReadonlyMap<string, string> | undefined
  readonly run?: RunChoice | undefined
}

export function newTool(
  imported: ImportedTool,
  source: ImportSource,
  { names, run }: ToolChoices,
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
