// rlp agent verify --key: the report of one bundle, and a signed summary of it where it is trusted.

import type { GlobalArgs, Io } from '../cli/command.ts'
import { auditIn } from '../cli/options.ts'
import { report as print } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import type { Target } from '../io/find/search-folders.ts'
import { UsageError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import type { Report } from '../model/report.ts'
import { PREDICATES } from '../statement/predicates/index.ts'
import type { Judging } from '../verify/examine.ts'
import { auditedBundle } from '../verify/make-report.ts'
import { refuseJudged, renderVerification } from '../verify/render.ts'
import { isSigned, refuseHalf, type SignerArgs } from './options.ts'
import { refuseNoUri } from './provenance.ts'
import { signedLine, signingAsked } from './render-stated.ts'
import { stateSummary } from './summary.ts'
import { examineFor } from './verified.ts'

interface SummaryArgs extends GlobalArgs, SignerArgs {
  readonly attest: string | undefined
  readonly verifier: string | undefined
  readonly resource: string | undefined
  readonly time: string | undefined
  readonly audit?: string | undefined
}

/** @throws UsageError for options that need each other */
export function summaryFacts(args: SummaryArgs) {
  refuseHalf(args)
  const { verifier, resource, time } = args
  const isUnsigned = !isSigned(args)
  if (isUnsigned || verifier === undefined || resource === undefined) {
    const missing = isUnsigned ? 'key' : verifier === undefined ? 'verifier' : 'resource'
    throw new UsageError(`Cannot attest: --${missing} is missing`, {
      field: missing,
      hint: 'A summary names who has checked, and what: --verifier URI --resource URI, and --key KEY or --keyless',
    })
  }
  refuseNoUri('verifier', verifier)
  refuseNoUri('resource', resource)
  return { verifier, resource, time }
}

export async function attestVerified(
  target: Target,
  options: Judging,
  args: SummaryArgs,
  io: Io,
): Promise<ExitCode> {
  const facts = summaryFacts(args)
  const tool = 'agent.verify'
  const examined = await examineFor(target, { ...options, unsigned: args.keyless })
  const { audit } = args
  const log = await auditIn({ audit }, io)
  const record = (report: Report, accepted: boolean, sha256: string | undefined) =>
    log?.record({ ...auditedBundle(report, { accepted, sha256 }), command: tool })
  if (examined.is === 'refused') {
    record(examined.report, false, examined.sha256)
    return refuseJudged(examined.report, { doing: 'attest', tool, unread: examined.unread }, args, io)
  }
  const { verified } = examined
  const { report, sha256 } = verified
  // Before anything is signed.
  record(report, report.verdict === 'trusted', sha256)
  // A flag may have let an unsigned bundle pass. It is accepted, and not trusted.
  if (report.verdict !== 'trusted') return refuseJudged(report, { doing: 'attest', tool }, args, io)
  const stated = await stateSummary(target, verified, facts, signingAsked(args, io))
  print(io, args, {
    tool,
    result: { changed: stated.changed, bundles: [stated], passed: true, summary: { bundles: 1, trusted: 1 } },
    text: () =>
      renderVerification(report, createStyle(io.color), io.columns) +
      signedLine(PREDICATES.summary.word, stated.attested, io),
  })
  return EXIT.ok
}
