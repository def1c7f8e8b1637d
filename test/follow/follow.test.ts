// The hosts' side of a trust channel, as people run it: follow, update, verify, status, unfollow, from a layout folder.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { readChannelState } from '../../src/channel-file/state.ts'
import { type ChannelOutcome, tookAll, updateAll } from '../../src/follow/update-all.ts'
import { channelStatePath, userPlaces } from '../../src/io/channel-places.ts'
import { bundleOf } from '../support/agent.ts'
import {
  channelWith,
  DAY,
  PEOPLE,
  pinOf,
  publish,
  STRANGER,
  withHeartbeat,
  withRelease,
  withRoot,
} from '../support/channel-world.ts'
import { run as inProcess, typedAfterwards } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { IS_ROOT, NOBODY, rlp } from '../support/run.ts'
import { ASKING, KEYS, POLICY, signed } from '../support/trust-world.ts'

const folder = temporary('follow')
const NAME = 'mini-1.0.0.agent.bundle'

function world(name: string) {
  const cwd = folder(name)
  const home = join(cwd, 'home')
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(join(cwd, NAME), bundleOf(signed(ASKING, 'release')))
  const channel = `oci-layout:${join(cwd, 'house')}`
  const run = (...args: readonly string[]) => {
    process.env['RUNLOOP_HOME'] = home
    return inProcess(args, undefined, { cwd, env: process.env })
  }
  const verdict = async () => {
    const { stdout, exit } = await run('agent', 'verify', NAME, '--json')
    const { result } = JSON.parse(stdout)
    const report = result.bundles?.[0] ?? result
    return { exit, verdict: report.verdict, code: report.reasons[0]?.code, policies: report.policies, report }
  }
  return { cwd, home, channel, run, verdict }
}

const REVOKED = `${POLICY}\n[revoked]\n"${KEYS.release.anchor}" = { reason = "laptop lost" }\n`

describe('a channel that is followed', () => {
  test('each command warns if one key alone speaks for it, and only then', async () => {
    const { channel, run } = world('one-key')
    const now = new Date()
    const two = channelWith(POLICY, now)
    const one = withHeartbeat(withRoot(two, now, { threshold: 1 }), new Date(now.getTime() + 1000))
    const warned = /^warning: house: one key alone speaks for this channel/m
    await publish(two, channel)
    const followed = await run('trust', 'follow', channel, '--root', pinOf(two))
    for (const { stderr } of [followed, await run('trust', 'update'), await run('trust', 'status')])
      assert.doesNotMatch(stderr, warned)
    assert.doesNotMatch((await run('doctor')).stdout, /one key alone/)
    await publish(one, channel)
    for (const command of ['update', 'status']) {
      const { stderr, exit } = await run('trust', command)
      assert.match(stderr, warned)
      assert.equal(exit, 0)
    }
    assert.match((await run('doctor')).stdout, /^warning {2}channel house {2}one key alone speaks/m)
    const again = await run('trust', 'follow', channel, '--root', pinOf(two), '--json')
    assert.equal(JSON.parse(again.stdout).warnings.length, 1)
  })

  test('the line of the audit log comes before the file that it is about', async () => {
    const { cwd, channel, home } = world('line-first')
    const now = new Date()
    const first = channelWith(POLICY, now)
    await publish(first, channel)
    const root = pinOf(first).slice('blake3:'.length)
    const places = userPlaces(home)
    const followed = { channel: { name: 'house', reference: channel, root }, places }
    const updating = { access: { env: {} }, signal: AbortSignal.timeout(60_000), now, dryRun: false }
    const onDisk = () => {
      const read = readChannelState(readFileSync(channelStatePath(places, root)))
      return read.ok ? read.state.release?.statement.version : read.problem
    }
    const seen: unknown[] = []
    const onDecided = (one: ChannelOutcome) => seen.push(tookAll(one) ? 'taken' : 'refused', onDisk())
    await updateAll([followed], { ...updating, dryRun: true }, onDecided)
    assert.deepEqual(seen, [], 'a dry run decides nothing')
    await updateAll([followed], updating, onDecided)
    assert.equal(onDisk(), 1)
    rmSync(join(cwd, 'house'), { recursive: true })
    await updateAll([followed], updating, onDecided)
    assert.deepEqual(seen, ['taken', undefined, 'refused', 1])
  })

  test('its policy decides, its revocation arrives, and its end decides nothing', async () => {
    const { home, channel, run, verdict } = world('whole')
    const now = new Date()
    const first = channelWith(POLICY, now)
    await publish(first, channel)
    assert.equal((await verdict()).code, 'no_trust_policy')
    const followed = await run('trust', 'follow', channel, '--root', pinOf(first))
    assert.equal(followed.exit, 0, followed.stderr + followed.stdout)
    assert.match(
      followed.stdout,
      /^house: followed, and written down in .*channels\.toml\n✓ house: updated: release 1, root 1, /,
    )
    const trusted = await verdict()
    assert.deepEqual([trusted.verdict, trusted.exit], ['trusted', 0])
    assert.equal(trusted.policies[0].role, 'channel')
    assert.equal(trusted.policies[0].channel.release.version, 1)
    const revoking = withHeartbeat(withRelease(first, REVOKED, now), new Date(now.getTime() + 1000))
    await publish(revoking, channel)
    assert.equal((await verdict()).verdict, 'trusted', 'verify makes no request')
    const updated = await run('trust', 'update')
    assert.match(updated.stdout, /^✓ house: updated: release 2, root 1/)
    assert.deepEqual([(await verdict()).verdict, (await verdict()).exit], ['revoked', 1])
    const again = await run('trust', 'update')
    assert.match(again.stdout, /^✓ house: nothing new: release 2/)
    const [file = ''] = readdirSync(join(home, 'channels'))
    const read = readChannelState(readFileSync(join(home, 'channels', file)))
    assert.ok(read.ok)
  })

  test('before the first update nothing is decided, and a wrong root never is', async () => {
    const { cwd, home, channel, run, verdict } = world('wrong-root')
    const contents = channelWith(POLICY)
    await publish(contents, channel)
    const other = `blake3:${'1'.repeat(64)}`
    const followed = await run('trust', 'follow', channel, '--root', other)
    assert.equal(followed.exit, 3)
    assert.match(followed.stdout, /none of its roots is the one that is pinned/)
    assert.deepEqual(
      [(await verdict()).verdict, (await verdict()).code],
      ['indeterminate', 'trust_channel_damaged'],
    )
    const twice = await run('trust', 'follow', channel, '--root', pinOf(contents))
    assert.equal(twice.exit, 2)
    assert.match(twice.stderr, /house is followed already/)
    for (const [typed, is] of [
      ['y', 130],
      ['nah', 130],
      ['yes', 0],
    ] as const) {
      const stdin = () => typedAfterwards(`${typed}\n`)
      const asked = await inProcess(['trust', 'unfollow', 'house'], undefined, {
        cwd,
        env: { TERM: 'dumb', RUNLOOP_HOME: home },
        stdin,
        isTTY: { stdin: true, stdout: true, stderr: true },
      })
      assert.equal(asked.exit, is, asked.stderr)
      assert.match(asked.stdout, /No longer follow it\? \[yes\/N\] /)
    }
    assert.equal((await verdict()).code, 'no_trust_policy')
    assert.equal((await run('trust', 'follow', channel, '--root', pinOf(contents))).exit, 0)
    assert.equal((await verdict()).verdict, 'trusted')
  })

  test('a home that this user may not look into is a reason of the verdict, and no failure of the command', async t => {
    if (!IS_ROOT) return t.skip('only root makes a home that the user of the test may not look into')
    const { cwd, home } = world('closed')
    const options = { cwd, env: { RUNLOOP_HOME: home }, uid: NOBODY }
    const { stdout, exit } = await rlp(['agent', 'verify', NAME, '--json'], options)
    const [{ verdict, reasons }] = JSON.parse(stdout).result.bundles
    assert.deepEqual([verdict, exit], ['indeterminate', 3])
    const codes = reasons.map(({ code }: { code: string }) => code)
    assert.deepEqual(
      [codes.includes('trust_policy_unusable'), codes.includes('trust_channel_damaged')],
      [true, true],
    )
  })

  test('every policy must pass: the user’s own as well', async () => {
    const { home, channel, run, verdict } = world('both')
    const contents = channelWith(POLICY)
    await publish(contents, channel)
    await run('trust', 'follow', channel, '--root', pinOf(contents))
    writeFileSync(join(home, 'trust-policy.toml'), POLICY, { mode: 0o600 })
    assert.equal((await verdict()).verdict, 'trusted')
    writeFileSync(join(home, 'trust-policy.toml'), `[anchors]\nother = "${PEOPLE.ada.anchor}"\n`, {
      mode: 0o600,
    })
    assert.equal((await verdict()).verdict, 'untrusted')
  })

  const refusals: readonly [
    string,
    (first: ReturnType<typeof channelWith>, now: Date) => ReturnType<typeof channelWith>,
    RegExp,
  ][] = [
    [
      'a release that one person signed',
      (first, now) => {
        const { release, files } = withRelease({ ...first, release: first.release }, REVOKED, now, [
          PEOPLE.ada,
        ]).draft
        return withHeartbeat({ ...first, release, files }, new Date(now.getTime() + 1000))
      },
      /release 2 is signed by 1 of the keys of root 1, and 2 are needed/,
    ],
    [
      'a heartbeat of a stranger',
      (first, now) => withHeartbeat(first, new Date(now.getTime() + 1000), DAY, STRANGER),
      /the heartbeat is signed by 0 of the keys of heartbeats of root 1/,
    ],
    [
      'a root that its old keys have not signed',
      (first, now) =>
        withHeartbeat(
          withRoot(first, now, { addKeys: [STRANGER.anchor] }, [PEOPLE.ada, STRANGER]),
          new Date(now.getTime() + 1000),
        ),
      /root 2 is signed by 1 of the keys of root 1, and 2 are needed/,
    ],
  ]
  for (const [name, change, why] of refusals)
    test(`${name} is refused, and what was there stays`, async () => {
      const { channel, run, verdict } = world(name.replaceAll(' ', '-'))
      const now = new Date()
      const first = channelWith(POLICY, now)
      await publish(first, channel)
      await run('trust', 'follow', channel, '--root', pinOf(first))
      await publish(change(first, now), channel)
      const updated = await run('trust', 'update')
      assert.equal(updated.exit, 3, updated.stdout)
      assert.match(updated.stdout, why)
      assert.equal((await verdict()).verdict, 'trusted')
    })

  test('four roots and many releases later, one update is enough', async () => {
    const { channel, run, verdict } = world('far')
    const now = new Date()
    let contents = channelWith(POLICY, now)
    await publish(contents, channel)
    await run('trust', 'follow', channel, '--root', pinOf(contents))
    for (let root = 2; root <= 5; root++) contents = withRoot(contents, now)
    for (let release = 0; release < 300; release++) contents = withRelease(contents, REVOKED, now)
    await publish(withHeartbeat(contents, new Date(now.getTime() + 2000)), channel)
    const updated = await run('trust', 'update')
    assert.match(updated.stdout, /updated: release 301, root 5/)
    assert.equal((await verdict()).verdict, 'revoked')
  })

  test('status says until when, and what to do', async () => {
    const { channel, run } = world('status')
    const contents = channelWith(POLICY)
    await publish(contents, channel)
    assert.match((await run('trust', 'status')).stderr, /No channel is followed here/)
    await run('trust', 'follow', channel, '--root', pinOf(contents))
    const shown = await run('trust', 'status')
    assert.equal(shown.exit, 0)
    assert.match(
      shown.stdout,
      /root 1, release 1 blake3:[0-9a-f]{64}\n {2}heartbeat of [^\n]* ago\n {2}until [^\n]*, 23h from now/,
    )
    const { result } = JSON.parse((await run('trust', 'status', '--json')).stdout)
    assert.deepEqual(
      [result.channels[0].isUsable, result.channels[0].pinned, result.channels[0].channel.channel],
      [true, pinOf(contents), pinOf(contents).slice(7)],
    )
  })

  test('what ends, ends: a heartbeat of a minute, seen later', async () => {
    const { home, channel, run, verdict } = world('stale')
    const now = new Date(Date.now() - 3_600_000)
    const contents = withHeartbeat(channelWith(POLICY, now), now, 3700)
    await publish(contents, channel)
    assert.equal((await run('trust', 'follow', channel, '--root', pinOf(contents))).exit, 0)
    assert.equal((await verdict()).verdict, 'trusted')
    const ended = withHeartbeat(channelWith(POLICY, now), now, 60)
    await publish(ended, channel)
    const updated = await run('trust', 'update')
    assert.equal(updated.exit, 3)
    assert.match(updated.stdout, /refused/)
    assert.equal((await verdict()).verdict, 'trusted', 'what was there stays')
    // The same file with the heartbeat that has ended.
    const [file = ''] = readdirSync(join(home, 'channels'))
    const path = join(home, 'channels', file)
    const state = JSON.parse(readFileSync(path, 'utf8'))
    state.heartbeat = Buffer.from(ended.heartbeat?.envelope ?? []).toString()
    state.highest.heartbeat.blake3 = ended.heartbeat?.digest
    writeFileSync(path, `${JSON.stringify(state)}\n`)
    const later = {
      ...state,
      updated: new Date(Date.now() + 3_600_000).toISOString().replace(/\.[0-9]+Z$/, 'Z'),
    }
    writeFileSync(path, `${JSON.stringify(later)}\n`)
    assert.deepEqual([(await verdict()).verdict, (await verdict()).code], ['indeterminate', 'clock_behind'])
    writeFileSync(path, `${JSON.stringify(state)}\n`)
    const stale = await verdict()
    assert.deepEqual([stale.verdict, stale.code, stale.exit], ['indeterminate', 'trust_channel_stale', 3])
  })
})
