// The function verifyBundle, from a path, a url, bytes, a stream or a reference. The command is fleet/verify-command.ts.
import type { Report } from '../../model/report.ts'
import { defineVerb } from '../../verb/index.ts'
import { readAnywhere } from '../examine.ts'
import { EXAMINED, examined } from '../examining-inputs.ts'

/**
 * Verifies a bundle and reports; never throws because of what the bundle is, nor because it cannot be read: that is the verdict
 * `indeterminate`.
 *
 * @example
 * const { verdict, reasons } = await verifyBundle('dist/mailer-0.1.0.agent.bundle', { expect: 'mailer' })
 * if (verdict !== 'trusted') console.error(verdict, reasons[0]?.message)
 *
 * @throws {@link RlpError} `USAGE` for invalid options, `CANCELLED` when `signal` aborts
 */
export const verb = defineVerb({
  name: 'agent verify',
  summary: 'verify a bundle',
  called: 'verifyBundle',
  parameters: ['source'],
  inputs: EXAMINED,
  isLong: true,
  async run(asked, world): Promise<Report> {
    const { examination } = await examined(readAnywhere, asked, world, 'parsed')
    return examination.verification.report
  },
})
