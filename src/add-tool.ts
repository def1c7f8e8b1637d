// Agent + a tool → the new text of tools.json, and of policy.caps where the tool needs more than it grants.
import { isDeepStrictEqual } from 'node:util'
import { appendToArray } from './format/json/edit.ts'
import { editPolicy } from './format/policy/edit.ts'
import { writeToolsV1, writeToolV1 } from './format/tools/v1.ts'
import { grant } from './grant.ts'
import { lint } from './lint.ts'
import { type Agent, POLICY_FILE, TOOLS_FILE } from './model/agent.ts'
import { RlpError } from './model/error.ts'
import type { Finding } from './model/finding.ts'
import type { Tool } from './model/tools.ts'
import { overlay } from './overlay.ts'
import { read } from './read.ts'

/** What adding a tool would write. */
export interface AddedTool {
  /** The new text of tools.json. */
  readonly tools: string
  /** The new text of policy.caps; undefined when it grants what the tool needs. */
  readonly policy: PolicyChange | undefined
}

export interface PolicyChange {
  readonly text: string
  /** Lines of the file that go and that come, as they are written. */
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

/**
 * @param agent read from a source folder
 * @throws RlpError LINT_FAILED when tools.json or policy.caps cannot be read as they are, or lint would refuse the tool; EXISTS for an id
 * that is taken; USAGE for a need that no policy can grant; NOT_EDITABLE
 */
export function addTool(agent: Agent, tool: Tool): AddedTool {
  refuseUnreadable(agent)
  refuseTaken(agent, tool.id)
  const document = agent.documents.get(TOOLS_FILE)
  const tools = document ? appendToArray(document, ['tools'], writeToolV1(tool)) : writeToolsV1([tool])
  const policy = policyChange(agent, tool)
  refuseWrong(
    agent,
    tool,
    new Map([[TOOLS_FILE, tools], ...(policy ? [[POLICY_FILE, policy.text] as const] : [])]),
  )
  return { tools, policy }
}

/**
 * Refuses an agent whose tools.json or policy.caps could not be read: before it is mended nothing can be said about what a tool
 * needs. A tools.json that is not there is fine.
 *
 * @throws RlpError LINT_FAILED
 */
export function refuseUnreadable(agent: Agent): void {
  const hasTools = agent.files.get(TOOLS_FILE) ?? agent.files.oddities.find(({ path }) => path === TOOLS_FILE)
  const broken =
    hasTools && agent.tools === undefined ? TOOLS_FILE : agent.policy === undefined ? POLICY_FILE : undefined
  if (broken === undefined) return
  const first = lint(agent).find(({ file, severity }) => file === broken && severity === 'error')
  const seen = first === undefined ? `${broken} cannot be read` : `${broken}:${first.line}: ${first.message}`
  throw new RlpError('LINT_FAILED', `Cannot add a tool to "${agent.label}": ${seen}`, {
    hint: `Run rlp agent lint ${agent.label}, which shows how to put it right`,
  })
}

/** @throws RlpError EXISTS */
export function refuseTaken(agent: Agent, id: string): void {
  if (!agent.tools?.tools.some(tool => tool.id === id)) return
  throw new RlpError(
    'EXISTS',
    `Cannot add the tool "${id}" to "${agent.label}": ${TOOLS_FILE} has a tool of this id`,
    {
      hint: 'Choose another id, or edit the tool that is there',
    },
  )
}

function policyChange(agent: Agent, tool: Tool): PolicyChange | undefined {
  const document = agent.documents.get(POLICY_FILE)
  if (agent.policy === undefined || document === undefined)
    throw new TypeError('refuseUnreadable was not called')
  const { policy, impossible } = grant(agent.policy, [tool])
  const [first] = impossible
  if (first !== undefined) {
    throw new RlpError('USAGE', `Cannot grant "${first.capability}": no entry of ${POLICY_FILE} means this`, {
      hint: 'Name what is needed, for example net:api.mail.example',
    })
  }
  if (isDeepStrictEqual(policy, agent.policy)) return undefined
  const text = editPolicy(document, policy)
  const [before, after] = [document.text.split(/\r?\n/), text.split(/\r?\n/)]
  return {
    text,
    removed: before.filter(line => !after.includes(line)),
    added: after.filter(line => !before.includes(line)),
  }
}

/** Lint has the last word: what it would call an error tomorrow is not written today. */
function refuseWrong(agent: Agent, tool: Tool, changes: ReadonlyMap<string, string>): void {
  const known = errorsOf(agent).map(keyOf)
  const after = read(overlay(agent.files, changes), agent.label, agent.form)
  const problem = errorsOf(after).find(finding => {
    const at = known.indexOf(keyOf(finding))
    if (at !== -1) known.splice(at, 1)
    return at === -1
  })
  if (problem === undefined) return
  throw new RlpError(
    'LINT_FAILED',
    `Cannot add the tool "${tool.id}" to "${agent.label}": ${problem.message}`,
    {
      hint: problem.fix,
    },
  )
}

function errorsOf(agent: Agent): Finding[] {
  const isOurs = (file: string) => file === TOOLS_FILE || file === POLICY_FILE
  return lint(agent).filter(({ file, severity }) => severity === 'error' && isOurs(file))
}

function keyOf({ rule, message }: Finding): string {
  return `${rule} ${message}`
}
