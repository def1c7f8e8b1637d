// A line of JSON for each bundle, and one for all of them (docs/fleet.md).

import { VERSION } from '../../model/rlp-version.ts'
import { printableJson } from '../../text/printable.ts'
import { utcSecond } from '../../text/time.ts'
import { shardText } from '../shard.ts'
import type { FleetFormat } from './format.ts'

export const ndjson = {
  name: 'ndjson',
  describe: 'a line of JSON for each bundle as it is judged, and one for all of them',
  isData: true,
  isSigned: true,
  async open({ about, tally, write }) {
    const began = utcSecond(new Date())
    const before = await about.basis()
    return {
      judged: ({ line }) => write(`${printableJson(line)}\n`),
      async end(skipped) {
        const { listedBy, exit } = tally
        const { shard, run, listing } = about
        const { targets, here, sha256 } = listing
        const after = await about.basis()
        const summary = {
          type: 'summary',
          ...tally.inSummary,
          skipped,
          ...(listedBy.size > 0 && { listedBy: Object.fromEntries(listedBy) }),
          exit,
          program: VERSION,
          shard: shard === undefined ? null : shardText(shard),
          run: run ?? null,
          began,
          ended: utcSecond(new Date()),
          listed: { targets, here, sha256 },
          // A policy that changed meanwhile has judged some bundles and not others.
          basis: before === after ? after : null,
        }
        write(`${JSON.stringify(summary)}\n`)
      },
    }
  },
} as const satisfies FleetFormat
