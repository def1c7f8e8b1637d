// Imports the tools of another system's file. Nothing is guessed: a fact that the file lacks is given by the caller, or inferred and listed, or the import
// stops. Schemas are written in the dialect of bundles.

import { mayBeAgentcli, toolsKindOf } from '../lint/lint-file.ts'
import { intoDialect } from '../lint/rules/change-schemas.ts'
import { misplacedIn, misplacedWords, putRight } from '../lint/rules/misplaced-members.ts'
import type { ConversionChange, Field } from '../model/conversion.ts'
import { RlpError } from '../model/error.ts'
import { ownMembers } from '../model/own.ts'
import type { JsonSchema, Tool } from '../model/tools.ts'
import type { NewTool } from '../scaffold/add-tool.ts'
import { checkJsonSchema } from '../schema/check.ts'
import { subschemasOf } from '../schema/walk.ts'
import { quoteText } from '../text/quote.ts'
import { isBlank } from '../text/words.ts'
import { otherWords, type ToolsKind } from '../tools/detect-tools.ts'
import type { BadTool, ImportedTool, Importer, ImportSource } from './importers/importer.ts'
import { IMPORTERS } from './importers/index.ts'
import { notConvertible, orBad, strictJson } from './importers/refuse.ts'
import { exportedId, namesTool, type Run, type RunChoice, runOf } from './importers/run-choice.ts'

export interface ImportChoices {
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
export function importFrom(source: ImportSource, options: ImportChoices = {}): ImportedTools {
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

const FORMATS: Readonly<Partial<Record<ToolsKind | 'not-json', string>>> = {
  runloop: 'it is a tools.json of the kind that agents have',
  'not-json': 'it is no JSON',
  mixture: 'it shows marks of more than one system',
  unknown: 'its content shows no system’s marks',
}

/** @throws RlpError WRONG_FILE_TYPE for a file of another or an unknown kind; NOT_CONVERTIBLE for a file that is not JSON */
function importerFor(source: ImportSource, from: Importer['format'] | undefined): Importer {
  const kind = from ?? importKind(source.bytes)
  const importer = IMPORTERS.find(({ format }) => format === kind)
  if (importer !== undefined) return importer
  const formats = IMPORTERS.map(({ format }) => format).join(', ')
  // It is not JSON; the strict reader says where.
  if (kind === 'not-json') strictJson(source)
  const isOurs = kind === 'runloop'
  const other = otherWords(kind)
  if (other !== undefined)
    throw new RlpError('WRONG_FILE_TYPE', `Cannot import "${source.label}": ${other.state}`, {
      hint: other.hint,
    })
  throw new RlpError('WRONG_FILE_TYPE', `Cannot import "${source.label}": ${FORMATS[kind]}`, {
    hint: isOurs
      ? 'Name it with --transport-from, or copy its entries'
      : `Say what it is with --from ${formats}, or split it`,
  })
}

/** Which system’s file it is; an empty list is agentcli’s, which has no other mark, as lint has it. */
export function importKind(bytes: Uint8Array): ToolsKind | 'not-json' {
  const kind = toolsKindOf(bytes)
  return kind === 'unknown' && mayBeAgentcli(bytes) ? 'agentcli' : kind
}

/** What the caller says of each tool. */
interface ToolChoices {
  /** Name in the file → id. */
  readonly names?: ReadonlyMap<string, string> | undefined
  readonly run?: RunChoice | undefined
}

function newTool(
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

const SCHEMAS = [
  ['input_schema', 'inputSchema'],
  ['result_schema', 'resultSchema'],
] as const

/**
 * The tool as it is written, with a change for each schema that was rewritten or has misplaced members.
 * @param is whether members are moved, and whether many tools have some
 * @throws RlpError NOT_CONVERTIBLE for a schema that is valid only with its members moved
 */
function placedTool(
  tool: ImportedTool,
  source: ImportSource,
  { isFixing, isMany }: { readonly isFixing: boolean; readonly isMany: boolean },
  changes: ConversionChange[],
): ImportedTool {
  const { name } = tool
  const placed: { [key in 'inputSchema' | 'resultSchema']?: JsonSchema } = {}
  for (const [field, key] of SCHEMAS) {
    const given = tool[key]
    const schema = given === undefined ? undefined : intoDialect(given)
    if (schema !== undefined && schema !== given) {
      placed[key] = schema
      changes.push({ tool: name, field, what: 'inferred', message: REWRITTEN })
    }
    const words = schema === undefined ? undefined : wordsAbout(schema)
    if (schema === undefined || words === undefined) continue
    const right = putRight(schema, true)
    if (isFixing) {
      placed[key] = right
      const message = `${isMany ? BESIDE : words}: --fix has moved them`
      changes.push({ tool: name, field, what: 'inferred', message })
    } else if (checkJsonSchema(schema).length > 0 && checkJsonSchema(right).length === 0)
      throw notConvertible(
        source,
        `${field} of ${quoteText(name)}: ${words}`,
        'Add --fix, which moves them, or correct the file',
      )
    else changes.push({ tool: name, field, what: 'lost', message: isMany ? MANY : `${words}: ${NO_EFFECT}` })
  }
  return { ...tool, ...placed }
}

const REWRITTEN =
  'it is written in the dialect of bundles: JSON Schema 2020-12, with $schema at the top alone, a plain $ref, and no names that nothing refers to'
const NO_EFFECT = 'they have no effect there; --fix moves them'
const BESIDE = 'arguments are beside properties, or keywords in it'
const MANY = `${BESIDE}: ${NO_EFFECT}`
/** The most tools whose misplaced members are named one by one. */
const MOST_NAMED = 4

/** Whether so many tools have misplaced members that one message is about all of them. */
function areManyMisplaced(tools: readonly ImportedTool[]): boolean {
  const misplaced = tools.filter(tool =>
    SCHEMAS.some(([, key]) => tool[key] !== undefined && wordsAbout(tool[key]) !== undefined),
  )
  return misplaced.length > MOST_NAMED
}

function wordsAbout(schema: JsonSchema): string | undefined {
  const [first, ...others] = misplacedIn(subschemasOf(schema), true)
  if (first === undefined) return undefined
  const more = others.length === 0 ? '' : ` (and so in ${others.length} more of its objects)`
  return `${misplacedWords(first).message}${more}`
}

/** The most tools that one message names. */
const MOST_BAD = 20

/** @param good how many of the others can be imported */
function badTools(bad: readonly BadTool[], good: number, source: ImportSource): RlpError {
  const [first, second] = bad
  if (first === undefined) throw new TypeError('no tool is bad')
  const others = good === 0 ? '' : `${good === 1 ? 'the other one' : `the ${good} others`}`
  if (second === undefined) {
    const hint = good === 0 ? first.hint : `${first.hint ?? 'Correct it'}; --only-good imports ${others}`
    return notConvertible(source, first.why, hint)
  }
  const more = bad.length - MOST_BAD
  const named = bad.slice(0, MOST_BAD).map(({ why }) => why)
  const seen = `${bad.length} of its ${bad.length + good} tools cannot be imported: ${named.join('; ')}`
  const isShared = bad.every(({ hint }) => hint === first.hint)
  const fix = (isShared ? first.hint : undefined) ?? 'Correct them'
  const hint = good === 0 ? fix : `${fix}; --only-good imports ${others}`
  return notConvertible(source, more > 0 ? `${seen}; and ${more} more` : seen, hint)
}

export function leftOut({ name, why }: BadTool): ConversionChange {
  return { tool: name, field: 'other', what: 'lost', message: `left out: ${why}` }
}
