// npm run torture: everything that must never happen, tried (docs/torture.md says what each campaign proves). Exit 1 when it did happen.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Found } from './torture/campaign.ts'
import { CAMPAIGNS } from './torture/index.ts'
import { joined, type Outcome, runRound } from './torture/session.ts'
import { answers, record, table } from './torture/table.ts'

/** More findings are not listed; each has its file. */
const MOST_LINES = 30

const LIST = CAMPAIGNS.map(({ name, summary }) => `${name.padEnd(14)}${summary}`)

const HELP = `Usage: npm run torture [-- [--seed S] [--minutes M] [--only NAME]...]

Everything that must never happen, tried. Exit 1 when it did happen, 2 when the call is wrong.

  --seed S      other cases (default: 1); the same seed tries the same ones
  --minutes M   after the ordinary run, more and more of what has no end
  --only NAME   some campaigns
  --round R     begin with this one of the rounds that --minutes adds
  --case ID     one case, as a finding names it
  --full        the whole test suite on every platform, not only what depends on it: hours
  --slice       a little of each, as the tests do
  --out DIR     where findings go (default: torture-findings)
  --verbose     how often which answer was given
  --list        the campaigns, a line each
  -h, --help    show this help

Campaigns:
${LIST.map(line => `  ${line}`).join('\n')}`

const values = options()
const seed = numberIn('seed', values.seed)
const minutes = values.minutes === undefined ? undefined : numberIn('minutes', values.minutes)
const first = numberIn('round', values.round)
const unknown = values.only?.find(name => !CAMPAIGNS.some(campaign => campaign.name === name))
if (unknown !== undefined) usage(`there is no campaign ${unknown}`)
const chosen = CAMPAIGNS.filter(({ name, onlyByName }) => values.only?.includes(name) ?? !onlyByName)

if (values.help) console.log(HELP)
else if (values.list) console.log(LIST.join('\n'))
else process.exitCode = await torture()

async function torture(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'rlp-torture-'))
  // Some of it is done as another user.
  chmodSync(folder, 0o755)
  const until = performance.now() + (minutes ?? 0) * 60_000
  const outcomes = new Map<string, Outcome>()
  let count = 0
  try {
    console.log(
      `seed ${seed}, Node ${process.version}, ${process.platform} ${process.arch}, ${process.getuid?.() === 0 ? 'root' : 'not root'}\n`,
    )
    // First all that every run tries; then, with --minutes, more and more of what has no end.
    for (let round = first; ; round++) {
      const now = round === first ? chosen : chosen.filter(({ isEndless }) => isEndless)
      if (now.length === 0 || (round > first && performance.now() > until)) break
      for (const campaign of now) {
        if (round > first && performance.now() > until) break
        process.stderr.write(`${campaign.name}${round > 0 ? `, round ${round}` : ''}\n`)
        const about = { seed, folder, round, only: values.case, isSlice: values.slice, isFull: values.full }
        const { name } = campaign
        const onDefect = (defect: Found) => {
          count++
          const line = record(values.out, count, { campaign: name, seed }, defect)
          if (count <= MOST_LINES) console.log(line)
          if (count === MOST_LINES) console.log(`and perhaps more, each with a file in ${values.out}`)
        }
        const outcome = await runRound(campaign, { ...about, onDefect, ...(round > first && { until }) })
        const before = outcomes.get(campaign.name)
        outcomes.set(campaign.name, before === undefined ? outcome : joined(before, outcome))
      }
    }
    const all = [...outcomes.values()]
    console.log(table(all))
    if (values.verbose) for (const line of answers(all)) console.log(line)
    return all.some(({ defects }) => defects.length > 0) ? 1 : 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function options() {
  try {
    return parseArgs({
      options: {
        seed: { type: 'string', default: '1' },
        minutes: { type: 'string' },
        only: { type: 'string', multiple: true },
        round: { type: 'string', default: '0' },
        case: { type: 'string' },
        full: { type: 'boolean', default: false },
        slice: { type: 'boolean', default: false },
        out: { type: 'string', default: 'torture-findings' },
        verbose: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return usage(error.message)
  }
}

function numberIn(name: string, text: string): number {
  if (/^[0-9]{1,10}(?:\.[0-9]+)?$/.test(text)) return Number(text)
  return usage(`--${name} ${text} is not a number`)
}

function usage(problem: string): never {
  console.error(`torture: ${problem}`)
  process.exit(2)
}
