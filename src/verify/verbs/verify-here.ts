// The function verifyBundle, without registries, for the entry rlp-bundle/verify. The command is fleet/verify-command.ts.
import type { Report } from '../../model/report.ts'
import { defineVerb } from '../../verb/index.ts'
import { EXAMINED, examined, readNoReference } from '../examining-inputs.ts'

/**
 * Verifies a bundle and reports; never throws because of what the bundle is, nor because it cannot be read: that is the verdict
 * `indeterminate`.
 *
 * @example
 * const { verdict, reasons } = await verifyBundle('dist/mailer-0.1.0.agent.bundle', { expect: 'mailer' })
 * if (verdict !== 'trusted') console.error(verdict, reasons[0]?.message)
 *
 * @throws {@link RlpError} `USAGE` for invalid options and for references, `CANCELLED` when `signal` aborts
 */
export const verb = defineVerb({
  name: 'agent verify',
  summary: 'verify a bundle',
  called: 'verifyBundle',
  parameters: ['source'],
  inputs: EXAMINED,
  isLong: true,
  async run(asked, world): Promise<Report> {
    const { examination } = await examined(readNoReference, asked, world, 'parsed')
    return examination.verification.report
  },
})
