// Every rule of lint, for lists, settings and reports: those about agents, and those about a single file of agentcli.
import { AGENTCLI_RULES } from './agentcli.ts'
import { RULES } from './index.ts'
import type { Rule } from './rule.ts'

/** The description of a rule. */
export type DescribedRule = Pick<Rule, 'severity' | 'scope' | 'summary' | 'why' | 'fix'> & {
  readonly id: string
  readonly isOptIn?: true
  readonly autofix?: unknown
}

export const DESCRIBED_RULES: readonly DescribedRule[] = [...RULES, ...Object.values(AGENTCLI_RULES)]
