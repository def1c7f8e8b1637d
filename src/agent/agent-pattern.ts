// What names agents in a trust policy: `name`, `name@variant`, `prefix*` or `prefix*@*` (docs/spec/trust-policy.md, K-33).
import { MAX_NAME_LENGTH } from '../model/limits.ts'
import { readReference } from './agent-name.ts'

const PATTERN = /^([a-z][a-z0-9_]*)\*(?:@\*)?$/
/** A shorter prefix would name agents that were not meant. */
const SHORTEST_PREFIX = 3

/** What is before the `*`; undefined for a name alone. */
export function prefixOf(pattern: string): string | undefined {
  return PATTERN.exec(pattern)?.[1]
}

/** Why a text names no agents; undefined if it does. */
export function agentPatternProblem(text: string): string | undefined {
  if (readReference(text) !== undefined) return undefined
  const prefix = prefixOf(text)
  if (prefix === undefined)
    return text.startsWith('*')
      ? 'before a * there is a prefix of 3 characters or more, as in acme_*'
      : 'it is not name, name@variant, prefix* or prefix*@*'
  if (prefix.length < SHORTEST_PREFIX)
    return 'its prefix is too short: write 3 characters or more, as in acme_*'
  return prefix.length > MAX_NAME_LENGTH ? 'no name is so long' : undefined
}

/** Equal for patterns that could name one agent equally well: `acme_*` and `acme_*@*`. */
export function patternKey(pattern: string): string {
  const prefix = prefixOf(pattern)
  return prefix === undefined ? pattern : `${prefix}*`
}

/**
 * How closely a pattern names an agent, `name` or `name@variant`, where it grants: a name covers itself alone. The highest number decides;
 * undefined if it does not name it.
 */
export function closeness(pattern: string, agent: string): number | undefined {
  if (pattern === agent) return Number.POSITIVE_INFINITY
  const prefix = prefixOf(pattern)
  if (prefix === undefined || !agent.startsWith(prefix)) return undefined
  return pattern.endsWith('@*') || !agent.includes('@') ? prefix.length : undefined
}

/** Whether a pattern covers an agent where it tightens: no variant escapes. */
export function tightens(pattern: string, agent: string): boolean {
  const prefix = prefixOf(pattern)
  if (prefix !== undefined) return agent.startsWith(prefix)
  return agent === pattern || agent.startsWith(`${pattern}@`)
}

/**
 * Every pattern that covers an agent where it tightens, the closest first. Where it grants, {@link closeness} leaves some of them out.
 *
 * @param has whether a prefix of this length is in any pattern: most policies have few lengths, and the others need not be tried
 */
export function coveringPatterns(agent: string, has: (length: number) => boolean = () => true): string[] {
  const [name = ''] = agent.split('@')
  const covering = name === agent ? [agent] : [agent, name]
  for (let length = name.length; length >= SHORTEST_PREFIX; length--) {
    if (!has(length)) continue
    const prefix = name.slice(0, length)
    covering.push(`${prefix}*`, `${prefix}*@*`)
  }
  return covering
}
