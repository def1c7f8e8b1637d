// A fleet in parts of which one goes wrong: the merge ends with the exit code of that fault, names the part, and writes no report. By day
// forty bundles, and at night two thousand, each part by a process of its own.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { fleetWorld } from '../support/fleet-world.ts'
import { temporary } from '../support/folder.ts'
import { rlpHere } from '../support/here.ts'
import { OTHER, policyText } from '../support/install-world.ts'
import { ALL, upTo } from '../support/runs.ts'

const COUNT = upTo(40, 2000)
const PARTS = 8
const CANCELLED = 5

describe(`${COUNT} bundles in ${PARTS} parts`, () => {
  const here = fleetWorld(temporary('fleet-faults')('parts'), COUNT)
  const other = join(here.cwd, 'other-home')
  const report = (index: number) => `report-${index}.ndjson`

  async function rlp(args: readonly string[], home = here.home) {
    if (ALL) return here.run('rlp', args, { RUNLOOP_HOME: home })
    const ran = await rlpHere(args, { cwd: here.cwd, env: { RUNLOOP_HOME: home } })
    return { ...ran, status: ran.exit }
  }

  /** Verifies one part. */
  async function part(index: number, { run = 'night', home = here.home, out = report(index) } = {}) {
    const shard = ['--shard', `${index}/${PARTS}`, '--run', run]
    const ran = await rlp(
      ['agent', 'verify', '--bundles-from', 'list', '-0', ...shard, '--format', 'ndjson'],
      home,
    )
    assert.ok(ran.status === 0 || ran.status === 1, ran.stderr)
    writeFileSync(join(here.cwd, out), ran.stdout, { mode: 0o600 })
  }

  /** Merges all parts, and others in the place of some. */
  async function merged(instead: Readonly<Record<number, readonly string[]>> = {}) {
    const parts = Array.from({ length: PARTS }, (_, at) => instead[at + 1] ?? [report(at + 1)]).flat()
    const out = join(here.cwd, 'merged.ndjson')
    const { status, stdout, stderr } = await rlp([
      ...['report', 'merge', ...parts, '--list', 'list', '-0', '--out', 'merged.ndjson'],
    ])
    return { status, said: stdout + stderr, isWritten: existsSync(out) }
  }

  before(async () => {
    const names = await here.run('bash', [
      '-c',
      "find bundles -name '*.agent.bundle' -print0 | LC_ALL=C sort -z > list",
    ])
    assert.equal(names.status, 0, names.stderr)
    mkdirSync(other)
    const policy = `${policyText()}\n[revoked]\n"${OTHER.anchor}" = { reason = "lost" }\n`
    writeFileSync(join(other, 'trust-policy.toml'), policy, { mode: 0o644 })
    for (let index = 1; index <= PARTS; index++) await part(index)
  })

  test('a part that was cancelled: 3', async () => {
    const cut = readFileSync(join(here.cwd, report(CANCELLED)), 'utf8')
      .split('\n')
      .slice(0, 1)
    writeFileSync(join(here.cwd, 'cut.ndjson'), `${cut.join('\n')}\n`, { mode: 0o600 })
    for (const left of [[], ['cut.ndjson']]) {
      const { status, said, isWritten } = await merged({ [CANCELLED]: left })
      assert.deepEqual([status, isWritten], [3, false], said)
      assert.match(said, new RegExp(`part ${CANCELLED} of ${PARTS} is missing`))
    }
  })

  test('a part twice, also in the place of another: 2', async () => {
    await part(2, { out: 'again.ndjson' })
    for (const instead of [{ 2: [report(2), 'again.ndjson'] }, { 3: ['again.ndjson'] }]) {
      const { status, said, isWritten } = await merged(instead)
      assert.deepEqual([status, isWritten], [2, false], said)
      assert.match(said, new RegExp(`"again.ndjson": it is shard 2/${PARTS}, and so is "${report(2)}"`))
    }
  })

  test('a part under another policy: 2', async () => {
    await part(4, { home: other, out: 'other.ndjson' })
    const { status, said, isWritten } = await merged({ 4: ['other.ndjson'] })
    assert.deepEqual([status, isWritten], [2, false], said)
    assert.match(said, /"other.ndjson": policies, marks and flags are/)
  })

  test('a part of another run: 2', async () => {
    await part(6, { run: 'yesterday', out: 'yesterday.ndjson' })
    const { status, said, isWritten } = await merged({ 6: ['yesterday.ndjson'] })
    assert.deepEqual([status, isWritten], [2, false], said)
    assert.match(said, /"yesterday.ndjson": the run is "yesterday", and in "report-1.ndjson" "night"/)
  })

  test('all parts: the exit code of the worst verdict', async () => {
    const { status, said, isWritten } = await merged()
    assert.deepEqual([status, isWritten], [1, true], said)
    const lines = readFileSync(join(here.cwd, 'merged.ndjson'), 'utf8').trimEnd().split('\n')
    assert.equal(lines.length, COUNT + 1)
  })
})
