// What rlp channel refuses, command by command: before anything is written, with a hint, each beside what is accepted.
import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { drafted } from '../../src/channel/next-statements.ts'
import type { Release } from '../../src/model/channel.ts'
import {
  channelWith,
  DAY,
  INIT,
  PEOPLE,
  publish,
  publishing,
  signedAs,
  signedBy,
  withHeartbeat,
  withRelease,
  withRoot,
} from '../support/channel-world.ts'
import { run } from '../support/fake-terminal.ts'
import { snapshot, temporary } from '../support/folder.ts'
import { signer } from '../support/signed.ts'
import { POLICY } from '../support/trust-world.ts'

const folder = temporary('publish-refusals')
const world = (name: string) => publishing(folder(name))

describe('channel init', () => {
  const rest = ['--name', 'house', '--threshold', '2', '--heartbeat-key', 'beat', '--key', 'ada']
  test('refuses what no host would take, and makes no folder', async () => {
    const here = world('init')
    const refused: readonly (readonly [RegExp, ...string[]])[] = [
      [/threshold is no whole number from 1 to 1/, ...rest],
      [/a key appears twice in its keys/, ...rest, '--key', 'ada'],
      [/a key of the root is a key of heartbeats too/, ...rest, '--key', 'beat'],
      [/Cannot call the channel "House"/, ...rest.with(1, 'House'), '--key', 'alan'],
      [/--threshold/, ...rest.with(3, '0'), '--key', 'alan'],
      [
        /--heartbeat "1 day": it is not a whole number with d, h or m/,
        ...rest,
        '--key',
        'alan',
        '--heartbeat',
        '1 day',
      ],
      [/--expires "365"/, ...rest, '--key', 'alan', '--expires', '365'],
      [/nobody\.pem": no such file/, ...rest, '--key', 'nobody'],
      [/it has more than 32 keys/, ...rest, ...many(33)],
    ]
    for (const [says, ...words] of refused) {
      const { is, says: said } = await here.bad('init', 'house', ...words)
      assert.match(said, says, words.join(' '))
      assert.match(is, /2$/)
      assert.ok(!existsSync(join(here.cwd, 'house')), said)
    }
    await here.good('init', 'house', ...rest, '--key', 'alan')
  })

  test('begins no channel where one is, nor among other things, nor through a link', async () => {
    const here = world('init-there')
    await here.good(...INIT)
    const before = snapshot(join(here.cwd, 'house'))
    assert.deepEqual((await here.bad(...INIT)).is, 'EXISTS 2')
    assert.deepEqual(snapshot(join(here.cwd, 'house')), before)
    const words = INIT.slice(2)
    mkdirSync(join(here.cwd, 'full'))
    writeFileSync(join(here.cwd, 'full/notes.txt'), '')
    assert.equal((await here.bad('init', 'full', ...words)).is, 'STORE 3')
    assert.equal((await here.bad('init', 'policy.toml', ...words)).is, 'STORE 3')
    mkdirSync(join(here.cwd, 'linked'))
    symlinkSync(join(here.cwd, 'house/oci-layout'), join(here.cwd, 'linked/oci-layout'))
    assert.equal((await here.bad('init', 'linked', ...words)).is, 'STORE 3')
    assert.match((await here.bad('init', 'oci://x.example/y', ...words)).says, /a folder is needed/)
  })

  test('warns where one person alone speaks', async () => {
    const here = world('init-one')
    const words = ['--name', 'house', '--key', 'ada', '--heartbeat-key', 'beat', '--threshold']
    const { warnings } = await here.good('init', 'one', ...words, '1')
    assert.match(warnings[0], /one key alone speaks/)
    assert.match((await here.good('release', 'one', 'policy.toml')).warnings[0], /one key alone speaks/)
    const signed = await here.good('sign', 'one', '--key', 'ada', '--yes')
    assert.match(signed.warnings[0], /one key alone speaks/)
    assert.match((await here.good('status', 'one')).warnings[0], /one key alone speaks/)
  })
})

function many(count: number): string[] {
  return Array.from({ length: count }, (_, at) => ['--key', signer(100 + at).anchor]).flat()
}

describe('channel release', () => {
  test('refuses a malformed policy with its line and column, and keeps the draft', async () => {
    const here = world('release')
    await here.complete()
    await here.good('release', 'house', 'more.toml')
    const before = snapshot(join(here.cwd, 'house'))
    writeFileSync(join(here.cwd, 'bad.toml'), '[anchors]\nrelease = "ed25519:AAAA"\n')
    writeFileSync(join(here.cwd, 'huge.bin'), Buffer.alloc(4 * 1024 * 1024 + 1))
    writeFileSync(join(here.cwd, 'broken.toml'), 'anchors = {\n')
    const refused: readonly (readonly [string, RegExp, ...string[]])[] = [
      ['LINT_FAILED 1', /bad\.toml:2:11: /, 'bad.toml'],
      ['LINT_FAILED 1', /broken\.toml:\d/, 'broken.toml'],
      ['NOT_FOUND 2', /nothing\.toml/, 'nothing.toml'],
      ['NOT_VERIFIED 1', /longer than 90d/, 'policy.toml', '--expires', '91d'],
      ['USAGE 2', /it is not NAME=PATH/, 'policy.toml', '--file', 'policy.toml'],
      ['USAGE 2', /hosts take other names/, 'policy.toml', '--file', '../x=policy.toml'],
      ['USAGE 2', /hosts take other names/, 'policy.toml', '--file', '_release.json=policy.toml'],
      ['USAGE 2', /that is the policy/, 'policy.toml', '--file', 'trust-policy.toml=more.toml'],
      [
        'USAGE 2',
        /two files have this name/,
        'policy.toml',
        '--file',
        'a=more.toml',
        '--file',
        'a=more.toml',
      ],
      ['LIMIT_EXCEEDED 1', /at most 4 MiB/, 'policy.toml', '--file', 'a=huge.bin'],
      [
        'USAGE 2',
        /at most 16/,
        'policy.toml',
        ...Array.from({ length: 16 }, (_, at) => ['--file', `f${at}=more.toml`]).flat(),
      ],
      ['WRONG_FILE_TYPE 2', /./, 'home'],
    ]
    for (const [is, says, ...words] of refused) {
      const seen = await here.bad('release', 'house', ...words)
      assert.deepEqual([seen.is, says.test(seen.says)], [is, true], seen.says)
      assert.deepEqual(snapshot(join(here.cwd, 'house')), before)
    }
    assert.equal((await here.bad('release', 'nowhere', 'policy.toml')).is, 'NOT_FOUND 2')
  })

  test('warns of a long one and of a draft that it replaces, with its signatures', async () => {
    const here = world('release-warns')
    await here.complete()
    assert.deepEqual((await here.good('release', 'house', 'more.toml', '--expires', '30d')).warnings, [])
    await here.good('sign', 'house', '--key', 'ada', '--yes')
    const { warnings, draft } = await here.good(
      'release',
      'house',
      'more.toml',
      '--file',
      'a.txt=policy.toml',
      '--expires',
      '90d',
    )
    assert.match(warnings[0], /another draft of release 2 was there and is gone, with 1 signature$/)
    assert.match(warnings[1], /the release ends only in 90d/)
    assert.deepEqual(
      draft.release.files.map(({ name }: { name: string }) => name),
      ['a.txt', 'trust-policy.toml'],
    )
    assert.deepEqual(draft.release.signed, [])
  })
})

describe('channel rotate', () => {
  test('refuses what no host would take', async () => {
    const here = world('rotate')
    await here.good(...INIT)
    assert.match((await here.bad('rotate', 'house')).says, /root 1 has not all its signatures yet/)
    await here.good('sign', 'house', '--key', 'ada', '--yes')
    await here.good('sign', 'house', '--key', 'alan', '--yes')
    const before = snapshot(join(here.cwd, 'house'))
    for (const [says, ...words] of [
      [/no whole number from 1 to 3/, '--threshold', '4'],
      [/is one of the keys already/, '--add-key', 'ada'],
      [/is none of the keys/, '--remove-key', 'stranger'],
      [/is none of the keys of heartbeats/, '--remove-heartbeat-key', 'ada'],
      [/its heartbeats are no list of keys/, '--remove-heartbeat-key', 'beat'],
      [/a key of the root is a key of heartbeats too/, '--add-key', 'beat'],
      [/--heartbeat "0d"/, '--heartbeat', '0d'],
    ] as const) {
      const seen = await here.bad('rotate', 'house', ...words)
      assert.deepEqual([seen.is, says.test(seen.says)], ['USAGE 2', true], seen.says)
    }
    assert.deepEqual(snapshot(join(here.cwd, 'house')), before)
  })

  test('another person: signed by the keys of both, and released again where too few of the signers stay', async () => {
    const here = world('rotate-person')
    await here.complete()
    const few = await here.good('rotate', 'house', '--remove-key', 'grace', '--add-key', 'stranger')
    assert.equal(few.draft.release, null, 'ada and alan have signed what is released')
    const again = await here.good(
      'rotate',
      'house',
      '--remove-key',
      'alan',
      '--add-key',
      'stranger',
      '--heartbeat',
      '12h',
    )
    assert.match(again.warnings[0], /another draft of root 2 was there/)
    assert.deepEqual([again.draft.root.version, again.draft.release.version], [2, 2])
    assert.equal(again.draft.root.heartbeatSeconds, 43_200)
    await here.good('sign', 'house', '--key', 'ada', '--yes')
    const held = await here.good('sign', 'house', '--key', 'alan', '--yes')
    assert.deepEqual([held.roots.length, held.draft.root.version], [1, 2], 'its own keys are lacking')
    const done = await here.good('sign', 'house', '--key', 'stranger', '--yes')
    assert.deepEqual([done.roots.length, done.release.version, done.lacking], [2, 2, []])
    assert.match(
      (await here.bad('heartbeat', 'house', '--key', 'beat', '--expires', '24h')).says,
      /root 2 allows 12h/,
    )
    await here.good('heartbeat', 'house', '--key', 'beat')
    assert.equal((await here.good('push', 'house', 'oci-layout:published')).isNewForHosts, true)
  })

  test('--epoch counts anew', async () => {
    const here = world('rotate-epoch')
    await here.complete()
    const { draft } = await here.good('rotate', 'house', '--epoch')
    assert.deepEqual([draft.root.epoch, draft.release.epoch, draft.release.version], [2, 2, 1])
    await here.good('release', 'house', 'more.toml')
    await here.good('sign', 'house', '--key', 'ada', '--yes')
    const { release } = await here.good('sign', 'house', '--key', 'grace', '--yes')
    assert.deepEqual([release.epoch, release.version], [2, 1])
  })

  test('after the last number only --epoch goes on, together with the keys that go', async () => {
    const here = world('rotate-top')
    const now = new Date()
    const with1 = channelWith(POLICY, now)
    const last = { ...with1.release?.statement, version: Number.MAX_SAFE_INTEGER } as Release
    const release = signedBy(drafted(last, 'test'), PEOPLE.ada, PEOPLE.grace)
    await publish(withHeartbeat({ ...with1, release }, now), `oci-layout:${join(here.cwd, 'house')}`)
    cpSync(join(here.cwd, 'house'), join(here.cwd, 'published'), { recursive: true })
    const change = ['--remove-key', 'grace', '--add-key', 'linus']
    for (const line of [
      ['release', 'house', 'policy.toml'],
      ['rotate', 'house', ...change],
    ]) {
      const { is, says } = await here.bad(...line)
      assert.equal(is, 'USAGE 2')
      assert.match(says, /after release 9007199254740991: that is the last number \| .*rotate FOLDER --epoch/)
    }
    const { draft } = await here.good('rotate', 'house', '--epoch', ...change)
    assert.deepEqual([draft.root.epoch, draft.release.epoch, draft.release.version], [2, 2, 1])
    await here.good('release', 'house', 'more.toml')
    for (const key of ['ada', 'alan']) await here.good('sign', 'house', '--key', key, '--yes')
    await here.good('heartbeat', 'house', '--key', 'beat')
    assert.equal((await here.good('push', 'house', 'oci-layout:published')).isNewForHosts, true)
  })

  test('a release that has ended is drafted again, one that lasts is not', async () => {
    const here = world('rotate-ended')
    const now = new Date()
    for (const [name, days, version] of [
      ['lasts', 20, undefined],
      ['ended', 40, 2],
    ] as const) {
      const then = new Date(now.getTime() - days * DAY * 1000)
      await publish(channelWith(POLICY, then), `oci-layout:${join(here.cwd, name)}`)
      const { draft } = await here.good('rotate', name)
      assert.deepEqual([draft.root.version, draft.release?.version], [2, version], name)
    }
  })
})

describe('channel heartbeat', () => {
  test('is made by its key alone, as long as the root allows, and of what has not ended', async () => {
    const here = world('heartbeat')
    await here.good(...INIT)
    assert.match((await here.bad('heartbeat', 'house', '--key', 'beat')).says, /no release is complete yet/)
    const now = new Date()
    const past = new Date(now.getTime() - 40 * DAY * 1000)
    await publish(
      withRelease(channelWith(POLICY, past), POLICY, past, undefined, 30),
      `oci-layout:${join(here.cwd, 'old')}`,
    )
    assert.match((await here.bad('heartbeat', 'old', '--key', 'beat')).says, /release 2 ended at/)
    const ahead = new Date(now.getTime() + 300_000)
    await publish(channelWith(POLICY, ahead), `oci-layout:${join(here.cwd, 'ahead')}`)
    assert.match((await here.bad('heartbeat', 'ahead', '--key', 'beat')).says, /the heartbeat is older than/)
    await publish(channelWith(POLICY, new Date(now.getTime() - 5000)), `oci-layout:${join(here.cwd, 'now')}`)
    for (const key of ['ada', 'stranger'])
      assert.match((await here.bad('heartbeat', 'now', '--key', key)).says, /it is no key of heartbeats/)
    assert.match(
      (await here.bad('heartbeat', 'now', '--key', 'beat', '--expires', '25h')).says,
      /Let it last 1d or less/,
    )
    const { heartbeat } = await here.good('heartbeat', 'now', '--key', 'beat', '--expires', '6h')
    assert.equal(Date.parse(heartbeat.expires) - Date.parse(heartbeat.issued), 6 * 3_600_000)
  })
})

describe('channel push and pull', () => {
  test('nothing goes back, and no other channel is replaced', async () => {
    const here = world('back')
    const now = new Date(Date.now() - 5000)
    const at = (name: string) => `oci-layout:${join(here.cwd, name)}`
    const first = channelWith(POLICY, now)
    const newer = withHeartbeat(withRelease(first, POLICY, now), new Date(now.getTime() + 1000))
    await publish(first, at('old'))
    await publish(newer, at('new'))
    await publish(withRoot(first, now, {}), at('rotated'))
    await here.good('push', 'new', 'oci-layout:published')
    const before = snapshot(join(here.cwd, 'published'))
    const behind = await here.bad('push', 'old', 'oci-layout:published')
    assert.deepEqual(
      [behind.is, /release 2 is there, and not in this folder.*pull first/.test(behind.says)],
      ['EXISTS 2', true],
      behind.says,
    )
    assert.match((await here.bad('push', 'rotated', 'oci-layout:published')).says, /release 2 is there/)
    const other = withRelease(first, `${POLICY}# other\n`, now)
    await publish(withHeartbeat(other, new Date(now.getTime() + 2000)), at('other'))
    assert.match((await here.bad('push', 'other', 'oci-layout:published')).says, /there is another release 2/)
    await here.good(...INIT.with(1, 'foreign'))
    for (const words of [
      ['push', 'foreign', 'oci-layout:published'],
      ['pull', 'oci-layout:published', 'foreign'],
    ])
      assert.match((await here.bad(...words, '--force')).says, /another channel is there/)
    assert.deepEqual(snapshot(join(here.cwd, 'published')), before)
    await here.good('pull', 'oci-layout:published', 'old')
    assert.equal((await here.good('push', 'old', 'oci-layout:published')).changed, false)
  })

  test('what a host would refuse is not pushed', async () => {
    const here = world('hosts')
    const now = new Date()
    const at = (name: string) => `oci-layout:${join(here.cwd, name)}`
    const old = new Date(now.getTime() - 2 * DAY * 1000)
    await publish(channelWith(POLICY, old), at('stopped'))
    const stopped = await here.bad('push', 'stopped', 'oci-layout:a')
    assert.deepEqual(
      [stopped.is, /a host would refuse it: the heartbeat ended at/.test(stopped.says)],
      ['NOT_VERIFIED 1', true],
    )
    const long = withRelease(channelWith(POLICY, old), POLICY, now, undefined, 91)
    await publish(withHeartbeat(long, now), at('long'))
    assert.match((await here.bad('push', 'long', 'oci-layout:a')).says, /longer than 90d/)
    const fine = withHeartbeat(withRelease(channelWith(POLICY, old), POLICY, now, undefined, 89), now)
    await publish(fine, at('fine'))
    const pushed = await here.good('push', 'fine', 'oci-layout:a')
    assert.match(pushed.warnings[0], /ends only in 89d/)
    // Hosts have seen a heartbeat of one second later, which named the release before.
    const past = new Date(now.getTime() - 60_000)
    const seen = channelWith(POLICY, past)
    await publish(withHeartbeat(seen, new Date(now.getTime() - 10_000)), at('b'))
    await publish(
      withHeartbeat(withRelease(seen, POLICY, past), new Date(now.getTime() - 20_000)),
      at('late'),
    )
    const late = await here.bad('push', 'late', 'oci-layout:b')
    assert.match(
      late.says,
      /the heartbeat is older than what this host has seen.*Run rlp channel heartbeat FOLDER --key KEY first/,
    )
    await here.good('heartbeat', 'late', '--key', 'beat')
    assert.equal((await here.good('push', 'late', 'oci-layout:b')).isNewForHosts, true)
  })

  test('the newer heartbeat stays, whichever side it is on', async () => {
    const here = world('newer')
    const now = new Date()
    const at = (name: string) => `oci-layout:${join(here.cwd, name)}`
    const begun = channelWith(POLICY, new Date(now.getTime() - 60_000))
    const [older, newer] = [
      withHeartbeat(begun, new Date(now.getTime() - 30_000)),
      withHeartbeat(begun, new Date(now.getTime() - 10_000)),
    ]
    await publish(older, at('mine'))
    await publish(newer, at('there'))
    const kept = await here.good('push', 'mine', 'oci-layout:there')
    assert.deepEqual([kept.changed, kept.heartbeat.issued], [false, newer.heartbeat?.statement.issued])
    await here.good('pull', 'oci-layout:there', 'mine')
    assert.equal((await here.good('status', 'mine')).heartbeat.issued, newer.heartbeat?.statement.issued)
  })

  test('a heartbeat of what hosts have is pushed while something new waits for one', async () => {
    const here = world('waits')
    await here.complete()
    await here.good('push', 'house', 'oci-layout:published')
    // A machine of its own, which has not seen release 2.
    const machine = world('waits-machine')
    cpSync(join(here.cwd, 'house'), join(machine.cwd, 'beats'), { recursive: true })
    await here.good('release', 'house', 'more.toml')
    await here.good('sign', 'house', '--key', 'ada', '--yes')
    await here.good('sign', 'house', '--key', 'grace', '--yes')
    assert.deepEqual((await here.good('push', 'house', 'oci-layout:published')).waiting, ['release 2'])
    const { heartbeat } = await machine.good('heartbeat', 'beats', '--key', 'beat')
    const pushed = await machine.good('push', 'beats', `oci-layout:${join(here.cwd, 'published')}`)
    assert.deepEqual([pushed.isNewForHosts, pushed.release.version, pushed.heartbeat], [true, 1, heartbeat])
    assert.deepEqual(pushed.waiting, ['release 2'])
  })

  test('refuses what is no reference and no folder', async () => {
    const here = world('none')
    await here.complete()
    for (const [is, ...words] of [
      ['USAGE 2', 'push', 'house', 'published'],
      ['USAGE 2', 'push', 'house', 'oci-layout:published:tag'],
      ['USAGE 2', 'push', 'oci-layout:house', 'oci-layout:published'],
      ['NOT_FOUND 2', 'push', 'nowhere', 'oci-layout:published'],
      ['UNREACHABLE 3', 'push', 'house', 'oci://127.0.0.1:1/x'],
      ['USAGE 2', 'pull', 'published', 'mine'],
      ['NOT_FOUND 2', 'pull', 'oci-layout:published', 'mine'],
      ['USAGE 2', 'pull', 'oci://x.example/trust:tag', 'mine'],
      ['UNREACHABLE 3', 'pull', 'oci://127.0.0.1:1/x', 'mine'],
      ['USAGE 2', 'pull', 'oci-layout:house', 'oci://x.example/y'],
      ['NOT_FOUND 2', 'status', 'nowhere'],
      ['USAGE 2', 'status', 'oci-layout:house:tag'],
      ['STORE 3', 'status', 'policy.toml'],
    ] as const)
      assert.equal((await here.bad(...words)).is, is, words.join(' '))
    assert.ok(!existsSync(join(here.cwd, 'published')) && !existsSync(join(here.cwd, 'mine')))
  })

  test('a call that was ended before it wrote leaves all as it was', async () => {
    const here = world('cancelled')
    await here.complete()
    const stop = new AbortController()
    stop.abort()
    for (const words of [
      ['release', 'house', 'more.toml'],
      ['push', 'house', 'oci-layout:published'],
      ['pull', 'oci-layout:house', 'mine'],
    ]) {
      const { exit } = await run(['channel', ...words], undefined, {
        cwd: here.cwd,
        env: { RUNLOOP_HOME: here.home },
        signal: stop.signal,
      })
      assert.equal(exit, 130, words.join(' '))
    }
    assert.equal((await here.good('status', 'house')).draft.release, null)
    assert.ok(!existsSync(join(here.cwd, 'mine')))
  })
})

test('a folder whose chain does not hold is not built upon', async () => {
  const here = world('chain')
  const now = new Date()
  const at = (name: string) => `oci-layout:${join(here.cwd, name)}`
  const good = withHeartbeat(withRoot(channelWith(POLICY, now), now), now)
  await publish(good, at('sound'))
  await here.good('status', 'sound')
  const [first, second] = good.roots
  assert.ok(first && second && good.release)
  const cases: Readonly<Record<string, typeof good>> = {
    'too few signed root 2': { ...good, roots: [first, signedBy(signedAs(second, []), PEOPLE.ada)] },
    'root 1 is missing': { ...good, roots: [second] },
    'too few signed the release': { ...good, release: signedBy(signedAs(good.release, []), PEOPLE.ada) },
    'a file is missing': { ...good, files: new Map() },
    'a file is another': { ...good, files: new Map([['trust-policy.toml', Buffer.from('x')]]) },
  }
  for (const [name, contents] of Object.entries(cases)) {
    const place = name.replaceAll(' ', '-')
    await publish(contents, at(place))
    for (const words of [
      ['status', place],
      ['release', place, 'policy.toml'],
      ['push', place, 'oci-layout:p'],
      ['pull', at(place), 'm'],
      ['heartbeat', place, '--key', 'beat'],
    ])
      assert.equal((await here.bad(...words)).is, 'NOT_VERIFIED 1', `${name}: ${words[0]}`)
  }
})
