// The side of the fuzzing that does the work: cases one after another, each announced before it begins.
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { RlpError } from '../../src/model/error.ts'
import { Random } from './random.ts'
import type { Target } from './targets/target.ts'

export type Report =
  | { readonly is: 'done' }
  | { readonly is: 'answers'; readonly name: string; readonly answers: Readonly<Record<string, number>> }
  | {
      readonly is: 'defect'
      readonly name: string
      readonly index: number
      readonly what: string
      readonly input: Uint8Array
    }

export interface Task {
  /** Of the targets. */
  readonly module: string
  readonly ranges: readonly { readonly name: string; readonly from: number; readonly to: number }[]
  readonly seed: number
  readonly now: Int32Array
  readonly folder: string
  readonly isAlone: boolean
}

/** No input may take longer, in processor time: a busy machine changes nothing. */
const MOST_MS = 2000
/** No input is larger than some hundred kilobytes. */
const MOST_GROWTH_MB = 256

const { module, ranges, seed, now, folder, isAlone } = workerData as Task
const { TARGETS } = (await import(module)) as { readonly TARGETS: readonly Target[] }

// A case that leaves an unhandled rejection behind has a defect too.
let late: unknown
process.on('unhandledRejection', error => {
  late = error
})

for (const [number, { name, from, to }] of ranges.entries()) {
  const target = TARGETS.find(one => one.name === name)
  if (target === undefined) throw new RangeError(`no target is called ${name}`)
  const answers: Record<string, number> = {}
  for (let index = from; index < to; index++) {
    const word = await one(target, number, index)
    answers[word] = (answers[word] ?? 0) + 1
  }
  parentPort?.postMessage({ is: 'answers', name, answers } satisfies Report)
}
Atomics.store(now, 0, -1)
parentPort?.postMessage({ is: 'done' } satisfies Report)

async function one({ name, make, answer }: Target, range: number, index: number): Promise<string> {
  const input = make(new Random(seed, 'fuzz', name, index))
  const place = join(folder, `${name}-${index}`)
  const inner = join(place, 'inner')
  mkdirSync(inner, { recursive: true })
  const report = (what: string) =>
    parentPort?.postMessage({ is: 'defect', name, index, what, input } satisfies Report)
  const peak = process.resourceUsage().maxRSS
  const begin = process.cpuUsage()
  Atomics.store(now, 1, index)
  Atomics.store(now, 0, range)
  late = undefined
  let word = 'a defect'
  try {
    word = await answer(input, inner)
  } catch (error) {
    if (error instanceof RlpError) word = error.code
    else report(error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
  if (late !== undefined)
    report(`an unhandled rejection: ${late instanceof Error ? late.stack : String(late)}`)
  const { user, system } = process.cpuUsage(begin)
  const ms = (user + system) / 1000
  // The processor time is that of the whole process: a case that seems slow is taken alone before it counts.
  if (ms > MOST_MS && isAlone) report(`it takes ${Math.round(ms)} ms of processor time`)
  else if (ms > MOST_MS) throw new RangeError('it seems slow')
  const grown = (process.resourceUsage().maxRSS - peak) / 1024
  if (grown > MOST_GROWTH_MB) report(`it takes ${Math.round(grown)} MB more memory`)
  const written = readdirSync(place)
  if (written.length !== 1) report(`something was written beside its folder: ${written.join(', ')}`)
  rmSync(place, { recursive: true, force: true })
  return word
}
