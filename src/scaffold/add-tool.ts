// Agent + tools → the new text of tools.json, of interfaces.json if there are facts for it, and of policy.caps if the tools need more
// than it grants.
import { overlay } from '../agent/overlay.ts'
import { read } from '../agent/read-agent.ts'
import { readInTurns } from '../agent/read-in-turns.ts'
import { INTERFACES_FILE } from '../agent-tool/records.ts'
import { applyRules, lint } from '../lint/lint.ts'
import { applyRulesInTurns } from '../lint/lint-run.ts'
import { RULES } from '../lint/rules/index.ts'
import { UNPREPARED } from '../lint/rules/rule.ts'
import { type Agent, POLICY_FILE, TOOLS_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { Finding } from '../model/finding.ts'
import type { Tool } from '../model/tools.ts'
import type { Turn } from '../model/turn.ts'
import { writePath, writeWords } from '../text/shell-words.ts'
import { interfacesText, type NewTool, type PolicyChange, policyChange, toolsText } from './added-files.ts'
import { withWholeList } from './implied.ts'
import { errorsByTool, wrongTools } from './wrong-tools.ts'

export type { NewTool, PolicyChange } from './added-files.ts'

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
export function addTool(agent: Agent, given: Tool): AddedTool {
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
  const first = lint(agent, UNPREPARED).find(({ file, severity }) => file === broken && severity === 'error')
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
