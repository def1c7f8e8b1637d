// npm run bench: one table of ratios (docs/performance.md says what each row means). Exit 1 when something could not be measured.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Context, Group } from './bench/group.ts'
import { GROUPS } from './bench/index.ts'
import { ROUNDS } from './bench/measure.ts'
import { CannotRun, endAll } from './bench/process.ts'
import { copyDist } from './bench/rlp.ts'
import { notMeasured, type Row } from './bench/row.ts'
import { setting } from './bench/setting.ts'
import { table, tally } from './bench/table.ts'

const HELP = `Usage: npm run bench [-- [--only NAME]... [--rounds N]]

One table of ratios. Exit 0 when everything was measured, whatever came out; 1 when something could not be.

  --only NAME   some groups of rows; all of them take ten to fifteen minutes
  --rounds N    medians of N (default: ${ROUNDS}); fewer than ten are for a first look
  -h, --help    show this help

Groups:
${GROUPS.map(({ name, summary }) => `  ${name.padEnd(12)}${summary}`).join('\n')}

Files of up to 4 GB are made in the folder for temporary files (TMPDIR), and removed.`

const values = options()
const rounds = Number(
  /^[1-9][0-9]{0,3}$/.exec(values.rounds)?.[0] ?? usage(`--rounds ${values.rounds} is not a number from 1`),
)
const unknown = values.only?.find(only => !GROUPS.some(({ name }) => name === only))
if (unknown !== undefined) usage(`there is no group ${unknown}`)

if (values.help) console.log(HELP)
else process.exitCode = await bench(GROUPS.filter(({ name }) => values.only?.includes(name) ?? true))

async function bench(groups: readonly Group[]): Promise<number> {
  if (!existsSync('dist/program/rlp.cjs')) {
    console.error('bench: there is no dist/program/rlp.cjs; npm run bench builds it')
    return 1
  }
  const folder = mkdtempSync(join(tmpdir(), 'rlp-bench-'))
  // What was killed a moment ago may still write.
  const tidy = () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // Until the folder is gone: the terminal and npm both pass Ctrl-C on, and the second one would stop the tidying.
    process.on(signal, () => {
      endAll()
      tidy()
      process.removeAllListeners(signal)
      process.kill(process.pid, signal)
    })
  }
  try {
    const dist = copyDist(folder)
    console.log(`${await setting({ folder, dist, rounds })}\n`)
    const measured: (readonly Row[])[] = []
    for (const [index, group] of groups.entries()) {
      process.stderr.write(`${index + 1} of ${groups.length}: ${group.summary}\n`)
      const inner = join(folder, group.name)
      mkdirSync(inner)
      measured.push(await measure(group, { folder: inner, dist, rounds }))
      rmSync(inner, { recursive: true })
    }
    const rows = measured.flat()
    console.log(`${table(measured)}\n\n${tally(rows)}`)
    return rows.some(({ isMissing }) => isMissing) ? 1 : 0
  } finally {
    tidy()
  }
}

/** What cannot be run costs its group, and not what the others took minutes for. */
async function measure(group: Group, context: Context): Promise<readonly Row[]> {
  try {
    return await group.measure(context)
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error
    process.stderr.write(`${error.message}\n`)
    return [notMeasured(group.summary, 'it could not be run, see above')]
  }
}

function options() {
  try {
    return parseArgs({
      options: {
        only: { type: 'string', multiple: true },
        rounds: { type: 'string', default: String(ROUNDS) },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return usage(error.message)
  }
}

function usage(problem: string): never {
  console.error(`bench: ${problem}\n${HELP.split('\n')[0]}`)
  process.exit(2)
}
