// Plans how tools are added to an agent: the new texts of tools.json, of interfaces.json and of policy.caps. Nothing is written here. Lint
// judges each tool first, and one message names all that it refuses.

import { isDeepStrictEqual } from 'node:util'
import { overlay } from '../agent/overlay.ts'
import { read } from '../agent/read-agent.ts'
import { readInTurns } from '../agent/read-in-turns.ts'
import { elementsIn, INTERFACES_FILE, isRecordObject } from '../agent-tool/records.ts'
import { appendAllToArray } from '../json/change.ts'
import { applyRules, lintAgent } from '../lint/lint.ts'
import { applyRulesInTurns } from '../lint/lint-run.ts'
import { RULES } from '../lint/rules/index.ts'
import { UNPREPARED } from '../lint/rules/rule.ts'
import { type Agent, POLICY_FILE, TOOLS_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { Finding } from '../model/finding.ts'
import { FixedMap } from '../model/frozen.ts'
import type { Tool } from '../model/tools.ts'
import type { Turn } from '../model/turn.ts'
import { editPolicy } from '../policy/edit.ts'
import { lineColumn } from '../text/decode.ts'
import { quoteText } from '../text/quote.ts'
import { writePath, writeWords } from '../text/shell-words.ts'
import { INFERRED_KEY } from '../tools/extensions.ts'
import { writeToolV1 } from '../tools/v1.ts'
import { grant, withWholeList } from './grant.ts'

/** The files that adding tools would write. */
export interface AddedTool {
  /** The new text of tools.json. */
  readonly tools: string
  /** The new text of interfaces.json; undefined if it gets no new facts. */
  readonly interfaces: string | undefined
  /** The new text of policy.caps; undefined if it already grants what the tools need. */
  readonly policy: PolicyChange | undefined
}

/** As {@link addTools}, for one tool with all of its facts stated, and at once. */
export function addOneTool(agent: Agent, given: Tool): AddedTool {
  const added = [stated(agent, given)]
  const { files, changes } = planned(agent, added)
  const after = read(overlay(agent.files, changes), agent.label, agent.form)
  refuseWrong(agent, added, newProblems(applyRules(agent, RULES), applyRules(after, RULES)), after)
  return files
}

/** A tool with all of its facts stated. */
export function stated(agent: Agent, given: Tool): NewTool {
  const tool = agent.policy === undefined ? given : withWholeList(given, agent.policy)
  return { tool, inferred: [], isDecided: true, facts: {} }
}

/**
 * Lints the agent as it would be, with turns of the event loop in between.
 *
 * @param agent read from a source folder
 * @throws RlpError LINT_FAILED if tools.json or policy.caps cannot be read, or lint would refuse a tool; EXISTS for an id that is taken;
 * USAGE for a need that no policy can grant; NOT_EDITABLE
 */
export async function addTools(agent: Agent, added: readonly NewTool[], turn: Turn): Promise<AddedTool> {
  const { files, changes } = planned(agent, added)
  const { problems, after } = await lintChanged(agent, changes, turn)
  refuseWrong(agent, added, problems, after)
  return files
}

function planned(agent: Agent, added: readonly NewTool[]) {
  refuseUnreadable(agent)
  for (const { tool } of added) refuseTaken(agent, tool.id)
  const tools = toolsText(agent, added)
  const interfaces = interfacesText(agent, added)
  const policy = policyChange(
    agent,
    added.map(({ tool }) => tool),
  )
  const changes = new Map([[TOOLS_FILE, tools]])
  if (interfaces !== undefined) changes.set(INTERFACES_FILE, interfaces)
  if (policy !== undefined) changes.set(POLICY_FILE, policy.text)
  return { files: { tools, interfaces, policy }, changes }
}

/**
 * Refuses an agent whose tools.json or policy.caps could not be read: a tool's needs are unknown until it is fixed. A missing tools.json
 * is fine.
 * @throws RlpError LINT_FAILED
 */
export function refuseUnreadable(agent: Agent): void {
  const isThere = (file: string) =>
    agent.files.get(file) ?? agent.files.oddities.find(({ path }) => path === file)
  const isBroken = (file: string) =>
    agent.unreadable.some(({ path }) => path === file) || (agent.shapes.get(file)?.length ?? 0) > 0
  const broken =
    isThere(TOOLS_FILE) && agent.tools === undefined
      ? TOOLS_FILE
      : agent.policy === undefined
        ? POLICY_FILE
        : isBroken(INTERFACES_FILE)
          ? INTERFACES_FILE
          : undefined
  if (broken === undefined) return
  const first = lintAgent(agent, UNPREPARED).find(
    ({ file, severity }) => file === broken && severity === 'error',
  )
  const seen = first === undefined ? `${broken} cannot be read` : `${broken}:${first.line}: ${first.message}`
  throw new RlpError('LINT_FAILED', `Cannot add a tool to "${agent.label}": ${seen}`, {
    hint: `Run rlp agent lint ${writePath(agent.label)}, which shows how to put it right`,
  })
}

/** @throws RlpError EXISTS */
export function refuseTaken(agent: Agent, id: string): void {
  if (!agent.tools?.tools.some(tool => tool.id === id)) return
  throw new RlpError(
    'EXISTS',
    `Cannot add the tool "${id}" to "${agent.label}": ${TOOLS_FILE} has a tool of this id`,
    {
      hint: `Choose another id, or change the tool that is there with rlp tool edit ${writePath(agent.label)} ${writeWords([id])} and what is new of it, such as --description TEXT`,
    },
  )
}

/** Lint decides last: a tool with errors is not written. */
function refuseWrong(
  agent: Agent,
  added: readonly NewTool[],
  problems: readonly Finding[],
  after: Agent,
): void {
  const problem = firstProblem(problems)
  if (problem === undefined) return
  const [only, second] = added
  const found =
    only !== undefined && second === undefined
      ? new Map([[only.tool.id, problem]])
      : errorsByTool(after, problems)
  throw wrongTools(agent, problem, found, added.length)
}

/** The errors that the agent would have after a change, and had not before. */
export async function lintChanged(
  agent: Agent,
  changes: ReadonlyMap<string, string>,
  turn: Turn,
): Promise<{ readonly problems: readonly Finding[]; readonly after: Agent }> {
  const before = await applyRulesInTurns(agent, RULES, turn)
  const after = await readInTurns(overlay(agent.files, changes), agent.label, agent.form, turn)
  return { problems: newProblems(before, await applyRulesInTurns(after, RULES, turn)), after }
}

/** A wrong tool often has a wrong grant too, and only the tool's own entry tells which tool it is. */
export function firstProblem(problems: readonly Finding[]): Finding | undefined {
  return problems.find(({ file }) => file === TOOLS_FILE) ?? problems[0]
}

function newProblems(before: readonly Finding[], after: readonly Finding[]): Finding[] {
  const known = before.filter(isError).map(keyOf)
  return after.filter(isError).filter(finding => {
    const at = known.indexOf(keyOf(finding))
    if (at !== -1) known.splice(at, 1)
    return at === -1
  })
}

function isError({ file, severity }: Finding): boolean {
  return severity === 'error' && [TOOLS_FILE, POLICY_FILE, INTERFACES_FILE].includes(file)
}

function keyOf({ rule, message }: Finding): string {
  return `${rule} ${message}`
}

/** A tool, and the facts that its entry cannot hold. */
export interface NewTool {
  readonly tool: Tool
  /** Keys of the entry whose values are not stated. */
  readonly inferred: readonly string[]
  /** Whether the author decided against a confirmation: only then `false` is written. */
  readonly isDecided: boolean
  /** Facts for interfaces.json, as fields of a tool_interface; possibly none. */
  readonly facts: Readonly<Record<string, unknown>>
}

export interface PolicyChange {
  readonly text: string
  /** The removed and added lines of the file, as written. */
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

/** Of tools.json; a missing file is made as the existing tooling makes it. */
function toolsText(agent: Agent, added: readonly NewTool[]): string {
  const document = agent.documents.get(TOOLS_FILE)
  const entries = added.map(entryOf)
  // An empty list is valid, and changes nothing.
  if (document !== undefined && entries.length === 0) return document.text
  return document === undefined
    ? JSON.stringify({ version: 1, tools: entries }, null, 2)
    : appendAllToArray(document, ['tools'], entries)
}

function entryOf({ tool, inferred, isDecided }: NewTool): Record<string, unknown> {
  const { requires_confirmation, ...entry } = writeToolV1(tool)
  const isSaid = requires_confirmation === true || (requires_confirmation !== undefined && isDecided)
  const whole = isSaid ? writeToolV1(tool) : entry
  return inferred.length > 0 ? { ...whole, [INFERRED_KEY]: inferred } : whole
}

/**
 * Of interfaces.json; undefined if there are no facts.
 * @throws RlpError EXISTS for a tool that already has records; NOT_EDITABLE
 */
function interfacesText(agent: Agent, added: readonly NewTool[]): string | undefined {
  const records = added.flatMap(({ tool, facts }) =>
    Object.keys(facts).length === 0
      ? []
      : { schema_version: '0.2.0', interface_id: `tool_interface:${tool.id}`, tool_id: tool.id, ...facts },
  )
  const [first] = records
  if (first === undefined) return undefined
  const document = agent.documents.get(INTERFACES_FILE)
  if (document === undefined) return `${JSON.stringify(records, null, 2)}\n`
  const known = new Set(
    (elementsIn(document.value) ?? []).map(({ value }) => isRecordObject(value) && value['tool_id']),
  )
  const taken = records.find(({ tool_id }) => known.has(tool_id))
  if (taken !== undefined)
    throw new RlpError(
      'EXISTS',
      `Cannot add the tool "${taken.tool_id}" to "${agent.label}": ${INTERFACES_FILE} speaks of a tool of this id`,
      { hint: `Choose another id, or remove its records from ${INTERFACES_FILE}` },
    )
  return appendAllToArray(document, Array.isArray(document.value) ? [] : ['records'], records)
}

/**
 * Undefined if policy.caps already grants everything that the tools need.
 * @param agent whose policy has been read
 * @throws RlpError USAGE for a need that no policy can grant
 */
export function policyChange(agent: Agent, tools: readonly Tool[]): PolicyChange | undefined {
  const document = agent.documents.get(POLICY_FILE)
  if (agent.policy === undefined || document === undefined)
    throw new TypeError('refuseUnreadable was not called')
  const { policy, impossible } = grant(agent.policy, tools)
  const [first] = impossible
  if (first !== undefined)
    throw new RlpError('USAGE', `Cannot grant "${first.capability}": no entry of ${POLICY_FILE} means this`, {
      hint: 'Name what is needed, for example net:api.mail.example',
    })
  if (isDeepStrictEqual(policy, agent.policy)) return undefined
  const text = editPolicy(document, policy)
  const [before, after] = [document.text.split(/\r?\n/), text.split(/\r?\n/)]
  return {
    text,
    removed: before.filter(line => !after.includes(line)),
    added: after.filter(line => !before.includes(line)),
  }
}

/** Some of the tools that were to be added have errors. */
export class WrongTools extends RlpError {
  /** What is wrong with each, by its id. */
  readonly wrong: ReadonlyMap<string, string>

  constructor(message: string, hint: string, wrong: ReadonlyMap<string, string>) {
    super('LINT_FAILED', message, { hint })
    // The library freezes what an error says, and a Map cannot be frozen.
    this.wrong = new FixedMap(wrong)
  }
}

/** The first error in the entry of each tool, by its id. */
function errorsByTool(
  { documents, tools }: Agent,
  problems: readonly Finding[],
): ReadonlyMap<string, Finding> {
  const found = new Map<string, Finding>()
  const document = documents.get(TOOLS_FILE)
  if (document === undefined || tools === undefined) return found
  const places = tools.tools.map(({ id }, index) => {
    const { start, end } = document.locate(['tools', index])
    return { id, start: lineColumn(document.text, start), end: lineColumn(document.text, end) }
  })
  for (const problem of problems) {
    if (problem.file !== TOOLS_FILE) continue
    const place = places.find(({ start, end }) => isAtOrAfter(problem, start) && isAtOrAfter(end, problem))
    if (place !== undefined && !found.has(place.id)) found.set(place.id, problem)
  }
  return found
}

interface Position {
  readonly line: number
  readonly column: number
}

function isAtOrAfter(one: Position, other: Position): boolean {
  return one.line > other.line || (one.line === other.line && one.column >= other.column)
}

/** The most tools that one message names. */
const MOST_NAMED = 20

/**
 * @param problem the first error, which may be in no tool
 * @param count of the tools that were to be added
 */
function wrongTools(
  agent: Agent,
  problem: Finding,
  found: ReadonlyMap<string, Finding>,
  count: number,
): WrongTools {
  const wrong = new Map([...found].map(([id, { message }]) => [id, message]))
  if (wrong.size < 2) {
    const [id] = wrong.keys()
    const what = id === undefined ? `${count} tools` : `the tool "${id}"`
    return new WrongTools(`Cannot add ${what} to "${agent.label}": ${problem.message}`, problem.fix, wrong)
  }
  const named = [...wrong].slice(0, MOST_NAMED).map(([id, why]) => `${quoteText(id)}: ${why}`)
  const more = wrong.size > MOST_NAMED ? `; and ${wrong.size - MOST_NAMED} more` : ''
  const message = `Cannot add ${wrong.size} of ${count} tools to "${agent.label}": ${named.join('; ')}${more}`
  return new WrongTools(message, `Correct each; of the first: ${problem.fix}`, wrong)
}
