// Finds what the second of two bundles may do and the first may not, and the other way round (docs/upgrades.md#it-may-do-more). Pure. It
// compares the grants of policy.caps, the calls of tools, the values that arguments accept, and what a model is told of the tools.

import { INTERFACES_FILE, recordsIn } from '../agent-tool/records.ts'
import { recordsOf, statedIn } from '../agent-tool/tool-records.ts'
import { blake3Hex } from '../bundle/blake3.ts'
import { restricted, restrictionsIn } from '../caps/interface-records.ts'
import { serialize } from '../contract/serialize.ts'
import { stepsOf } from '../json/pointer.ts'
import { isSameData } from '../json/same-data.ts'
import type { Agent } from '../model/agent.ts'
import {
  CHANGE_KINDS,
  type Change,
  type FilledArgument,
  NOT_COMPARED,
  type Permissions,
  type ToldOfTool,
  type ToolPermission,
  type Widening,
} from '../model/permissions.ts'
import type { Policy } from '../model/policy.ts'
import type { Tool } from '../model/tools.ts'
import { grantsOf } from '../policy/ceiling.ts'
import { isGranted } from '../policy/containment.ts'
import { CAPABILITY_FAMILIES, capabilityFamily, isFamily } from '../policy/families/index.ts'
import { grantsAny } from '../policy/write.ts'
import { NO_GRANTS } from '../scaffold/grant.ts'
import { gapsIn, type SchemaGap } from '../schema/cover.ts'
import { isSchemaFile } from '../schema/reference.ts'
import { quoteText } from '../text/quote.ts'
import { transportKind } from '../tools/transports/index.ts'
import { filledArguments, roomForSchemas } from './filled-arguments.ts'

/** No permissions: a first install is compared with this. */
const NO_PERMISSIONS: Permissions = { policy: NO_GRANTS, tools: [], entry: null }

/** @param agent from a verified bundle */
export function permissionsOf(
  agent: Agent,
  entry: string | null = agent.manifest?.entries[0]?.blake3 ?? null,
): Permissions {
  const { manifest, policy, tools, documents } = agent
  if (policy === undefined || tools === undefined || manifest?.entries[0] === undefined)
    throw new TypeError('a verified bundle has a policy, tools and an entry')
  const schemaAt = (path: string) => documents.get(path)?.value
  const restrict = restrictionsIn(schemaAt)
  const room = roomForSchemas()
  const told = toldIn(agent)
  return {
    policy,
    tools: tools.tools.map(tool => {
      const restriction = restrict(tool.id)
      return {
        ...toolPermission(restricted(tool, restriction), filledArguments(tool, schemaAt, room), told(tool)),
        ...(restriction.reason !== undefined && { isWithheld: true }),
      }
    }),
    entry: entry?.toLowerCase() ?? null,
  }
}

/** What calling a tool does, and what a model is told of it. */
function toolPermission(tool: Tool, fills: readonly FilledArgument[], told: ToldOfTool): ToolPermission {
  const { id, transport, secrets, requiresConfirmation: confirm } = tool
  return { id, ...transportKind(transport).act.of(tool), secrets, confirm, fills, told }
}

/**
 * The differences. The order of lists and the spelling of equal values do not count.
 * @param before undefined for a first install: then everything is new
 */
export function widen(before: Permissions | undefined, after: Permissions): Widening {
  const old = before ?? NO_PERMISSIONS
  const tools = widenedTools(old.tools, after.tools, before === undefined)
  return {
    widened: [
      ...newGrants(old.policy, after.policy),
      ...tools.widened,
      ...(before === undefined ? [] : changedEntry(before, after)),
    ],
    narrowed: [...newGrants(after.policy, old.policy), ...tools.narrowed],
    described: tools.described,
  }
}

/** Grants that are new for any known reader. An entry without port means every port to some, and the usual port to others. */
function newGrants(before: Policy, after: Policy): Change[] {
  const same = new Set(grantsOf(before))
  // Some readers let `fs` write, so reading alone does not include it.
  const full: Policy = { ...before, fsRo: [] }
  return [...new Set(grantsOf(after))]
    .filter(grant => !same.has(grant) && !isCovered(grant, before, full))
    .map(grant => ({ kind: 'grant', message: grantPhrase(grant) }))
}

function isCovered(grant: string, before: Policy, full: Policy): boolean {
  if (grant === 'net:allow_http') return false
  const need = { capability: grant, at: [], from: 'declared' } as const
  const policy = grant.startsWith('fs:') ? full : before
  return isGranted(need, policy) || (policy.net.allowHttp && isGranted({ ...need, scheme: 'http' }, policy))
}

/** The entry's code cannot be compared. If it may reach out, changed code counts as a new permission until a person has reviewed it. */
function changedEntry(before: Permissions, after: Permissions): Change[] {
  const reaches = CAPABILITY_FAMILIES.flatMap(({ family, words: { reach } }) =>
    reach !== undefined && grantsAny(after.policy, family) ? reach : [],
  )
  const isKnown = before.entry !== null && after.entry !== null
  if (reaches.length === 0 || (isKnown && before.entry === after.entry)) return []
  const what = isKnown
    ? 'has another program inside'
    : 'may have another program inside (the digest of one is not known)'
  return [{ kind: 'entry', message: `${what}, which may ${reaches.join(' and ')}` }]
}

/** What a grant allows: `may reach …`. */
export function grantPhrase(grant: string): string {
  const [, family = '', scope] = /^([^:]*)(?::(.*))?$/s.exec(grant) ?? []
  if (isFamily(family)) return capabilityFamily(family).words.may(scope)
  return `may use ${grant}, a capability that this build does not know`
}

type Tools = readonly ToolPermission[]

/** @param isFirst whether there is no version to compare with */
function widenedTools(before: Tools, after: Tools, isFirst: boolean): Widening {
  const [was, is] = [running(before), running(after)]
  const old = new Map(was.map(tool => [tool.id, tool]))
  const now = new Map(is.map(tool => [tool.id, tool]))
  return {
    widened: [
      ...noLongerWithheld(before, is),
      ...is.flatMap(tool => inOrder(changedTool(old.get(tool.id), tool, isFirst))),
      ...newPairs(was, is),
    ],
    narrowed: [
      ...noLongerWithheld(after, was),
      ...was.flatMap(tool => inOrder(lostTool(tool, now.get(tool.id)))),
      ...newPairs(is, was),
    ],
    described: is.flatMap(tool => toldOtherwise(old.get(tool.id), tool)),
  }
}

/** A tool that a record withholds does nothing, whatever tools.json says of it. */
function running(tools: Tools): Tools {
  return tools.filter(({ isWithheld }) => isWithheld !== true)
}

/** Tools that run in one bundle, and that a record of the other withholds. */
function noLongerWithheld(other: Tools, tools: Tools): Change[] {
  const withheld = new Set(other.flatMap(({ id, isWithheld }) => (isWithheld ? id : [])))
  return tools
    .filter(({ id }) => withheld.has(id))
    .map(({ id }) => ({
      kind: 'withheld',
      tool: id,
      message: `may call ${id}, which the records of the other version withhold`,
    }))
}

function inOrder(changes: Iterable<Change>): Change[] {
  return [...changes].sort((a, b) => CHANGE_KINDS.indexOf(a.kind) - CHANGE_KINDS.indexOf(b.kind))
}

/** Under another id or of another kind a tool is a new one, whatever else is the same: its id and its words steer the model that calls it. */
function changedTool(before: ToolPermission | undefined, tool: ToolPermission, isFirst: boolean): Change[] {
  const changes: Change[] = []
  if (before?.kind !== tool.kind) {
    const asking = tool.confirm || isFirst ? '' : ', without asking'
    changes.push({ tool: tool.id, kind: 'tool', message: `${asTool(tool)}${asking}` })
    return changes
  }
  changes.push(...transportKind(tool).act.widened(before, tool))
  if (before.confirm && !tool.confirm)
    changes.push({ tool: tool.id, kind: 'confirmation', message: `calls ${tool.id} without asking` })
  changes.push(...widerInputs(before.fills, tool))
  return changes
}

function lostTool(tool: ToolPermission, now: ToolPermission | undefined): Change[] {
  const changes: Change[] = []
  if (now?.kind !== tool.kind) {
    changes.push({ tool: tool.id, kind: 'tool', message: asTool(tool) })
    return changes
  }
  changes.push(...transportKind(tool).act.narrowed(tool, now))
  if (now.confirm && !tool.confirm)
    changes.push({ tool: tool.id, kind: 'confirmation', message: `calls ${tool.id} without asking` })
  changes.push(...narrowerInputs(tool, now.fills))
  return changes
}

function asTool(tool: ToolPermission): string {
  return `${transportKind(tool).act.does(tool)} as the tool ${tool.id}`
}

/** New pairs of tool and secret, and of program and variable. */
function newPairs(before: Tools, after: Tools): Change[] {
  const old = new Set(before.flatMap(pairsOf).map(({ pair }) => pair))
  const found = new Map(
    after
      .flatMap(pairsOf)
      .filter(({ pair }) => !old.has(pair))
      .map(({ pair, change }) => [pair, change]),
  )
  return [...found.values()]
}

function pairsOf(tool: ToolPermission): { readonly pair: string; readonly change: Change }[] {
  const { act } = transportKind(tool)
  const target = act.receiver(tool)
  const secrets = tool.secrets.map(secret => ({
    pair: JSON.stringify(['secret', secret, target]),
    change: { kind: 'secret', tool: tool.id, message: `gives the secret ${secret} to ${target}` } as const,
  }))
  const env = act.env(tool).map(name => ({
    pair: JSON.stringify(['env', name, target]),
    change: { kind: 'env', tool: tool.id, message: `gives the variable ${name} to ${target}` } as const,
  }))
  return [...secrets, ...env]
}

type Filled = readonly FilledArgument[]
/** An argument, as `input.<path>`, and whether it is certain that it accepts more. */
type Wider = ReadonlyMap<string, 'takes' | 'may take'>

/** If two schemas cannot be compared, the new one counts as wider. */
export function widerInputs(before: Filled, { id, fills }: ToolPermission): Change[] {
  const changes: Change[] = []
  for (const [name, takes] of widerIn(fills, before))
    changes.push({ kind: 'input', tool: id, message: `${takes} more values as ${name} of ${id}` })
  return changes
}

/** Only certain losses: in all other cases it is unknown whether less is possible now. */
export function narrowerInputs({ id, fills }: ToolPermission, now: Filled): Change[] {
  const changes: Change[] = []
  const old = byPath(now)
  const kept = fills.filter(({ path }) => old.has(path))
  for (const [name, takes] of widerIn(kept, now))
    if (takes === 'takes')
      changes.push({ kind: 'input', tool: id, message: `${takes} more values as ${name} of ${id}` })
  return changes
}

/** What leaves in a template and with all the others is told once. */
function widerIn(fills: Filled, before: Filled): Wider {
  const found = new Map<string, 'takes' | 'may take'>()
  const old = byPath(before)
  for (const filled of fills) {
    for (const { at, is } of gapsOf(filled, old.get(filled.path))) {
      const path = filled.path === '' ? argumentAt(at) : filled.path
      const name = path === '' ? 'input' : `input.${path}`
      if (found.get(name) !== 'takes') found.set(name, is === 'breaking' ? 'takes' : 'may take')
    }
  }
  return found
}

function byPath(fills: Filled): ReadonlyMap<string, FilledArgument> {
  return new Map(fills.map(filled => [filled.path, filled]))
}

/** Where the new schema may accept more. */
function gapsOf(
  { schema, beside }: FilledArgument,
  old: FilledArgument | undefined,
): Pick<SchemaGap, 'at' | 'is'>[] {
  const unknown = { at: '', is: 'not decided' } as const
  if (old === undefined || old.beside === NOT_COMPARED) return [unknown]
  // A keyword that is new beside the schema can only restrict it. If there were some before, equality is all that can be judged.
  if (old.beside !== '' && old.beside !== beside) return [unknown]
  if (isSameData(old.schema, schema)) return []
  return gapsIn(old.schema, schema, { side: 'input', areRefsSame: false }).map(({ at, is }) => ({
    at,
    is: beside === '' ? is : 'not decided',
  }))
}

/** The argument that a place in the schema of all of them is about; empty if it is about several. */
function argumentAt(pointer: string): string {
  const [keyword, name = ''] = stepsOf(pointer)
  return keyword === 'properties' ? name : ''
}

/** Of a description, because the state keeps those of all tools. */
const MOST_KEPT = 1000
/** Of one description in a message: the words around the first that changed. */
const MOST_SHOWN = 300
const SHOWN_BEFORE = 40

/** What `tool` of an agent tells a model. */
export function toldIn({ documents }: Agent): (tool: Tool) => ToldOfTool {
  const titles = titlesIn(path => documents.get(path)?.value)
  let files: string | undefined
  const ofFiles = () => {
    const all = [...documents].filter(([path]) => isSchemaFile(path))
    return digestOf(all.map(([path, { value }]) => [path, value]))
  }
  return ({ id, description, inputSchema, resultSchema, schemaRefs }) => {
    const title = titles(id)
    const schemas = serialize([inputSchema, resultSchema, schemaRefs])
    if (REFERENCE.test(schemas)) files ??= ofFiles()
    return {
      ...(title !== undefined && { title: beginning(title) }),
      description: beginning(description),
      words: digestOf([title ?? null, description]),
      schemas: digestOf(REFERENCE.test(schemas) ? [schemas, files] : [schemas]),
    }
  }
}

/** Which files it leads to is not looked for: a person is told once too often rather than never. */
const REFERENCE = /"\$ref":/

/** A tool's id → the title that its records give it. */
export function titlesIn(fileAt: (path: string) => unknown): (id: string) => string | undefined {
  const find = recordsOf(recordsIn(fileAt(INTERFACES_FILE)))
  return id => {
    const title = statedIn(find(id)).find(({ field }) => field === 'title')?.value
    return typeof title === 'string' ? title : undefined
  }
}

/** @param before under the same id */
export function toldOtherwise(before: ToolPermission | undefined, { id, told }: ToolPermission): Change[] {
  const changes: Change[] = []
  if (before === undefined) return changes
  const old = before.told
  const about = { tool: id }
  if (old.title !== told.title) {
    const was = old.title === undefined ? '' : `, not ${quoteText(old.title, MOST_SHOWN)}`
    const message =
      told.title === undefined ? `has no title for ${id}` : `calls ${id} ${quoteText(told.title, MOST_SHOWN)}`
    changes.push({ ...about, kind: 'title', message: `${message}${was}` })
  }
  if (old.description !== told.description) {
    const at = firstDifference(old.description, told.description)
    changes.push({
      ...about,
      kind: 'description',
      message: `describes ${id} as ${around(told.description, at)}, not as ${around(old.description, at)}`,
    })
  } else if (old.words !== told.words && old.title === told.title)
    changes.push({
      ...about,
      kind: 'description',
      message: `describes ${id} otherwise after ${MOST_KEPT} characters`,
    })
  if (old.schemas !== told.schemas)
    changes.push({
      ...about,
      kind: 'schema',
      message: `describes input or result of ${id} with another schema`,
    })
  return changes
}

/** No half of a character at its end, which a state file could not hold. */
function beginning(text: string): string {
  return text.slice(0, MOST_KEPT).replace(/[\ud800-\udbff]$/, '')
}

function firstDifference(a: string, b: string): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}

/** In quotes, with an ellipsis where something is left out. */
function around(text: string, at: number): string {
  const from = text.length <= MOST_SHOWN ? 0 : Math.max(0, at - SHOWN_BEFORE)
  return quoteText(`${from > 0 ? '…' : ''}${text.slice(from)}`, MOST_SHOWN)
}

function digestOf(value: unknown): string {
  return blake3Hex(new TextEncoder().encode(serialize(value)))
}
