// The recipe for GitHub in docs/fleet.md: its steps, in the order of its jobs, with artifacts in a folder; and workflows, held against the schema
// of GitHub by action-validator.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { AT_NIGHT, engine, missingEngine } from '../support/engines.ts'
import { type FleetWorld, fleetWorld } from '../support/fleet-world.ts'
import { temporary } from '../support/folder.ts'
import { missing } from '../support/needs.ts'

const folder = temporary('github')
const WORKFLOWS = resolve('fixtures/pipelines/.github/workflows')
const FILE = join(WORKFLOWS, 'fleet.yml')

interface Step {
  readonly name?: string
  readonly if?: string
  readonly uses?: string
  readonly with?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly run?: string
}
interface Job {
  readonly needs?: string
  readonly if?: string
  readonly strategy?: {
    readonly 'fail-fast': boolean
    readonly matrix: { readonly shard: readonly number[] }
  }
  readonly steps: readonly Step[]
}
const { jobs, defaults } = parse(readFileSync(FILE, 'utf8')) as {
  readonly jobs: Readonly<Record<string, Job>>
  readonly defaults: unknown
}

/** Of conditions, the one form that is used. */
function isAlsoAfterFailure({ if: condition }: Pick<Step, 'if'>): boolean {
  return condition === `\${{ !cancelled() }}`
}

/** Runs the jobs as GitHub does: a job whose `if` is `!cancelled()` also after a failure, the others only after a success. */
async function workflow(here: FleetWorld, only: readonly string[] = Object.keys(jobs)) {
  assert.deepEqual(defaults, { run: { shell: 'bash' } })
  const artifacts = join(here.cwd, 'artifacts')
  const results: Record<string, number[]> = {}
  let said = ''
  for (const name of only) {
    const job = jobs[name] as Job
    const isAlways = isAlsoAfterFailure(job)
    assert.ok(isAlways || job.if === undefined)
    if (!isAlways && job.needs !== undefined && results[job.needs]?.some(code => code !== 0)) continue
    const shards = job.strategy?.matrix.shard ?? [undefined]
    results[name] = []
    for (const shard of shards) {
      const workspace = join(here.cwd, `${name}-${shard ?? 0}`)
      mkdirSync(workspace, { recursive: true })
      const fill = (text: string) =>
        text.replace(/\$\{\{ ([a-z.-]+) \}\}/g, (_, what: string) => {
          const known = { 'matrix.shard': shard, 'strategy.job-total': shards.length }[what]
          assert.ok(known !== undefined, `the test knows no ${what}`)
          return String(known)
        })
      let code = 0
      for (const step of job.steps) {
        if (code !== 0 && !isAlsoAfterFailure(step)) continue
        const given = Object.fromEntries(
          Object.entries(step.with ?? {}).map(([key, value]) => [key, fill(String(value))]),
        )
        if (step.uses?.startsWith('actions/upload-artifact@')) {
          const from = join(workspace, given['path'] ?? '')
          if (existsSync(from)) cpSync(from, join(artifacts, given['name'] ?? '', given['path'] ?? ''))
        } else if (step.uses?.startsWith('actions/download-artifact@')) {
          for (const one of given['name'] === undefined ? readdirSync(artifacts) : [given['name']])
            cpSync(join(artifacts, one), workspace, { recursive: true })
        } else {
          assert.ok(step.run !== undefined && !step.run.includes('${{'), step.uses)
          const env = Object.entries(step.env ?? {}).map(([key, value]) => [key, fill(value)])
          const script = step.run.replace('/srv/bundles', here.bundles)
          const bash = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', `cd '${workspace}'\n${script}`]
          const ran = await here.run('bash', bash, { GITHUB_RUN_ID: '77', ...Object.fromEntries(env) })
          said += ran.stdout + ran.stderr
          code = ran.status ?? 137
        }
      }
      results[name].push(code)
    }
  }
  const report = join(here.cwd, 'artifacts/report/report.ndjson')
  return {
    results,
    said,
    lines: existsSync(report) ? readFileSync(report, 'utf8').trimEnd().split('\n').length : 0,
  }
}

describe('GitHub', { skip: AT_NIGHT || missing('bash') }, () => {
  test('forty bundles in eight jobs: one report, with the worst verdict', async () => {
    const { results, said, lines } = await workflow(fleetWorld(folder('whole'), 40))
    assert.deepEqual(results, { list: [0], verify: Array(8).fill(0), merge: [1] }, said)
    assert.equal(lines, 41)
  })

  test('a job that breaks: its part is missing, until the failed jobs are run again', async () => {
    const breaks = `case "$*" in *'--shard 5/8'*) [ -e "$HOME/mended" ] || exit 70 ;; esac`
    const here = fleetWorld(folder('broken'), 40, breaks)
    const first = await workflow(here)
    assert.deepEqual(first.results, { list: [0], verify: [0, 0, 0, 0, 70, 0, 0, 0], merge: [3] }, first.said)
    assert.equal(first.lines, 0)
    writeFileSync(join(here.cwd, 'mended'), '')
    const again = await workflow(here, ['verify', 'merge'])
    assert.deepEqual([again.results['merge'], again.lines], [[1], 41], again.said)
  })
})

describe('workflows', { skip: missingEngine('@action-validator/cli') }, () => {
  const check = (file: string) =>
    spawnSync(process.execPath, [engine('.bin/action-validator'), file], { encoding: 'utf8' })

  for (const name of readdirSync(WORKFLOWS))
    test(name, () => {
      const { status, stdout, stderr } = check(join(WORKFLOWS, name))
      assert.equal(status, 0, stdout + stderr)
    })

  test('a misspelt member is found', () => {
    const text = readFileSync(FILE, 'utf8')
    for (const [right, wrong] of [
      ['fail-fast:', 'failfast:'],
      ['runs-on:', 'runson:'],
    ] as const) {
      const file = join(folder('wrong'), 'fleet.yml')
      writeFileSync(file, text.replace(right, wrong))
      assert.notEqual(check(file).status, 0, wrong)
    }
  })
})
