// Verdicts of an earlier report and the clock: to the second, what is used again, what is judged anew, and what is said of it.
import assert from 'node:assert/strict'
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { FleetRecord } from '../../src/fleet/task.ts'
import { bundleOf } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { madeTree, policyText, RELEASE, STRANGER, type World, world } from '../support/install-world.ts'
import { signedTree, type TestSigner } from '../support/signed.ts'

const folder = temporary('since-time')
const DAY = 86_400
const FILE = 'alpha-1.0.0.agent.bundle'
const NOW = Date.parse('2026-11-20T12:00:00Z')
const text = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z')

/** One bundle that ends at some time, judged at NOW. */
async function reported(t: TestContext, name: string, endsIn: number | undefined, by: TestSigner = RELEASE) {
  t.mock.timers.enable({ apis: ['Date'], now: NOW })
  const here = world(folder(name))
  const ends = endsIn === undefined ? {} : { notAfter: text(NOW + endsIn * 1000) }
  here.put(FILE, bundleOf(signedTree(madeTree({ name: 'alpha' }), [by], ends)))
  const { stdout } = await here.say('agent', 'verify', FILE, '--format', 'ndjson')
  const again = (seconds: number, report = stdout) => {
    t.mock.timers.setTime(NOW + seconds * 1000)
    return since(here, report)
  }
  return { here, report: stdout, first: recordIn(stdout), again }
}

const recordIn = (report: string) => JSON.parse(report.slice(0, report.indexOf('\n'))) as FleetRecord

async function since(here: World, report: string) {
  writeFileSync(join(here.cwd, 'report'), report, { mode: 0o600 })
  const { stdout } = await here.say('agent', 'verify', FILE, '--format', 'ndjson', '--since', 'report')
  const record = recordIn(stdout)
  return {
    ...record,
    said: `${record.verdict} ${record.reused}`,
    warned: record.warnings?.map(({ code }) => code),
  }
}

test('a signature counts until its end, to the second', async t => {
  const { again } = await reported(t, 'signature', 100 * DAY)
  assert.equal((await again(0)).said, 'trusted true')
  assert.equal((await again(100 * DAY)).said, 'trusted true')
  assert.equal((await again(100 * DAY + 1)).said, 'expired false')
})

test('a report of a later time is not used: what has ended would count again', async t => {
  const { again } = await reported(t, 'back', undefined)
  assert.equal((await again(0)).said, 'trusted true')
  assert.equal((await again(-1)).said, 'trusted false')
})

test('what is used again keeps the time of its judgement, and is warned of by the clock of now', async t => {
  const { first, again } = await reported(t, 'warned', 100 * DAY)
  assert.equal(first.warnings, undefined)
  const late = await again(90 * DAY)
  assert.deepEqual(
    [late.said, late.judged, late.warned],
    ['trusted true', first.judged, ['signature_ends_soon']],
  )
  const later = await again(99 * DAY)
  assert.notDeepEqual(later.warnings, late.warnings)
  assert.equal('warnings' in (await again(0)), false)
})

test('what is not accepted is used again without a warning', async t => {
  const { again } = await reported(t, 'stranger', 100 * DAY, STRANGER)
  const late = await again(90 * DAY)
  assert.deepEqual([late.said, late.warned], ['untrusted true', undefined])
})

test('what ends too late may be met as the end comes nearer: it is judged anew', async t => {
  const { here } = await reported(t, 'too-late', 100 * DAY)
  here.policy('[[require]]\nsignatures = 1\nexpires_within = "90d"\n')
  const { stdout } = await here.say('agent', 'verify', FILE, '--format', 'ndjson')
  const { verdict, reasons, basis } = recordIn(stdout)
  assert.deepEqual([verdict, reasons[0]?.code, basis], ['untrusted', 'expires_too_late', null])
  t.mock.timers.setTime(NOW + 20 * DAY * 1000)
  assert.equal((await since(here, stdout)).said, 'trusted false')
})

test('of more than 20 reasons a record has the first ones, and says how many are left out', async t => {
  const { here } = await reported(t, 'reasons', undefined)
  const reasonsOf = async (count: number) => {
    const more = Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, '']))
    here.put(FILE, bundleOf({ ...signedTree(madeTree({ name: 'alpha' }), [RELEASE]), ...more }))
    const { stdout } = await here.say('agent', 'verify', FILE, '--format', 'ndjson')
    return recordIn(stdout).reasons
  }
  const all = await reasonsOf(20)
  assert.deepEqual([all.length, all.at(-1)?.code], [20, 'manifest/digest-missing'])
  const some = await reasonsOf(22)
  assert.deepEqual([some.length, some.at(-1)?.message], [21, '… and 2 more'])
})

test('a signer of the policy that ends is warned of only for what it signed', async t => {
  const until = text(NOW + 100 * DAY * 1000)
  const ending = policyText().replace(
    `release = "${RELEASE.anchor}"`,
    `release = { key = "${RELEASE.anchor}", until = "${until}" }`,
  )
  for (const [by, warned] of [
    [RELEASE, ['anchor_ends_soon']],
    [STRANGER, undefined],
  ] as const) {
    const { here } = await reported(t, `anchor-${by.anchor.slice(8, 12)}`, undefined, by)
    writeFileSync(join(here.home, 'trust-policy.toml'), ending, { mode: 0o600 })
    const { stdout } = await here.say('agent', 'verify', FILE, '--format', 'ndjson')
    t.mock.timers.setTime(NOW + 90 * DAY * 1000)
    const late = await since(here, stdout)
    assert.deepEqual([late.reused, late.warned], [true, warned])
    t.mock.timers.reset()
  }
})

test('a record whose agent cannot be one is judged anew: its name would be a path to what is remembered', async t => {
  const { report, again } = await reported(t, 'name', undefined)
  for (const name of ['../alpha', 'Alpha', 'a/b', '']) {
    const forged = report.replace('"name":"alpha"', `"name":${JSON.stringify(name)}`)
    assert.notEqual(forged, report)
    const { said, agent } = await again(0, forged)
    assert.deepEqual([said, agent?.name], ['trusted false', 'alpha'])
  }
})

test('a bundle and its statements that are named by links are what the links lead to', async t => {
  const { here, again } = await reported(t, 'links', undefined)
  mkdirSync(join(here.cwd, 'real'))
  for (const name of [FILE, `${FILE}.intoto.jsonl`]) {
    if (name !== FILE) here.put(name, Buffer.from('{}\n'))
    renameSync(join(here.cwd, name), join(here.cwd, 'real', name))
    symlinkSync(`real/${name}`, join(here.cwd, name))
  }
  assert.equal((await again(0)).said, 'trusted false')
  const { stdout } = await here.say('agent', 'verify', FILE, '--format', 'ndjson')
  assert.equal((await again(0, stdout)).said, 'trusted true')
  here.put('real/statements', Buffer.from('{"other":1}\n'))
  renameSync(join(here.cwd, 'real/statements'), join(here.cwd, 'real', `${FILE}.intoto.jsonl`))
  assert.equal((await again(0, stdout)).said, 'trusted false')
})

test('of several records of one bundle the first that holds now is used', async t => {
  const { here, report, again } = await reported(t, 'several', undefined)
  here.policy('# another text\n')
  const { stdout } = await here.say('agent', 'verify', FILE, '--format', 'ndjson')
  assert.equal((await again(0, report + stdout)).said, 'trusted true')
  assert.equal((await again(0, report)).said, 'trusted false')
})
