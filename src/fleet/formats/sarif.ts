// SARIF 2.1.0. What writes it is loaded if it is asked for.
import type { FleetFormat } from './format.ts'

export const fleetSarif = {
  name: 'sarif',
  describe: 'SARIF 2.1.0 for code scanning, with what is not accepted',
  isData: true,
  isSigned: false,
  async open(setting) {
    const { sarifReport } = await import('../render-sarif.ts')
    return sarifReport(setting)
  },
} as const satisfies FleetFormat
