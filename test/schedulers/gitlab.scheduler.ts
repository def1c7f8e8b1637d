// The recipe for GitLab in docs/fleet.md, run by gitlab-ci-local, which reads the file as GitLab does and runs jobs on this machine. It knows no `retry`.
import assert from 'node:assert/strict'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { engine, missingEngine } from '../support/engines.ts'
import { fleetWorld } from '../support/fleet-world.ts'
import { temporary } from '../support/folder.ts'
import { missing } from '../support/needs.ts'

const folder = temporary('gitlab')
const FILE = resolve('fixtures/pipelines/ci/fleet.gitlab-ci.yml')

describe('GitLab', { skip: missingEngine('gitlab-ci-local') || missing('git', 'rsync') }, () => {
  async function night(name: string, begins = '') {
    const here = fleetWorld(folder(name), 40, begins)
    const project = join(here.cwd, 'project')
    mkdirSync(project)
    // As a runner in a container leaves it.
    chmodSync(project, 0o777)
    cpSync(FILE, join(project, '.gitlab-ci.yml'))
    const git =
      'git init -q -b main && git add -A && git -c user.name=x -c user.email=x@example.org commit -q -m x'
    const local = [
      process.execPath,
      engine('.bin/gitlab-ci-local'),
      '--shell-isolation',
      '--variable',
      `BUNDLES=${here.bundles}`,
    ]
    const ran = await here.run('bash', ['-c', `umask 0 && cd project && ${git} && exec "$@"`, 'sh', ...local])
    return { ...ran, said: ran.stdout + ran.stderr, project }
  }

  test('forty bundles in eight jobs: one report, and a failed pipeline for the bundle of a stranger', async () => {
    const { status, said, project } = await night('whole')
    assert.equal(status, 1, said)
    assert.match(said, /PASS.* verify: \[8\/8\]/)
    assert.match(said, /GitLab says 8\/8/)
    assert.equal(readFileSync(join(project, 'report.ndjson'), 'utf8').trimEnd().split('\n').length, 41)
  })

  test('a job that breaks: its part is missing', async () => {
    const breaks = `case "$2 $CI_NODE_INDEX" in 'verify 5') exit 70 ;; esac`
    const { status, said, project } = await night('broken', breaks)
    assert.equal(status, 1, said)
    assert.match(said, /FAIL.* verify: \[5\/8\]/)
    assert.match(said, /FAIL.* merge/)
    assert.match(said, /part 5 of 8 is missing/)
    assert.ok(!existsSync(join(project, 'report.ndjson')))
  })
})
