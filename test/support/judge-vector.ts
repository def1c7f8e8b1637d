// One vector of the conformance kit → how the verifier differs from it.

import { policyText } from '../../fixtures/conformance/kit.ts'
import type { Vector } from '../../fixtures/conformance/vector.ts'
import { judge } from './trust-world.ts'

const policies = [policyText()]

/** @returns what it said in place of what the vector names; undefined if it agrees */
export async function differenceOf({ bundle, verdict, codes }: Vector): Promise<string | undefined> {
  const { report } = await judge(bundle, { policies, now: '2026-06-01T00:00:00Z' })
  const [first] = report.reasons
  const isRight = verdict === 'trusted' ? first === undefined : codes.includes(first?.code ?? '')
  return report.verdict === verdict && isRight
    ? undefined
    : `${report.verdict} ${first?.code} ${first?.message}`
}
