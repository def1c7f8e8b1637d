// Turns a bundle whose verdict was accepted into an offer: what an install compares with what is there.

import { permissionsOf } from '../inspect/widen.ts'
import type { Agent } from '../model/agent.ts'
import type { Offer } from '../model/install.ts'
import { ownMembers } from '../model/own.ts'
import type { Report } from '../model/report.ts'
import type { TrustContext } from '../model/trust.ts'
import { vouchers } from '../trust/vouchers.ts'
import { manifestDigestOf, referenceText } from '../version/reference.ts'

/** A bundle whose verdict was accepted. */
interface Judged {
  readonly agent: Agent
  readonly report: Report
  /** The statement that was judged. */
  readonly payload?: Uint8Array | undefined
  /** When its signatures expire; left out if they do not. */
  readonly notAfter?: string | undefined
}

/**
 * @param fileDigest BLAKE3 of its canonical archive
 */
export function offerOf(judged: Judged, trust: TrustContext, fileDigest: string): Offer {
  const { agent, report, payload, notAfter } = ownMembers(judged)
  const { identity, verdict } = report
  if (report.agent === null || identity === null) throw new TypeError('a verified bundle has a name')
  return {
    agent: referenceText(report.agent),
    version: report.agent.version,
    manifestDigest: manifestDigestOf(identity),
    fileDigest,
    verdict,
    ...vouchers(agent, report, trust, payload),
    permissions: permissionsOf(agent),
    oci: report.carried?.manifest,
    notAfter,
  }
}
