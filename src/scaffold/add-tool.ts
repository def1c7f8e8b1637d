// Agent + tools → the new text of tools.json, of interfaces.json if there are facts for it, and of policy.caps if the tools need more
// than it grants.
import { overlay } from '../format/agent/overlay.ts'
import { read } from '../format/agent/read-agent.ts'
import { INTERFACES_FILE } from '../format/agent-tool/records.ts'
import { writePath, writeWords } from '../format/text/shell-words.ts'
import { applyRules } from '../lint/apply-rules.ts'
import { lint } from '../lint/lint.ts'
import { RULES } from '../lint/rules/index.ts'
import { UNPREPARED } from '../lint/rules/rule.ts'
import { type Agent, POLICY_FILE, TOOLS_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { Finding } from '../model/finding.ts'
import type { Tool } from '../model/tools.ts'
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

/** As {@link addTools}, for one tool with all of its facts stated. */
export function addTool(agent: Agent, given: Tool): AddedTool {
  const tool = agent.policy === undefined ? given : withWholeList(given, agent.policy)
  return addTools(agent, [{ tool, inferred: [], isDecided: true, facts: {} }])
}

/**
 * Lints the agent as it would be.
 *
 * @param agent read from a source folder
 * @throws RlpError LINT_FAILED if tools.json or policy.caps cannot be read, or lint would refuse a tool; EXISTS for an id that is taken;
 * USAGE for a need that no policy can grant; NOT_EDITABLE
 */
export function addTools(agent: Agent, added: readonly NewTool[]): AddedTool {
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
  refuseWrong(agent, added, changes)
  return { tools, interfaces, policy }
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
function refuseWrong(agent: Agent, added: readonly NewTool[], changes: ReadonlyMap<string, string>): void {
  const { problem, problems, after } = newProblem(agent, changes)
  if (problem === undefined) return
  const [only, second] = added
  const found =
    only !== undefined && second === undefined
      ? new Map([[only.tool.id, problem]])
      : errorsByTool(after, problems)
  throw wrongTools(agent, problem, found, added.length)
}

/** The first error that the agent would have after a change, and had not before. */
export function newProblem(
  agent: Agent,
  changes: ReadonlyMap<string, string>,
): {
  readonly problem: Finding | undefined
  readonly problems: readonly Finding[]
  readonly after: Agent
} {
  const known = errorsOf(agent).map(keyOf)
  const after = read(overlay(agent.files, changes), agent.label, agent.form)
  const problems = errorsOf(after).filter(finding => {
    const at = known.indexOf(keyOf(finding))
    if (at !== -1) known.splice(at, 1)
    return at === -1
  })
  // A wrong tool often has a wrong grant too, and only the tool's own entry tells which tool it is.
  return { problem: problems.find(({ file }) => file === TOOLS_FILE) ?? problems[0], problems, after }
}

function errorsOf(agent: Agent): Finding[] {
  const ours = [TOOLS_FILE, POLICY_FILE, INTERFACES_FILE]
  return applyRules(agent, RULES).filter(({ file, severity }) => severity === 'error' && ours.includes(file))
}

function keyOf({ rule, message }: Finding): string {
  return `${rule} ${message}`
}
