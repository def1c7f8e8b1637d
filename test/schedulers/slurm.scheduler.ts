// The recipe for Slurm in docs/fleet.md, as an array of a Slurm of Debian that runs on this machine.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fleetWorld } from '../support/fleet-world.ts'
import { temporary } from '../support/folder.ts'
import { isNeeded, missing } from '../support/needs.ts'

const folder = temporary('slurm')
const ENGINE = resolve('scripts/engines/slurm.sh')
const NIGHTLY = resolve('fixtures/pipelines/slurm/nightly.sh')
const isRoot = process.getuid?.() === 0
const skip =
  missing('sbatch', 'slurmctld', 'slurmd', 'munged') ||
  (!isRoot && !isNeeded('sbatch') && 'only root can start Slurm here')

describe('Slurm', { skip, concurrency: true }, () => {
  const place = join(folder('engine'), 'slurm')
  const slurm = { SLURM_CONF: join(place, 'slurm.conf') }
  before(() => execFileSync('bash', [ENGINE, 'start', place], { stdio: 'inherit' }))
  after(() => execFileSync('bash', [ENGINE, 'stop', place], { stdio: 'inherit' }))

  /** A night of forty bundles in eight tasks. Gives the folder of the run, too. */
  async function night(name: string, begins = '', ...options: string[]) {
    const here = fleetWorld(folder(name), 40, begins)
    const work = join(here.cwd, 'work of a night')
    mkdirSync(work)
    const ran = await here.run(
      'bash',
      ['-c', `cd 'work of a night' && exec "$0" "$@"`, NIGHTLY, here.bundles, '8', ...options],
      slurm,
    )
    const run = join(work, readdirSync(work)[0] ?? '')
    return { ...ran, run, report: join(run, 'report.ndjson') }
  }

  test('forty bundles in eight tasks: one report, with the worst verdict', async () => {
    const { status, run, report, stdout, stderr } = await night('whole')
    assert.equal(status, 1, stdout + stderr)
    const lines = readFileSync(report, 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    assert.equal(lines.filter(({ type }) => type === 'bundle').length, 40)
    assert.deepEqual(
      lines.slice(-1).map(({ type, bundles, accepted }) => [type, bundles, accepted]),
      [['summary', 40, 39]],
    )
    for (let task = 1; task <= 8; task++) {
      const last =
        readFileSync(join(run, `report-${task}.ndjson`), 'utf8')
          .trimEnd()
          .split('\n')
          .at(-1) ?? ''
      assert.equal(JSON.parse(last).shard, `${task}/8`)
      assert.match(readFileSync(join(run, `task-${task}.log`), 'utf8'), new RegExp(`Slurm says ${task}/8`))
    }
  })

  test('a task that breaks once is tried again, and one that breaks always is missing', async () => {
    const breaks = `case "$2 $SLURM_ARRAY_TASK_ID" in
  'verify 3') [ -e "$HOME/once" ] || { touch "$HOME/once"; exit 70; } ;;
  'verify 5') kill -KILL $$ ;;
esac`
    const { status, run, report, stdout, stderr } = await night('broken', breaks)
    assert.equal(status, 3, stdout + stderr)
    assert.match(stdout + stderr, /part 5 of 8 is missing/)
    assert.ok(existsSync(join(run, 'report-3.ndjson')))
    assert.ok(!existsSync(join(run, 'report-5.ndjson')))
    assert.ok(!existsSync(report))
  })
})
