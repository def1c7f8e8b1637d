// --shard auto: each scheduler, and everything about which nothing is certain.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { shardOfScheduler } from '../../src/fleet/scheduler.ts'
import { shardText } from '../../src/fleet/shard.ts'

type Env = Readonly<Record<string, string>>

/** An array of Slurm that counts from `min` to `max`, as it tells the task `id`. */
function slurm(id: number, [min, max]: readonly [number, number], other: Env = {}): Env {
  return {
    SLURM_ARRAY_TASK_ID: `${id}`,
    SLURM_ARRAY_TASK_MIN: `${min}`,
    SLURM_ARRAY_TASK_MAX: `${max}`,
    SLURM_ARRAY_TASK_STEP: '1',
    SLURM_ARRAY_TASK_COUNT: `${max - min + 1}`,
    ...other,
  }
}
const gitlab = (index: number, total: number): Env => ({
  CI_NODE_INDEX: `${index}`,
  CI_NODE_TOTAL: `${total}`,
})
const kubernetes = (index: number | string, shards?: number | string): Env => ({
  JOB_COMPLETION_INDEX: `${index}`,
  ...(shards !== undefined && { RLP_SHARDS: `${shards}` }),
})
const circle = (index: number, total: number): Env => ({
  CIRCLE_NODE_INDEX: `${index}`,
  CIRCLE_NODE_TOTAL: `${total}`,
})
const buildkite = (job: number, count: number): Env => ({
  BUILDKITE_PARALLEL_JOB: `${job}`,
  BUILDKITE_PARALLEL_JOB_COUNT: `${count}`,
})

describe('exactly one scheduler', () => {
  for (const [name, env, shard] of [
    ['Slurm', slurm(1, [1, 8]), '1/8'],
    ['Slurm', slurm(8, [1, 8]), '8/8'],
    ['Slurm', slurm(0, [0, 7]), '1/8'],
    ['Slurm', slurm(7, [0, 7]), '8/8'],
    ['Slurm', slurm(3, [1, 8], { RLP_SHARDS: '8' }), '3/8'],
    ['GitLab', gitlab(1, 4), '1/4'],
    ['GitLab', gitlab(4, 4), '4/4'],
    ['CircleCI', circle(0, 4), '1/4'],
    ['CircleCI', circle(3, 4), '4/4'],
    ['Buildkite', buildkite(0, 2), '1/2'],
    ['Buildkite', buildkite(1, 2), '2/2'],
    ['Kubernetes', kubernetes(0, 8), '1/8'],
    ['Kubernetes', kubernetes(7, 8), '8/8'],
    ['Kubernetes', kubernetes(999_999, 1_000_000), '1000000/1000000'],
    ['AWS Batch', { AWS_BATCH_JOB_ARRAY_INDEX: '2', RLP_SHARDS: '8' }, '3/8'],
    ['an empty variable says nothing', { ...gitlab(2, 4), CIRCLE_NODE_INDEX: '' }, '2/4'],
    ['one that says only how many there are', { ...gitlab(2, 4), CIRCLE_NODE_TOTAL: '9' }, '2/4'],
  ] as const)
    test(`${name}: ${shard}`, () => assert.equal(shardText(shardOfScheduler(env).shard), shard))

  test('is named, with what it said', () => {
    const { says } = shardOfScheduler(slurm(3, [1, 8]))
    assert.equal(says, 'Slurm says 3/8: SLURM_ARRAY_TASK_ID is 3 of 8')
    assert.match(
      shardOfScheduler(kubernetes(2, 8)).says,
      /^Kubernetes says 3\/8: JOB_COMPLETION_INDEX is 2 of 8$/,
    )
  })
  test('gives each job another shard, and all of them', () => {
    for (const of of [2, 5])
      for (const first of [0, 1]) {
        const range = [first, first + of - 1] as const
        const ids = Array.from({ length: of }, (_, at) => first + at)
        const shards = ids.map(id => shardText(shardOfScheduler(slurm(id, range)).shard))
        assert.deepEqual(
          shards,
          ids.map((_, at) => `${at + 1}/${of}`),
        )
      }
  })
})

describe('what is not certain is refused', () => {
  const hole = { SLURM_ARRAY_TASK_COUNT: '3' }
  for (const [name, env, says, hint] of [
    ['none', {}, /no scheduler says/, /--shard 3\/8/],
    ['RLP_SHARDS alone', { RLP_SHARDS: '8' }, /no scheduler says/, /JOB_COMPLETION_INDEX/],
    [
      'two',
      { ...gitlab(1, 4), ...kubernetes(0, 4) },
      /GitLab \(CI_NODE_INDEX\) and Kubernetes/,
      /--shard 3\/8/,
    ],
    ['two that agree', { ...gitlab(1, 4), ...circle(0, 4) }, /both say/, /--shard 3\/8/],
    [
      '--array=3',
      slurm(3, [3, 3]),
      /the only job of Slurm \(SLURM_ARRAY_TASK_COUNT is 1\)/,
      /run again.*--shard 3\/8/,
    ],
    ['--array=0', slurm(0, [0, 0]), /the only job of Slurm/, /run again/],
    ['--array=1', slurm(1, [1, 1]), /the only job of Slurm/, /run again/],
    ['--array=1 of eight', slurm(1, [1, 1], { RLP_SHARDS: '8' }), /the only job of Slurm/, /run again/],
    [
      '--array=1-2 of eight',
      slurm(1, [1, 2], { RLP_SHARDS: '8' }),
      /COUNT is 2, and RLP_SHARDS is 8/,
      /all jobs/,
    ],
    ['--array=2-5', slurm(2, [2, 5]), /4 tasks from 2 to 5/, /--array=1-8/],
    ['--array=1,3,5', slurm(3, [1, 5], hole), /3 tasks from 1 to 5/, /in a row/],
    [
      '--array=1-7:2',
      slurm(3, [1, 7], { SLURM_ARRAY_TASK_COUNT: '4', SLURM_ARRAY_TASK_STEP: '2' }),
      /4 tasks/,
      /in a row/,
    ],
    ['--array=1-2:2', slurm(1, [1, 2], { SLURM_ARRAY_TASK_STEP: '2' }), /2 tasks/, /in a row/],
    ['Slurm without a count', { SLURM_ARRAY_TASK_ID: '3' }, /COUNT is not set/, /--shard 3\/8/],
    [
      'Slurm without a range',
      { SLURM_ARRAY_TASK_ID: '3', SLURM_ARRAY_TASK_COUNT: '8' },
      /MIN is not set/,
      /--shard/,
    ],
    ['Slurm outside of its range', slurm(9, [1, 8]), /TASK_ID is 9/, /--shard/],
    [
      'GitLab that is not parallel',
      { CI_NODE_TOTAL: '1' },
      /the only job of GitLab \(CI_NODE_TOTAL is 1\)/,
      /leave --shard out/,
    ],
    ['GitLab with parallel: 1', gitlab(1, 1), /the only job of GitLab/, /leave --shard out/],
    ['GitLab from 0', gitlab(0, 4), /CI_NODE_INDEX is 0, and CI_NODE_TOTAL is 4/, /--shard 3\/8/],
    ['GitLab beyond', gitlab(5, 4), /CI_NODE_INDEX is 5/, /--shard/],
    ['GitLab of none', gitlab(1, 0), /CI_NODE_TOTAL is 0/, /--shard/],
    ['CircleCI that is not parallel', circle(0, 1), /the only job of CircleCI/, /leave --shard out/],
    ['CircleCI beyond', circle(4, 4), /CIRCLE_NODE_INDEX is 4/, /--shard/],
    ['Buildkite alone', buildkite(0, 1), /the only job of Buildkite/, /leave --shard out/],
    ['Kubernetes without a count', kubernetes(0), /RLP_SHARDS is not set/, /Set RLP_SHARDS/],
    ['Kubernetes with an empty count', kubernetes(0, ''), /RLP_SHARDS is not set/, /Set RLP_SHARDS/],
    [
      'Kubernetes of one',
      kubernetes(0, 1),
      /the only job of Kubernetes \(RLP_SHARDS is 1\)/,
      /leave --shard out/,
    ],
    ['Kubernetes beyond', kubernetes(8, 8), /JOB_COMPLETION_INDEX is 8/, /--shard/],
    [
      'AWS Batch without a count',
      { AWS_BATCH_JOB_ARRAY_INDEX: '0' },
      /RLP_SHARDS is not set/,
      /Set RLP_SHARDS/,
    ],
    [
      'GitLab against RLP_SHARDS',
      { ...gitlab(1, 4), RLP_SHARDS: '8' },
      /CI_NODE_TOTAL is 4, and RLP_SHARDS is 8/,
      /all jobs/,
    ],
  ] as const)
    test(name, () => {
      assert.throws(
        () => shardOfScheduler(env),
        (error: Error & { code?: string; field?: string; hint?: string }) => {
          assert.deepEqual([error.code, error.field], ['USAGE', 'shard'])
          assert.match(error.message, says)
          assert.match(error.message, /^Cannot use --shard auto: /)
          assert.match(error.hint ?? '', hint)
          return true
        },
      )
    })

  const GARBAGE = [
    ...[
      'x',
      '-1',
      '+1',
      '1.5',
      '1e3',
      '0x2',
      '01',
      '00',
      ' 1',
      '1 ',
      '1\n',
      '\u001b[2J',
      '１',
      'NaN',
      'Infinity',
    ],
    ...['1000001', '99999999999999999999', '1'.repeat(10_000)],
  ]
  test('what is no number of jobs, which is not repeated', () => {
    for (const garbage of GARBAGE)
      for (const env of [
        kubernetes(garbage, 8),
        kubernetes(0, garbage),
        { ...gitlab(1, 4), CI_NODE_INDEX: garbage },
        { ...gitlab(1, 4), CI_NODE_TOTAL: garbage },
        { ...gitlab(1, 4), RLP_SHARDS: garbage },
        slurm(1, [1, 8], { SLURM_ARRAY_TASK_MIN: garbage }),
        slurm(1, [1, 8], { SLURM_ARRAY_TASK_STEP: garbage }),
      ])
        assert.throws(
          () => shardOfScheduler(env),
          (error: Error & { code?: string }) =>
            error.code === 'USAGE' && / is not a whole number from 0 to 1,000,000$/.test(error.message),
          JSON.stringify(env).slice(0, 200),
        )
  })
  test('names of members that every object has', () => {
    const env = Object.create({ CI_NODE_INDEX: '1', CI_NODE_TOTAL: '4' })
    assert.throws(() => shardOfScheduler(env), { code: 'USAGE' })
  })
})
