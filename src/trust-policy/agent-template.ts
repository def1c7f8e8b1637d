// `{agent}` in a rule of a trust policy: one segment of a scope, in which the name of an agent is put (docs/spec/trust-policy.md, K-37). The name is put
// in after the scope was split at its slashes, so that no name reaches beyond its segment.
import { isAgentName } from '../agent/agent-name.ts'

const AGENT = '{agent}'

export function hasBrace(text: string): boolean {
  return /[{}]/.test(text)
}

/** Why a scope, or the name of a secret, must not have its braces; undefined if it has none or they are right. */
export function templateProblem(scope: string): string | undefined {
  if (scope.split('/').every(segment => segment === AGENT || !hasBrace(segment))) return undefined
  return 'a brace is allowed only in {agent}, alone between two slashes'
}

/** The scope for one agent. A text that is not the name of an agent could be anything, so it is never put in. */
export function withAgent(scope: string, name: string): string {
  if (!hasBrace(scope) || !isAgentName(name)) return scope
  return scope
    .split('/')
    .map(segment => (segment === AGENT ? name : segment))
    .join('/')
}
