// `loadBundle` as published, in a process that has done it before, against the hashes and the one signature check that it cannot do without.
import { join } from 'node:path'
import type { Context } from './group.ts'
import { loadCosts, loadedFolder, MOST_LARGE, MOST_SMALL, type MostCosts, pageFaults } from './load-costs.ts'
import { median } from './measure.ts'
import { CannotRun, run } from './process.ts'
import { ms, type Row, timesAsLong } from './row.ts'

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
  /** The heap that a loaded bundle occupies, as a multiple of the bundle's bytes. */
  readonly kept: number
}

export async function measureLoad({ folder, dist, rounds }: Context): Promise<Row[]> {
  const sets = {
    small: loadedFolder(join(folder, 'small'), 2),
    large: loadedFolder(join(folder, 'large'), 200),
  }
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
    ...costRows('a small signed bundle', dist, sets.small, 2, MOST_SMALL),
    ...costRows('200 tools', dist, sets.large, 200, MOST_LARGE),
    textRow(),
  ]
}

function timesRow(what: string, { load, floor }: Taken, most: number): Row {
  return timesAsLong({ what, own: median(load), other: median(floor), name: 'its hashes, signature' }, most)
}

function figure(what: string, result: string, reach: string, isMet: boolean): Row {
  return { what, rlp: '', against: '', result, reach, isMet }
}

/** Rows for costs that do not change when the machine is busy. */
function costRows(what: string, dist: string, folder: string, tools: number, most: MostCosts): Row[] {
  const { bytes, calls } = loadCosts(dist, folder, tools)
  const faults = pageFaults(dist, folder, tools)
  const name = `loadBundle of ${what}`
  const kb = (count: number) => `${(count / 1000).toFixed(0)} kB`
  return [
    figure(`${name}: allocated`, kb(bytes), `<= ${kb(most.bytes)}`, bytes <= most.bytes),
    figure(`${name}: calls of node:fs`, String(calls), `<= ${most.calls}`, calls <= most.calls),
    { what: `${name}: page faults`, rlp: '', against: '', result: String(faults), reach: '' },
  ]
}

/** Measures how long this machine and Node take to create a text of 1 MiB. Every load of 200 tools creates a large text. */
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
