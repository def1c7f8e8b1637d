// One campaign's run: what was tried, and what was found.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Campaign, Found, Session } from './campaign.ts'
import { Random } from './random.ts'

export interface Outcome {
  readonly campaign: string
  readonly seed: number
  readonly cases: number
  readonly kinds: Readonly<Record<string, number>>
  /** By kind and answer. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly defects: readonly Found[]
  readonly skipped: readonly string[]
  readonly seconds: number
}

export interface RunOptions {
  readonly seed: number
  /** An empty folder. */
  readonly folder: string
  readonly isSlice?: boolean
  readonly isFull?: boolean
  readonly only?: string | undefined
  /** Milliseconds of `performance.now()`: rounds after the first begin only before it. */
  readonly until?: number
  readonly round?: number
  /** Told of each defect at once: a long run may not come to its end. */
  readonly onDefect?: (defect: Found) => void
}

/** Runs one round of a campaign. */
export async function runRound(campaign: Campaign, options: RunOptions): Promise<Outcome> {
  const { seed, isSlice = false, isFull = false, only, until = Number.POSITIVE_INFINITY, round = 0 } = options
  const folder = join(options.folder, `${campaign.name}-${round}`)
  mkdirSync(folder)
  const kinds: Record<string, number> = {}
  const answers: Record<string, Readonly<Record<string, number>>> = {}
  const defects: Found[] = []
  const skipped: string[] = []
  const session: Session = {
    seed,
    round,
    isSlice,
    isFull,
    folder,
    only,
    begin(id, kind = campaign.name) {
      if (only !== undefined && only !== id) return false
      session.count(kind, 1)
      return true
    },
    count(kind, cases) {
      kinds[kind] = (kinds[kind] ?? 0) + cases
    },
    tally(kind, more) {
      answers[kind] = added(answers[kind] ?? {}, more)
    },
    defect(defect) {
      const found = { ...defect, round }
      defects.push(found)
      options.onDefect?.(found)
    },
    skip: what => void skipped.push(what),
    isOver: () => performance.now() > until,
    random: (...words) => new Random(seed, campaign.name, ...words),
    some(list, inSlice) {
      if (!isSlice || list.length <= inSlice) return [...list]
      const step = list.length / inSlice
      const first = new Random(seed, campaign.name, 'slice').below(Math.max(1, Math.floor(step)))
      return Array.from({ length: inSlice }, (_, n) => list[Math.floor(first + n * step)]).flatMap(item =>
        item === undefined ? [] : [item],
      )
    },
  }
  const begin = performance.now()
  try {
    await campaign.run(session)
  } catch (error) {
    // A campaign that stumbles has proved nothing: that is a finding like any other.
    const what = String(error instanceof Error ? error.stack : error)
    session.defect({ case: 'the campaign itself', what })
  }
  const cases = Object.values(kinds).reduce((sum, count) => sum + count, 0)
  const seconds = (performance.now() - begin) / 1000
  return { campaign: campaign.name, seed, cases, kinds, answers, defects, skipped, seconds }
}

/** Two rounds of one campaign as one. */
export function joined(a: Outcome, b: Outcome): Outcome {
  const names = [...new Set([...Object.keys(a.answers), ...Object.keys(b.answers)])]
  return {
    ...a,
    kinds: added(a.kinds, b.kinds),
    answers: Object.fromEntries(
      names.map(name => [name, added(a.answers[name] ?? {}, b.answers[name] ?? {})]),
    ),
    cases: a.cases + b.cases,
    defects: [...a.defects, ...b.defects],
    skipped: [...new Set([...a.skipped, ...b.skipped])],
    seconds: a.seconds + b.seconds,
  }
}

type Counts = Readonly<Record<string, number>>

function added(a: Counts, b: Counts): Counts {
  const sum: Record<string, number> = { ...a }
  for (const [word, count] of Object.entries(b)) sum[word] = (sum[word] ?? 0) + count
  return sum
}
