// What lint found out about one agent.
import type { Agent } from '../model/agent.ts'
import type { Finding } from '../model/finding.ts'

/** What reports show of an agent. */
export type LintedAgent = Pick<Agent, 'label' | 'manifest' | 'documents' | 'unreadable'>

export interface Linted {
  readonly agent: LintedAgent
  readonly findings: readonly Finding[]
}
