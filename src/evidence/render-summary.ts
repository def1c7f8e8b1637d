// rlp agent verify --key: the report of one bundle, and a signed summary of it where it is trusted.

import type { GlobalArgs, Io } from '../cli/command.ts'
import { openTerminal } from '../cli/interactive.ts'
import { auditIn } from '../cli/options.ts'
import { report as print } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import type { Target } from '../io/find/search-folders.ts'
import { UsageError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import type { Report } from '../model/report.ts'
import { PREDICATES } from '../statement/predicates/index.ts'
import { worldOf } from '../verb/as-command.ts'
import type { Asked } from '../verb/index.ts'
import { readTyped } from '../verb/read.ts'
import type { Judging } from '../verify/examine.ts'
import { auditedBundle } from '../verify/make-report.ts'
import { refuseJudged, renderVerification } from '../verify/render.ts'
import { STATEMENT_SIGNING, SUMMARY_FACTS, signingBy } from './inputs.ts'
import { refuseNoUri } from './provenance.ts'
import { signedLine } from './render-stated.ts'
import { stateSummary } from './summary.ts'
import { examineFor } from './verified.ts'

const SUMMARY_SIGNING = { ...STATEMENT_SIGNING, ...SUMMARY_FACTS }

interface SummaryArgs extends GlobalArgs {
  readonly audit?: string | undefined
}

export async function attestVerified(
  target: Target,
  options: Judging,
  args: SummaryArgs,
  io: Io,
): Promise<ExitCode> {
  const world = worldOf(SUMMARY_SIGNING, { args, io, open: openTerminal })
  const asked = (await readTyped({ inputs: SUMMARY_SIGNING }, { ...args }, world)) as Asked<
    typeof SUMMARY_SIGNING
  >
  const { isSigned, sign } = signingBy(asked, world)
  const { verifier, resource, time } = asked
  if (!isSigned || verifier === undefined || resource === undefined) {
    const missing = isSigned ? (verifier === undefined ? 'verifier' : 'resource') : 'key'
    throw new UsageError(`Cannot attest: --${missing} is missing`, {
      field: missing,
      hint: 'A summary names who has checked, and what: --verifier URI --resource URI, and --key KEY or --keyless',
    })
  }
  refuseNoUri('verifier', verifier)
  refuseNoUri('resource', resource)
  const tool = 'agent.verify'
  const examined = await examineFor(target, { ...options, unsigned: asked.keyless !== undefined })
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
  const stated = await stateSummary(target, verified, { verifier, resource, time }, sign)
  print(io, args, {
    tool,
    result: { changed: stated.changed, bundles: [stated], passed: true, summary: { bundles: 1, trusted: 1 } },
    text: () =>
      renderVerification(report, createStyle(io.color), io.columns) +
      signedLine(PREDICATES.summary.word, stated.attested, io),
  })
  return EXIT.ok
}
