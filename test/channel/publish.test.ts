// rlp channel, as the people who publish one run it: in turn, through copies of a folder and through a registry, and everything that is refused.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { BEAT, INIT, MORE_POLICY, PEOPLE, publishing, STRANGER } from '../support/channel-world.ts'
import { run, typedAfterwards } from '../support/fake-terminal.ts'
import { snapshot, temporary } from '../support/folder.ts'
import { FakeRegistry } from '../support/oci-registry.ts'
import { authFile } from '../support/registry-access.ts'

const folder = temporary('publish')
const world = (name: string) => publishing(folder(name))
const DAY = 86_400_000

describe('two of three people', () => {
  test('make a channel, each in a copy of one folder, and a host follows it', async () => {
    const here = world('copies')
    const begun = await here.good(...INIT)
    assert.equal(begun.draft.root.threshold, 2)
    assert.deepEqual(
      begun.draft.root.keys,
      Object.values(PEOPLE)
        .map(({ anchor }) => anchor)
        .sort(),
    )
    assert.deepEqual(begun.draft.root.heartbeats, [BEAT.anchor])
    assert.equal(begun.draft.root.heartbeatSeconds, 86_400)
    assert.ok(Math.abs(Date.parse(begun.draft.root.expires) - Date.now() - 365 * DAY) < 60_000)
    await here.good('release', 'house', 'policy.toml')
    const one = await here.good('sign', 'house', '--key', 'ada', '--yes')
    assert.deepEqual(one.roots, [], 'one signature completes nothing')
    assert.deepEqual(
      one.lacking.map(({ what, needed, signed }: { what: string; needed: number; signed: string[] }) => [
        what,
        needed,
        signed,
      ]),
      [
        ['root 1', 2, [PEOPLE.ada.anchor]],
        ['release 1', 2, [PEOPLE.ada.anchor]],
      ],
    )
    cpSync(join(here.cwd, 'house'), join(here.cwd, 'copy'), { recursive: true })
    const two = await here.good('sign', 'copy', '--key', 'grace', '--yes')
    assert.deepEqual([two.roots.length, two.release.version, two.draft.root, two.lacking], [1, 1, null, []])
    assert.equal(two.next[0].verb, 'heartbeat')
    await here.good('heartbeat', 'copy', '--key', 'beat')
    const pushed = await here.good('push', 'copy', 'oci-layout:published')
    assert.deepEqual([pushed.isNewForHosts, pushed.waiting, pushed.next], [true, [], []])
    assert.deepEqual((await here.good('push', 'copy', 'oci-layout:published')).changed, false)
    const root = (await here.good('status', 'oci-layout:published')).roots[0].blake3
    const followed = await run(['trust', 'follow', 'oci-layout:published', '--root', root], undefined, {
      cwd: here.cwd,
      env: { RUNLOOP_HOME: here.home },
    })
    assert.match(followed.stdout, /✓ published: updated: release 1, root 1/)
    assert.equal(followed.exit, 0)
  })

  for (const [name, options] of [
    ['open', {}],
    ['with a login', { login: 'user:password' }],
  ] as const)
    test(`work in turn through a registry, ${name}; a heartbeat brings it to hosts`, async () => {
      const registry = await new FakeRegistry(options).start()
      const at = `oci://${registry.host}/trust/house`
      const [ada, alan, beat] = ['ada', 'alan', 'beat'].map(who => world(`registry-${name.length}-${who}`))
      assert.ok(ada && alan && beat)
      const logins =
        'login' in options ? authFile(folder(`auth ${name}`), { [registry.host]: options.login }) : {}
      const reached = (one: typeof ada, ...args: readonly string[]) => {
        process.env['RUNLOOP_HOME'] = one.home
        return run(['channel', ...args, '--json'], undefined, {
          cwd: one.cwd,
          env: { RUNLOOP_HOME: one.home, ...logins },
        })
      }
      const good = async (one: typeof ada, ...args: readonly string[]) => {
        const { exit, stdout } = await reached(one, ...args)
        assert.equal(exit, 0, stdout)
        return JSON.parse(stdout).result
      }
      try {
        await ada.good(...INIT)
        await ada.good('release', 'house', 'policy.toml')
        await ada.good('sign', 'house', '--key', 'ada', '--yes')
        assert.equal((await good(ada, 'push', 'house', at)).isNewForHosts, false)
        assert.deepEqual([...registry.tags.keys()], ['draft'])
        await good(alan, 'pull', at, 'house')
        await alan.good('sign', 'house', '--key', 'alan', '--yes')
        const waits = await good(alan, 'push', 'house', at)
        assert.deepEqual([waits.isNewForHosts, waits.waiting], [false, ['root 1', 'release 1']])
        assert.equal(waits.next[0].verb, 'heartbeat')
        assert.deepEqual(
          [...registry.tags.keys()],
          ['draft'],
          'a host finds nothing before there is a heartbeat',
        )
        await good(beat, 'pull', at, 'house')
        await beat.good('heartbeat', 'house', '--key', 'beat')
        assert.equal((await good(beat, 'push', 'house', at)).isNewForHosts, true)
        assert.deepEqual([...registry.tags.keys()].sort(), ['channel', 'draft', 'heartbeat'])
        const puts = registry.asked.filter(({ method, url }) => method === 'PUT' && /manifests/.test(url))
        assert.deepEqual(
          puts.slice(-3).map(({ url }) => url.split('/').at(-1)),
          ['heartbeat', 'channel', 'draft'],
        )
        assert.deepEqual((await good(beat, 'status', at)).draft.root, null)
        // Both draft at once: neither takes the other's away.
        await good(ada, 'pull', at, 'house')
        await ada.good('release', 'house', 'more.toml')
        await alan.good('release', 'house', 'policy.toml', '--expires', '7d')
        await good(ada, 'push', 'house', at)
        const parted = await reached(alan, 'push', 'house', at)
        assert.equal(parted.exit, 2)
        assert.match(parted.stdout, /there is another draft of release 2, blake3:/)
        const forced = await good(alan, 'push', 'house', at, '--force')
        assert.deepEqual(forced.dropped, ['release 2'])
      } finally {
        await registry.stop()
      }
    })

  test('sign one draft at the same time: the signatures are joined where they meet', async () => {
    const here = world('joined')
    await here.complete()
    await here.good('push', 'house', 'oci-layout:published')
    await here.good('release', 'house', 'more.toml')
    cpSync(join(here.cwd, 'house'), join(here.cwd, 'other'), { recursive: true })
    await here.good('sign', 'house', '--key', 'ada', '--yes')
    await here.good('sign', 'other', '--key', 'grace', '--yes')
    await here.good('push', 'house', 'oci-layout:published')
    const pushed = await here.good('push', 'other', 'oci-layout:published')
    assert.deepEqual(pushed.waiting, ['release 2'], 'complete there, and no heartbeat names it')
    assert.deepEqual(pushed.draft.release.signed.sort(), [PEOPLE.ada.anchor, PEOPLE.grace.anchor].sort())
    const pulled = await here.good('pull', 'oci-layout:published', 'house')
    assert.deepEqual([pulled.release.version, pulled.draft.release], [2, null])
  })
})

describe('channel sign', () => {
  test('shows what it signs before it asks, and no is what Enter says', async () => {
    const here = world('asks')
    await here.complete()
    await here.good('release', 'house', 'more.toml')
    const before = snapshot(join(here.cwd, 'house'))
    const ask = (typed: string) =>
      run(['channel', 'sign', 'house', '--key', 'ada'], undefined, {
        cwd: here.cwd,
        env: { TERM: 'dumb', RUNLOOP_HOME: here.home },
        stdin: () => typedAfterwards(typed),
        isTTY: { stdin: true, stdout: true, stderr: true },
        columns: 200,
      })
    for (const typed of ['\n', 'no\n', 'y\n', 'nah\n', '']) {
      const { exit, stdout: log } = await ask(typed)
      assert.equal(exit, 130)
      assert.match(log, /Sign this\? \[yes\/N\] /)
      assert.match(log, /^Channel house: release 2 \(blake3:[0-9a-f]{64}\)$/m)
      assert.match(log, /trust-policy\.toml \d+ bytes blake3:[0-9a-f]{64} changed/)
      assert.match(log, /no longer trusted:\n {2}- revoked: ed25519:/)
      assert.match(log, /lacking then:\n {2}release 2 lacks 1 signature of the keys of root 1:/)
      assert.deepEqual(snapshot(join(here.cwd, 'house')), before)
    }
    assert.equal((await ask('yes\n')).exit, 0)
    const { draft } = await here.good('status', 'house')
    assert.deepEqual(draft.release.signed, [PEOPLE.ada.anchor])
  })

  test('without a terminal it shows, and needs --yes', async () => {
    const here = world('no-terminal')
    await here.complete()
    await here.good('release', 'house', 'more.toml')
    const { exit, stderr } = await here.say('sign', 'house', '--key', 'ada')
    assert.equal(exit, 2)
    assert.match(stderr, /- revoked: ed25519:[\s\S]*Cannot sign "house": no person can be asked/)
    assert.equal((await here.bad('sign', 'house', '--key', 'ada')).is, 'NEEDS_ANSWER 2')
    const shown = await here.say('sign', 'house', '--key', 'ada', '--yes')
    assert.match(shown.stderr, /^Channel house: release 2 \(blake3:/)
    assert.match(shown.stdout, /^✓ house: release 2 \(blake3:[0-9a-f]{64}\) signed by ed25519:/)
  })

  test('refuses a second signature of one key, a key that may not, and what is not there', async () => {
    const here = world('refuses')
    await here.complete()
    assert.match((await here.bad('sign', 'house', '--key', 'ada', '--yes')).says, /nothing is drafted there/)
    await here.good('release', 'house', 'more.toml')
    await here.good('sign', 'house', '--key', 'ada', '--yes')
    const twice = await here.bad('sign', 'house', '--key', 'ada', '--yes')
    assert.deepEqual([twice.is, /it has signed already/.test(twice.says)], ['EXISTS 2', true])
    const beats = await here.bad('sign', 'house', '--key', 'beat', '--yes')
    assert.deepEqual([beats.is, /key of heartbeats/.test(beats.says)], ['USAGE 2', true])
    const other = await here.bad('sign', 'house', '--key', 'stranger', '--yes')
    assert.ok(other.says.includes(STRANGER.anchor))
    assert.equal((await here.bad('sign', 'nowhere', '--key', 'ada', '--yes')).is, 'NOT_FOUND 2')
    assert.match(
      (await here.bad('sign', 'oci://x.example/y', '--key', 'ada', '--yes')).says,
      /a folder is needed/,
    )
    assert.ok(!existsSync(join(here.cwd, 'nowhere')))
  })

  test('what a carrier has changed is not signed', async () => {
    const here = world('changed')
    await here.complete()
    await here.good('release', 'house', 'more.toml')
    cpSync(join(here.cwd, 'house'), join(here.cwd, 'sound'), { recursive: true })
    swapFile(join(here.cwd, 'house'), MORE_POLICY, MORE_POLICY.replace('laptop lost', 'laptop gone'))
    const refused = await here.bad('sign', 'house', '--key', 'ada', '--yes')
    assert.equal(refused.is, 'NOT_VERIFIED 1')
    assert.match(refused.says, /trust-policy\.toml has other bytes than release 2 names/)
    assert.match((await here.bad('push', 'house', 'oci-layout:published')).says, /has other bytes/)
    assert.ok(!existsSync(join(here.cwd, 'published', 'index.json')))
    assert.match((await here.bad('pull', 'oci-layout:house', 'mine')).says, /has other bytes/)
    await here.good('sign', 'sound', '--key', 'ada', '--yes')
  })
})

/** Another file under the title of one, as who carries a folder can do. */
function swapFile(layout: string, old: string, text: string): void {
  const blobs = join(layout, 'blobs/sha256')
  const hash = (text: string) => createHash('sha256').update(text).digest('hex')
  const index = readFileSync(join(layout, 'index.json'), 'utf8')
  let changed = index
  for (const name of readdirSync(blobs)) {
    const body = readFileSync(join(blobs, name), 'utf8')
    if (!body.includes('trust-channel.draft') || !body.includes(hash(old))) continue
    const other = body
      .replace(hash(old), hash(text))
      .replace(`"size":${Buffer.byteLength(old)}`, `"size":${Buffer.byteLength(text)}`)
    writeFileSync(join(blobs, hash(other)), other)
    writeFileSync(join(blobs, hash(text)), text)
    changed = changed
      .replace(
        new RegExp(`sha256:${name}("[^}]*?"size":)${Buffer.byteLength(body)}`),
        `sha256:${hash(other)}$1${Buffer.byteLength(other)}`,
      )
      .replace(
        new RegExp(`("size":)${Buffer.byteLength(body)}([^}]*?sha256:)${name}`),
        `$1${Buffer.byteLength(other)}$2${hash(other)}`,
      )
  }
  assert.notEqual(changed, index)
  writeFileSync(join(layout, 'index.json'), changed)
}
