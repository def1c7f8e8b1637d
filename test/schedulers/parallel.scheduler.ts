// The recipe for GNU parallel in docs/fleet.md, over the sshd of this machine: three names of it are three hosts.
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { AT_NIGHT } from '../support/engines.ts'
import { type FleetWorld, fleetWorld } from '../support/fleet-world.ts'
import { temporary } from '../support/folder.ts'
import { isNeeded, missing } from '../support/needs.ts'
import { freePort } from '../support/real-registry.ts'

const folder = temporary('parallel')
const NIGHTLY = resolve('fixtures/pipelines/parallel/nightly.sh')
const SSHD = '/usr/sbin/sshd'
const isRoot = process.getuid?.() === 0
const skip =
  AT_NIGHT ||
  missing('parallel', 'ssh', 'ssh-keygen') ||
  (!existsSync(SSHD) && !isNeeded('sshd') && 'sshd is not installed') ||
  (!isRoot && !isNeeded('sshd') && 'only root can start sshd here')

describe('GNU parallel', { skip }, () => {
  const servers: ChildProcess[] = []
  after(() => {
    for (const server of servers) server.kill()
  })

  /** Starts an sshd whose sessions have the environment of this world. Gives a configuration of ssh with three hosts. */
  async function hosts({ cwd, env }: FleetWorld): Promise<string> {
    const port = await freePort()
    const place = join(cwd, 'ssh')
    mkdirSync(place, { mode: 0o700 })
    for (const key of ['host', 'id'])
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(place, key)])
    writeFileSync(join(place, 'authorized'), readFileSync(join(place, 'id.pub')))
    writeFileSync(
      join(place, 'sshd_config'),
      `Port ${port}
ListenAddress 127.0.0.1
HostKey ${place}/host
AuthorizedKeysFile ${place}/authorized
PidFile none
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
PasswordAuthentication no
MaxStartups 100
SetEnv PATH=${env['PATH']} RUNLOOP_HOME=${env['RUNLOOP_HOME']}
`,
    )
    writeFileSync(
      join(place, 'config'),
      `Host h1 h2 h3
  HostName 127.0.0.1
  Port ${port}
  User root
  IdentityFile ${place}/id
  UserKnownHostsFile ${place}/known
  StrictHostKeyChecking accept-new
  LogLevel ERROR
`,
    )
    // Where sshd locks itself up; its packages make it at the start of the system.
    mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
    servers.push(spawn(SSHD, ['-D', '-f', join(place, 'sshd_config')], { stdio: 'inherit' }))
    const ssh = ['-F', join(place, 'config'), 'h1', 'true']
    for (let tries = 0; ; tries++) {
      try {
        execFileSync('ssh', ssh, { stdio: 'pipe' })
        return join(place, 'config')
      } catch (error) {
        if (tries > 50) throw error
        await wait(100)
      }
    }
  }

  async function night(name: string, begins = '') {
    const here = fleetWorld(folder(name), 40, begins)
    const config = await hosts(here)
    const login = ['--ssh', `ssh -F ${config}`, '--sshlogin', '2/h1,2/h2,2/h3']
    const work = join(here.cwd, 'work')
    mkdirSync(work)
    const ran = await here.run('bash', [
      '-c',
      'cd work && exec "$0" "$@"',
      NIGHTLY,
      here.bundles,
      '6',
      ...login,
    ])
    const run = join(work, readdirSync(work)[0] ?? '')
    const jobs = readFileSync(join(run, 'jobs'), 'utf8').trimEnd().split('\n').slice(1)
    return { ...ran, run, jobs: jobs.map(line => line.split('\t')) }
  }

  test('forty bundles in six parts on three hosts: one report, with the worst verdict', async () => {
    const { status, run, jobs, stdout, stderr } = await night('whole')
    assert.equal(status, 1, stdout + stderr)
    assert.equal(readFileSync(join(run, 'report.ndjson'), 'utf8').trimEnd().split('\n').length, 41)
    assert.deepEqual(new Set(jobs.map(([, host]) => host)), new Set(['h1', 'h2', 'h3']))
  })

  test('a part that breaks is tried three times, and is missing', async () => {
    const breaks = `case "$*" in *'--shard 4/6'*) echo x >> "$RUNLOOP_HOME/tries"; kill -KILL $$ ;; esac`
    const { status, run, stdout, stderr } = await night('broken', breaks)
    assert.equal(status, 3, stdout + stderr)
    assert.ok(!existsSync(join(run, 'report-4.ndjson')))
    assert.equal(readFileSync(join(run, '../../home/tries'), 'utf8'), 'x\n'.repeat(3))
  })
})
