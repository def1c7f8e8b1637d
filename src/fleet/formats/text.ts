// The format for people. What writes it is loaded for many bundles alone.
import type { FleetFormat } from './format.ts'

export const text = {
  name: 'text',
  isData: false,
  isSigned: false,
  async open(setting) {
    const { textReport } = await import('../render-text.ts')
    return textReport(setting)
  },
} as const satisfies FleetFormat
