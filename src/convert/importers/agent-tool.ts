// Agent Tool records → tools, and the facts for which tools.json has no place. How a tool is run is not theirs to say: a record grants nothing.
import { besideTools, onlyThere } from '../../agent-tool/only-there.ts'
import { recordErrors } from '../../agent-tool/record-shape.ts'
import { elementsIn, isRecordObject, type RecordObject, recordsIn } from '../../agent-tool/records.ts'
import { askingIn, recordsOf, type ToolRecords, timeLimitIn } from '../../agent-tool/tool-records.ts'
import type { ConversionChange, Fates, Field } from '../../model/conversion.ts'
import { own } from '../../model/own.ts'
import { quoteText } from '../../text/quote.ts'
import { writePath } from '../../text/shell-words.ts'
import { keptAs, lostBecause } from '../../tools/fields/field.ts'
import { budgetOf, textOf, textsOf, titled } from './facts.ts'
import { type BadTool, type Imported, type ImportedTool, type Importer, NO_TRANSPORT } from './importer.ts'
import { notConvertible, strictJson } from './refuse.ts'

const FACT = keptAs('as it is, in interfaces.json')

const FATES: Fates = {
  id: keptAs('tool_id', 'renamed'),
  title: keptAs('user_facing_name in interfaces.json'),
  description: keptAs('description; the tool_id if description is missing', 'inferred'),
  input_schema: keptAs(
    'model_input_schema; any object if it is missing; an argument beside properties is lost, or moved by --fix',
    'inferred',
    'lost',
  ),
  internal_input: keptAs('runtime_input_schema in interfaces.json'),
  result_schema: keptAs('output_schema; {} if it is missing', 'inferred', 'lost'),
  ...NO_TRANSPORT,
  timeout_ms: keptAs('timeout_ms in interfaces.json, the lowest limit that is stated'),
  secrets: keptAs('required_credentials in interfaces.json; a tool is given none by a record'),
  capabilities: keptAs(
    'capability_refs without net: and exec:, which follow from how the tool is run',
    'lost',
  ),
  requires_confirmation: keptAs(
    'true where approval_required or requires_user_interaction says true, else false',
  ),
  requires_user_interaction: FACT,
  is_read_only: FACT,
  is_destructive: FACT,
  is_open_world: FACT,
  is_concurrency_safe: FACT,
  strict: FACT,
  budget: keptAs('annotations.budget'),
  tags: keptAs('annotations.tags'),
  deferred: FACT,
  max_inline_chars: FACT,
  record: keptAs(
    'of interfaces as it is; a lifecycle that keeps the tool back becomes is_enabled or requires_setup; what else declarations and profiles say is lost',
    'lost',
  ),
  other: lostBecause('tools that --only-good leaves out'),
}

export const agentTool: Importer = {
  format: 'agent-tool',
  summary: 'Agent Tool records',
  fates: FATES,
  read(source): Imported {
    const root = strictJson(source)
    const elements = elementsIn(root)
    if (elements === undefined) throw notConvertible(source, 'it is no list of Agent Tool records')
    const bad = elements.flatMap(({ value }, index): BadTool[] => {
      if (recordErrors(value).length === 0) return []
      const name = isRecordObject(value) ? textOf(own(value, 'tool_id')) : undefined
      const hint = `Run rlp agent lint ${writePath(source.label)}`
      return [{ name, why: `its record ${index} does not fit its schema`, hint }]
    })
    // A tool of which one record cannot be read is not known.
    const isBad = new Set(bad.map(({ name }) => name))
    const records = recordsIn(root)
    const about = records.filter(({ name }) => name === 'tool-interface' || name === 'tool-declaration')
    const all = [...new Set(about.map(({ value }) => String(value['tool_id'])))]
    const ids = all.filter(id => !isBad.has(id))
    const find = recordsOf(records)
    const changes: ConversionChange[] = []
    const beside = besideTools(records, all)
    if (beside.length > 0) {
      const message = `records that lead to no tool are left out: ${beside.join(', ')}`
      changes.push({ tool: undefined, field: 'record', what: 'lost', message })
    }
    return { tools: ids.map(id => toTool(id, find(id), changes)), changes, bad }
  },
}

function toTool(id: string, records: ToolRecords, changes: ConversionChange[]): ImportedTool {
  const { declaration, interface: face } = records
  const lose = (field: Field, message: string) =>
    void changes.push({ tool: id, field, what: 'lost', message })
  const refs = [...textsOf(own(declaration, 'capability_refs')), ...textsOf(own(face, 'capability_refs'))]
  const isImplied = (capability: string) => /^(?:net|exec)(?::|$)/.test(capability)
  const implied = [...new Set(refs.filter(isImplied))]
  if (implied.length > 0) {
    const shown = implied.map(capability => quoteText(capability)).join(', ')
    lose('capabilities', `${shown}: how the tool is run here decides where it reaches`)
  }
  const facts = factsOf(records)
  const gone = onlyThere({ ...records, interface: undefined }).filter(
    key => !KEPT.includes(key) && !Object.hasOwn(facts, key),
  )
  if (gone.length > 0) lose('record', `${gone.join(', ')}: an import keeps interfaces, and no other records`)
  const annotations = { ...objectOf(own(declaration, 'annotations')), ...objectOf(own(face, 'annotations')) }
  const [input, output] = ['input_contract', 'output_contract'].map(key => objectOf(own(declaration, key)))
  return {
    name: id,
    id: undefined,
    description: [own(face, 'description'), own(declaration, 'description')].find(
      text => typeof text === 'string',
    ),
    inputSchema: schemaOf(own(face, 'model_input_schema'), input?.['model_input_schema'], input?.['schema']),
    resultSchema: schemaOf(own(face, 'output_schema'), output?.['structured_schema']),
    run: undefined,
    capabilities: refs.filter(capability => !isImplied(capability)),
    budget: budgetOf(own(annotations, 'budget')),
    tags: textsOf(own(annotations, 'tags')),
    requiresConfirmation: askingIn(records) !== undefined,
    facts,
    inferred: [],
  }
}

/** What a declaration or a profile says, and what an import keeps in another place. */
const KEPT = ['lifecycle', 'approval_required', 'timeout_ms', 'external_mappings']
/** What tools.json says itself, and names of records that are not kept. */
const NO_FACTS: ReadonlySet<string> = new Set([
  ...['schema_version', 'interface_id', 'tool_id', 'name', 'namespace', 'description', 'external_mappings'],
  ...['model_input_schema', 'output_schema', 'capability_refs', 'native_ids'],
  ...['permission_profile_ref', 'execution_profile_ref'],
])

/** A restriction is kept, in whichever record it is. */
function factsOf(records: ToolRecords): RecordObject {
  const { declaration, interface: face } = records
  const { title, lifecycle, aliases, search_hint } = declaration ?? {}
  const timeout = timeLimitIn(records)
  return {
    ...titled(title),
    ...(aliases !== undefined && { aliases }),
    ...(search_hint !== undefined && { search_hint }),
    ...Object.fromEntries(Object.entries(face ?? {}).filter(([key]) => !NO_FACTS.has(key))),
    ...((lifecycle === 'disabled' || lifecycle === 'retired') && { is_enabled: false }),
    ...(lifecycle === 'requires_setup' && { requires_setup: true }),
    ...(timeout !== undefined && { timeout_ms: timeout }),
  }
}

function schemaOf(...schemas: readonly unknown[]): RecordObject | undefined {
  return schemas.find(isRecordObject)
}

function objectOf(value: unknown): RecordObject | undefined {
  return isRecordObject(value) ? value : undefined
}
