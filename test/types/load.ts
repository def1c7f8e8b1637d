// Lines that must compile and lines that must not. Nothing here runs: the compiler judges it, in `npm run typecheck` and in a test.

import type { Agent } from '../../src/model/agent.ts'
import type { Outline, VerifiedBundle } from '../../src/model/bundle.ts'
import type { Report } from '../../src/model/report.ts'
import type { Circumstances } from '../../src/verify/circumstances.ts'
import { load } from '../../src/verify/load.ts'
import { verify } from '../../src/verify/verify.ts'

export async function loading(
  candidate: Outline,
  circumstances: Circumstances,
  agent: Agent,
  report: Report,
): Promise<void> {
  const { bundle } = await verify(candidate, circumstances)
  if (bundle !== undefined) load(bundle)

  // @ts-expect-error a candidate has been read and not judged
  load(candidate)
  // @ts-expect-error the verdict may have been against it
  load(bundle)
  // @ts-expect-error the parts of a verified bundle do not make one
  load({ agent, report })
  // @ts-expect-error nor does a promise in the shape of the type
  const claimed: VerifiedBundle = { agent, report }
  // @ts-expect-error a report is not a bundle
  load(report)
  void claimed
}
