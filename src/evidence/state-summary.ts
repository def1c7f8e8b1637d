// States that a bundle is trusted, for the command and for the library.
import type { Target } from '../io/find/find-agents.ts'
import type { Report } from '../model/report.ts'
import type { SignStated, StatedAbout } from './state-signed.ts'
import { type Summary, type SummaryFacts, statedSummary } from './summary.ts'
import type { Verified } from './verified.ts'

export interface StatedSummary extends StatedAbout {
  /** SLSA verification summary, version 1. */
  readonly summary: Summary
  readonly report: Report
}

/** @param verified a bundle that is trusted. @throws RlpError as signing and writing do */
export async function stateSummary(
  target: Target,
  { report, trust, about }: Verified,
  facts: SummaryFacts,
  sign: SignStated,
): Promise<StatedSummary> {
  const summary = statedSummary(report, trust, about.manifest, facts)
  return { summary, report, ...(await sign({ name: 'summary', about, predicate: summary, target })) }
}
