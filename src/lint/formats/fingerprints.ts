// Names an agent's findings for programs that compare two reports. A name stays the same while lines move.
import { blake3Hex } from '../../bundle/blake3.ts'
import type { Finding } from '../../model/finding.ts'
import type { LintedAgent } from '../linted.ts'

/** Longer lines are compared by their beginning; equal ones are counted. */
const MOST = 1000

/**
 * Fingerprints of an agent's findings, in their order: rule, file, the line's content, not its number, and the names at
 * other places; equal ones are counted.
 */
export function fingerprints(agent: LintedAgent, findings: readonly Finding[]): string[] {
  const { name, variant } = agent.manifest ?? {}
  const lines = new Map<string, readonly string[]>()
  const seen = new Map<string, number>()
  return findings.map(({ rule, file, line, endLine, others = [], message }) => {
    if (!lines.has(file)) lines.set(file, beginnings(textOf(agent, file)))
    const content = lines.get(file)?.[line - 1]
    const single = endLine === undefined || content === undefined ? message : content
    // One more tool with the same problem is another finding: a program that has seen the first must not pass over it.
    const about = others.length === 0 ? single : [single, ...others.map(({ name }) => name)]
    const key = JSON.stringify([name ?? '', variant ?? '', file, rule, about])
    const nth = (seen.get(key) ?? 0) + 1
    seen.set(key, nth)
    return shortDigest(`${key}${nth}`)
  })
}

/** Of each line; made once, because a line may be the whole file and have a thousand findings. */
function beginnings(text: string): string[] {
  return text.split('\n').map(line => line.trim().slice(0, MOST))
}

function textOf(agent: LintedAgent, file: string): string {
  return agent.documents.get(file)?.text ?? agent.unreadable.find(({ path }) => path === file)?.text ?? ''
}

export function shortDigest(text: string): string {
  return blake3Hex(new TextEncoder().encode(text)).slice(0, 32)
}
