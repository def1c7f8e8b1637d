// npm run bench: one table of ratios (docs/performance.md says what each row means).
// Usage: npm run bench [-- --large] [--mcpb CLI.js]     --large adds files of 256 MB and 1 GB and takes some minutes
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { digestRow, largeRows, packRows } from './bench/files.ts'
import { startRows } from './bench/start.ts'
import { type Row, setting, table } from './bench/table.ts'
import { agentRows, loadRow, toolsRow } from './bench/work.ts'

const { values } = parseArgs({ options: { large: { type: 'boolean' }, mcpb: { type: 'string' } } })
const folder = mkdtempSync(join(tmpdir(), 'rlp-bench-'))
const part = (name: string) => {
  const inner = join(folder, name)
  mkdirSync(inner)
  return inner
}

const parts: readonly (() => Promise<Row[]>)[] = [
  () => startRows(part('start')),
  () => agentRows(part('agents')),
  async () => [await toolsRow(5000)],
  async () => [await loadRow(part('load'))],
  () => packRows(part('pack'), values.mcpb && resolve(values.mcpb)),
  ...(values.large ? [async () => [await digestRow(part('digest'))], () => largeRows(part('large'))] : []),
]

try {
  console.log(`${setting()}\n`)
  const rows: Row[] = []
  for (const [index, measure] of parts.entries()) {
    process.stderr.write(`measuring ${index + 1} of ${parts.length}\n`)
    rows.push(...(await measure()))
  }
  console.log(table(rows))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
