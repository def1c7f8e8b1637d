// npm run mutants -- [--room NAME] [--seed N] [--count N] [--only PATH[:LINE],…]: changes one place of a room at a time, and asks the room's tests
// whether they notice (docs/torture.md). Exits 1 if those of a room find fewer than 95 of 100.
import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { byKit } from './mutants/by-kit.ts'
import { byTests } from './mutants/by-tests.ts'
import { isLeftOut, staleAmong } from './mutants/left-out.ts'
import { type Mutant, mutantsOf } from './mutants/operators.ts'
import { ROOMS, ROOT, type Room, sourceOf } from './mutants/rooms.ts'

// As deep below the project as what is built into it, which finds fixtures from its own place.
const OUT = join(ROOT, '.tests', String(process.pid))
const REACH = 0.95

const { values } = parseArgs({
  options: {
    room: { type: 'string', default: Object.keys(ROOMS).join(',') },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '100' },
    only: { type: 'string', default: '' },
  },
})

const [stale] = staleAmong(Object.values(ROOMS).flatMap(mutantsIn))
if (stale !== undefined)
  throw new Error(`Cannot measure the tests: left-out.json names a line that is gone: ${stale}`)
const names = values.room.split(',')
const unknown = names.find(name => ROOMS[name] === undefined)
if (unknown !== undefined)
  throw new Error(`Cannot measure "${unknown}": the rooms are ${Object.keys(ROOMS).join(', ')}`)

const rows = []
for (const name of names) rows.push(await measured(name, ROOMS[name] as Room))
console.table(rows)
process.exitCode = rows.every(({ tried, found }) => found >= tried * REACH) ? 0 : 1

interface Row {
  readonly room: string
  readonly mutants: number
  readonly 'left out': number
  readonly tried: number
  readonly found: number
}

/** Takes changes by the seed until enough were tried. What does not build is not counted. */
async function measured(name: string, room: Room): Promise<Row> {
  rmSync(OUT, { recursive: true, force: true })
  mkdirSync(OUT, { recursive: true })
  const all = mutantsIn(room)
  const left = all.filter(mutant => isAsked(mutant) && !isLeftOut(mutant))
  const judge = await (room.tests === undefined ? byKit(OUT) : byTests(OUT, room.files, room.tests))
  let [tried, found] = [0, 0]
  try {
    for (const mutant of left.sort(bySeed)) {
      if (tried >= Number(values.count)) break
      const answer = await judge.judged(mutant)
      if (answer === undefined) continue
      tried += 1
      if (answer.found !== undefined) found += 1
      const { found: seen = 'not noticed', asked } = answer
      console.log(`${answer.found === undefined ? 'MISSED' : 'found '} ${mutant.file}:${mutant.line}`)
      console.log(`  - ${mutant.from}\n  + ${mutant.to}\n  ${asked === 0 ? 'no test runs the line' : seen}`)
    }
  } finally {
    rmSync(OUT, { recursive: true, force: true })
  }
  return { room: name, mutants: all.length, 'left out': all.filter(isLeftOut).length, tried, found }
}

function mutantsIn({ files }: Room): Mutant[] {
  return files.flatMap(file => [...mutantsOf(file, sourceOf(file))])
}

/** Each of `--only` is a line, or the beginning of a path. */
function isAsked({ file, line }: Mutant): boolean {
  return values.only.split(',').some(one => `${file}:${line}` === one || file.startsWith(one))
}

function bySeed(a: Mutant, b: Mutant): number {
  return order(a) < order(b) ? -1 : 1
}

function order({ file, from, to }: Mutant): string {
  return createHash('sha256').update(`${values.seed} ${file} ${from} ${to}`).digest('hex')
}
