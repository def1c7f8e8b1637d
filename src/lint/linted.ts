// The result of linting one agent.
import type { Agent } from '../model/agent.ts'
import type { Finding } from '../model/finding.ts'

/** The parts of an agent that reports show. */
export type LintedAgent = Pick<Agent, 'label' | 'manifest' | 'documents' | 'unreadable'>

export interface Linted {
  readonly agent: LintedAgent
  readonly findings: readonly Finding[]
}
