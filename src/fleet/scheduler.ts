// Reads which part of the work this job is from the variables of a scheduler. Schedulers count from 0 or from 1, and a job that is run again
// by itself looks like the only one of its kind, so everything that is not certain is refused.
import { UsageError } from '../model/error.ts'
import { own } from '../model/own.ts'
import { grouped } from '../text/words.ts'
import { isPart, MOST_SHARDS, type Shard, shardText } from './shard.ts'

type Variables = Readonly<Record<string, string | undefined>>

interface Scheduler {
  readonly name: string
  /** The variable with the number of this job. */
  readonly index: string
  /** What the scheduler calls the first job; undefined if either 0 or 1, as `first` says. */
  readonly base?: 0 | 1
  /** The variable with the number of all jobs. RLP_SHARDS where the scheduler does not tell it. */
  readonly count: string
  /** For a scheduler whose user chooses the numbers: the variables with the first, the last and the step. */
  readonly range?: { readonly first: string; readonly last: string; readonly step: string }
}

const RLP_SHARDS = 'RLP_SHARDS'

const SCHEDULERS: readonly Scheduler[] = [
  {
    name: 'Slurm',
    index: 'SLURM_ARRAY_TASK_ID',
    count: 'SLURM_ARRAY_TASK_COUNT',
    range: { first: 'SLURM_ARRAY_TASK_MIN', last: 'SLURM_ARRAY_TASK_MAX', step: 'SLURM_ARRAY_TASK_STEP' },
  },
  { name: 'GitLab', index: 'CI_NODE_INDEX', base: 1, count: 'CI_NODE_TOTAL' },
  { name: 'CircleCI', index: 'CIRCLE_NODE_INDEX', base: 0, count: 'CIRCLE_NODE_TOTAL' },
  { name: 'Buildkite', index: 'BUILDKITE_PARALLEL_JOB', base: 0, count: 'BUILDKITE_PARALLEL_JOB_COUNT' },
  { name: 'Kubernetes', index: 'JOB_COMPLETION_INDEX', base: 0, count: RLP_SHARDS },
  { name: 'AWS Batch', index: 'AWS_BATCH_JOB_ARRAY_INDEX', base: 0, count: RLP_SHARDS },
]

/** What a scheduler has said, and the words for it. */
export interface ScheduledShard {
  readonly shard: Shard
  /** `Slurm says so: SLURM_ARRAY_TASK_ID 2, SLURM_ARRAY_TASK_COUNT 8`. */
  readonly says: string
}

/** @throws UsageError unless exactly one scheduler says which part this is */
export function shardOfScheduler(env: Variables): ScheduledShard {
  const here = SCHEDULERS.filter(({ index }) => said(env, index) !== undefined)
  const [scheduler, other] = here
  if (scheduler === undefined) throw nobody(env)
  if (other !== undefined)
    throw refused(
      `${here.map(({ name, index }) => `${name} (${index})`).join(' and ')} both say which part this is`,
      BY_HAND,
    )
  const { name, index, count, base, range } = scheduler
  const of = numberIn(env, count, scheduler)
  if (of === 1) throw alone(name, `${count} is 1`)
  const first = range === undefined ? base : firstOf(env, { ...scheduler, range }, of)
  const shard = { index: numberIn(env, index, scheduler) - (first ?? 0) + 1, of }
  const expected = said(env, RLP_SHARDS) === undefined ? of : numberIn(env, RLP_SHARDS, scheduler)
  if (expected !== of) throw refused(`${count} is ${of}, and ${RLP_SHARDS} is ${expected}`, RUN_ALL)
  if (!isPart(shard)) throw refused(`${index} is ${said(env, index)}, and ${count} is ${of}`, BY_HAND)
  return { shard, says: `${name} says ${shardText(shard)}: ${index} is ${said(env, index)} of ${of}` }
}

/** What the first task of an array is called. @throws UsageError for an array with gaps, such as tasks that are run again */
function firstOf(
  env: Variables,
  { range, ...scheduler }: Scheduler & { readonly range: NonNullable<Scheduler['range']> },
  count: number,
): number {
  const [first, last, step] = [range.first, range.last, range.step].map(name =>
    numberIn(env, name, scheduler),
  ) as [number, number, number]
  if (first > 1 || step !== 1 || last - first + 1 !== count)
    throw refused(
      `the array has ${count} tasks from ${first} to ${last}, which are not all of it`,
      `Number all tasks in a row from 0 or 1, as --array=1-8. To run one task again, give its part: --shard 3/8`,
    )
  return first
}

function numberIn(env: Variables, name: string, { name: scheduler, index }: Scheduler): number {
  const value = said(env, name)
  if (value === undefined)
    throw refused(
      `${scheduler} says ${index}, and ${name} is not set`,
      name === RLP_SHARDS ? `Set ${RLP_SHARDS} to the number of all jobs` : BY_HAND,
    )
  if (!/^(?:0|[1-9][0-9]{0,6})$/.test(value) || Number(value) > MOST_SHARDS)
    throw refused(`${name} is not a whole number from 0 to ${grouped(MOST_SHARDS)}`, BY_HAND)
  return Number(value)
}

/** An empty variable says nothing. */
function said(env: Variables, name: string): string | undefined {
  return own(env, name) || undefined
}

const BY_HAND = 'Say it yourself: --shard 3/8'
const RUN_ALL = 'Run all jobs, or say which part this is: --shard 3/8'

/** GitLab and CircleCI tell every job that it is one of one, if it is not parallel. */
function nobody(env: Variables): UsageError {
  const one = SCHEDULERS.find(({ count }) => said(env, count) === '1')
  if (one !== undefined) return alone(one.name, `${one.count} is 1`)
  const names = SCHEDULERS.map(({ name, index }) => `${name} (${index})`)
  return refused(
    'no scheduler says which part this is',
    `Run it as one of several jobs of ${names.slice(0, -1).join(', ')} or ${names.at(-1)}, or say it yourself: --shard 3/8`,
  )
}

function alone(name: string, state: string): UsageError {
  return refused(
    `this is the only job of ${name} (${state})`,
    'A single job that is run again is one part of several: --shard 3/8. For all bundles in one job, leave --shard out',
  )
}

function refused(state: string, hint: string): UsageError {
  return new UsageError(`Cannot use --shard auto: ${state}`, { field: 'shard', hint })
}
