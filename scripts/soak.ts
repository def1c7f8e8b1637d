// Ten thousand calls of real programs in a row: neither memory nor files nor processes may be left behind. `npm run soak`, `npm run soak -- 500`.
import { held, soak } from '../test/support/soak.ts'

const calls = Number(process.argv[2] ?? 10_000)
// Modules, compiled schemas and the engine's own caches are there after the first thousand.
await soak(Math.min(1000, calls))
const before = held()
const begun = performance.now()
const kinds = await soak(calls)
const seconds = (performance.now() - begun) / 1000
const after = held()
console.log(
  `${calls} calls in ${seconds.toFixed(1)} s, ${((seconds / calls) * 1000).toFixed(2)} ms each`,
  kinds,
)
console.table({ before, after })
const grown = (['files', 'children', 'resources', 'folders'] as const).filter(
  what => after[what] > before[what],
)
const heapMiB = (after.heap - before.heap) / 2 ** 20
if (grown.length > 0 || heapMiB > 4) {
  console.error(
    `left behind: ${[...grown, ...(heapMiB > 4 ? [`${heapMiB.toFixed(1)} MiB of heap`] : [])].join(', ')}`,
  )
  process.exitCode = 1
}
