// The starter opening of a new agent: a YAML document (DSL version 0) that runs the agent once.
import { isAgentName } from '../agent/agent-name.ts'
import { doubleQuoted } from '../text/escape.ts'

/** The author's answers about the opening. */
export interface OpeningAnswers {
  readonly agent: string
  readonly goal: string
  /** A parameter's name, see {@link isParamName}. */
  readonly param: string
}

/** Whether a text can name an opening's parameter: it is also used inside `{{params.<name>}}`. */
export function isParamName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text)
}

export function paramProblem(text: string): string | undefined {
  return isParamName(text) ? undefined : 'write letters, digits and underscores, not beginning with a digit'
}

/** What an opening says where its author has said nothing. */
export const PARAM = 'prompt'

export function goalFor(agent: string): string {
  return `run the ${agent} agent`
}

/** Where an opening goes if nothing else is said. */
export function openingFile(agent: string): string {
  return `examples/openings/${agent}.yaml`
}

/**
 * The document. Every text is quoted, including keys that people choose: YAML 1.1 readers take a bare `on` or `no` for a boolean.
 * @throws TypeError if agent or param is not a name; the caller checks that
 */
export function writeOpening({ agent, goal, param }: OpeningAnswers): string {
  if (!isAgentName(agent) || !isParamName(param))
    throw new TypeError('an opening needs the names of an agent and a parameter')
  return `version: 0
name: ${doubleQuoted(agent)}
goals:
  - ${doubleQuoted(goal)}
params:
  ${doubleQuoted(param)}: "example input"

policy:
  budget_tokens: 4000
  timeout_ms: 15000
  confirm_external: true

nodes:
  - id: ${doubleQuoted(`${agent}_node`)}
    use: ${doubleQuoted(`agent:${agent}`)}
    with:
      input: ${doubleQuoted(`{{params.${param}}}`)}
    timeout_ms: 10000

edges: []

success:
  any_of:
    - ${doubleQuoted(`exists(${agent}_node.out)`)}
`
}
