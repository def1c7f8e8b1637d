// Rows → the table that is printed, and what it was measured with.
import { readFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { versionOf } from './measure.ts'

export interface Row {
  readonly what: string
  readonly rlp: string
  readonly against: string
  readonly result: string
  /** What docs/performance.md says it should be; empty where nothing is promised. */
  readonly reach: string
  /** Whether it is within reach; undefined where nothing is promised. */
  readonly isMet?: boolean
}

const HEADS = { what: 'what', rlp: 'rlp', against: 'against', result: 'result', reach: 'reach' } as const
type Column = keyof typeof HEADS

export function table(rows: readonly Row[]): string {
  const columns = Object.keys(HEADS) as Column[]
  const wide = Object.fromEntries(
    columns.map(column => [column, Math.max(...[HEADS, ...rows].map(row => row[column].length))]),
  ) as Record<Column, number>
  const line = (row: Readonly<Record<Column, string>>) =>
    columns.map(column => row[column].padEnd(wide[column])).join('  ')
  return [HEADS, ...rows]
    .map(row => `${line(row)}${'isMet' in row && row.isMet === false ? '  missed' : ''}`.trimEnd())
    .join('\n')
}

/** Machine, Node and the tools that were compared with. */
export function setting(): string {
  const [cpu] = cpus()
  const tools = ['b3sum', 'tar', 'npm'].map(tool => `${tool}: ${versionOf(tool) ?? 'not installed'}`)
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  return [
    `rlp ${version}, Node ${process.version}, ${process.platform} ${release()} ${process.arch}`,
    `${cpus().length} x ${cpu?.model ?? 'unknown processor'}, ${gib(totalmem())} memory, load ${loadavg()[0]?.toFixed(1)}`,
    tools.join(', '),
  ].join('\n')
}

export function ms(value: number): string {
  return value < 10 ? `${value.toFixed(2)} ms` : `${value.toFixed(0)} ms`
}

export function times(value: number): string {
  return `${value.toFixed(2)}x`
}

export function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`
}

function gib(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(0)} GiB`
}
