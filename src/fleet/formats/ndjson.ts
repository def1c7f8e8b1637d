// A line of JSON for each bundle, and one for all of them (docs/fleet.md).

import { VERSION } from '../../model/rlp-version.ts'
import { printableJson } from '../../text/printable.ts'
import type { FleetFormat } from './format.ts'

export const ndjson = {
  name: 'ndjson',
  describe: 'a line of JSON for each bundle as it is judged, and one for all of them',
  isData: true,
  isSigned: true,
  open: ({ tally, write }) => ({
    judged: ({ line }) => write(`${printableJson(line)}\n`),
    end(skipped) {
      const { bundles, accepted, reused, counts: verdicts, exit } = tally
      const summary = {
        type: 'summary',
        bundles,
        accepted,
        reused,
        verdicts,
        skipped,
        exit,
        program: VERSION,
      }
      write(`${JSON.stringify(summary)}\n`)
    },
  }),
} as const satisfies FleetFormat
