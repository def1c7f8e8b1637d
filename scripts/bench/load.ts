// `loadBundle` as published, in a process that has done it before, against the hashes and the one signature check that it cannot do without.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from './group.ts'
import { makeSignedAgents } from './inputs.ts'
import { type LoadCosts, loadCosts } from './load-costs.ts'
import { median } from './measure.ts'
import { CannotRun, run } from './process.ts'
import { ms, type Row, timesAsLong } from './row.ts'

/** So many bundles are loaded in turn, each of another agent with tools of its own: no memory of one's texts helps with the next. */
const BUNDLES = 64
/** Until then the engine compiles: loads become faster, and the heap larger by what was compiled. */
const LOADS_BEFORE = { small: 1000, large: 100 }
/** Bytes a load. */
const LEAK_BYTES = 1000
/** Times a bundle's bytes. */
const MOST_KEPT = 3

interface Taken {
  /** Milliseconds of one load, and of its floor, a number for each round. */
  readonly load: readonly number[]
  readonly floor: readonly number[]
  /** Bytes by which the heap has grown with each load. */
  readonly grown: number
  /** What the heap keeps of a loaded bundle, as so many times its bytes. */
  readonly kept: number
}

export async function measureLoad({ folder, dist, rounds }: Context): Promise<Row[]> {
  const sets = { small: setOf(folder, 2), large: setOf(folder, 200) }
  const given = JSON.stringify({ dist, rounds, before: LOADS_BEFORE, sets })
  const printed = await run(process.execPath, [
    '--expose-gc',
    join(import.meta.dirname, 'load-times.mjs'),
    given,
  ])
  const { small, large } = JSON.parse(printed) as Readonly<Record<keyof typeof sets, Taken>>
  return [
    timesRow('loadBundle of a small signed bundle, warm', small, 3),
    figure(
      'loadBundle: heap',
      `${small.grown.toFixed(0)} bytes a load`,
      `< ${LEAK_BYTES} bytes`,
      small.grown < LEAK_BYTES,
    ),
    timesRow('loadBundle of 200 tools, warm', large, 10),
    figure(
      'loadBundle of 200 tools: heap kept',
      `${large.kept.toFixed(2)} times its bytes`,
      `<= ${MOST_KEPT} times`,
      large.kept <= MOST_KEPT,
    ),
    ...costRows('a small signed bundle', loadCosts(dist, join(folder, 'costs-2'), 2), MOST_SMALL),
    ...costRows('200 tools', loadCosts(dist, join(folder, 'costs-200'), 200), MOST_LARGE),
    textRow(),
  ]
}

function timesRow(what: string, { load, floor }: Taken, most: number): Row {
  return timesAsLong({ what, own: median(load), other: median(floor), name: 'its hashes, signature' }, most)
}

/** A folder with bundles of agents with so many tools, and a home that trusts them. */
function setOf(folder: string, tools: number): string {
  const made = join(folder, `${tools}-tools`)
  const { bundles } = makeSignedAgents(made, BUNDLES, tools)
  for (const { name, bytes } of bundles) writeFileSync(join(made, `${name}.agent.bundle`), bytes)
  return made
}

function figure(what: string, result: string, reach: string, isMet: boolean): Row {
  return { what, rlp: '', against: '', result, reach, isMet }
}

/** Of one load. test/verify/load-costs.test.ts holds the same. */
export const MOST_SMALL: Costs = { bytes: 230_000, calls: 20 }
export const MOST_LARGE: Costs = { bytes: 1_200_000, calls: 20 }

type Costs = Omit<LoadCosts, 'faults'>

/** What does not depend on other work of the machine. */
function costRows(what: string, { bytes, calls, faults }: LoadCosts, most: Costs): Row[] {
  const name = `loadBundle of ${what}`
  const kb = (count: number) => `${(count / 1000).toFixed(0)} kB`
  return [
    figure(`${name}: allocated`, kb(bytes), `<= ${kb(most.bytes)}`, bytes <= most.bytes),
    figure(`${name}: calls of node:fs`, String(calls), `<= ${most.calls}`, calls <= most.calls),
    { what: `${name}: page faults`, rlp: '', against: '', result: String(faults), reach: '' },
  ]
}

/** What this machine and Node take for one text that is larger than a page of the engine's heap: every load of 200 tools makes such a one. */
function textRow(): Row {
  const bytes = Buffer.alloc(2 ** 20, 'a')
  const times = 200
  const faults = process.resourceUsage().minorPageFault
  const start = process.cpuUsage()
  let length = 0
  for (let count = 0; count < times; count++) length += bytes.toString('utf8').length
  const { user, system } = process.cpuUsage(start)
  if (length !== times * bytes.length) throw new CannotRun('a text is not as long as its bytes')
  const each = (process.resourceUsage().minorPageFault - faults) / times
  const result = `${ms((user + system) / 1000 / times)}, ${each.toFixed(0)} page faults`
  return {
    what: `a text of 1 MiB from its bytes, Node ${process.version}`,
    rlp: '',
    against: '',
    result,
    reach: '',
  }
}
