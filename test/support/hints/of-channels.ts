// Hints of those who publish a trust channel, and of those who follow one.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { drafted, nextRelease, nextRoot } from '../../../src/channel/next-statements.ts'
import { userPlaces } from '../../../src/io/channel-places.ts'
import type { Release } from '../../../src/model/channel.ts'
import { secondAfter } from '../../../src/text/time.ts'
import { bundleOf } from '../agent.ts'
import {
  channelWith,
  DAY,
  filesOf,
  INIT,
  MORE_POLICY,
  NO_CHANGE,
  NOTHING,
  PEOPLE,
  pinOf,
  publish,
  publishing,
  rootOne,
  signedBy,
  takenFrom,
  withHeartbeat,
  withRelease,
  withRoot,
  writeFollowed,
} from '../channel-world.ts'
import { ASKING, POLICY, signed } from '../trust-world.ts'
import { doesItInstead, follow, hintNaming, leadsOn, placeIn, shows } from './led.ts'

type Folder = (part: string) => string
type Contents = ReturnType<typeof channelWith>

const NOW = new Date()
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000)
const CHANNEL = (...words: string[]) => ['channel', ...words]

function withDraft(contents: Contents, expires = secondAfter(NOW, 20 * DAY), policy = POLICY): Contents {
  const files = filesOf(policy)
  const release = drafted(nextRelease(contents, files, expires), 'test')
  return { ...contents, draft: { root: undefined, release, files } }
}

/** Folders of a channel beside the keys of its people. */
async function house(cwd: string, folders: Readonly<Record<string, Contents>> = {}) {
  const { good, complete, home } = publishing(cwd)
  for (const [name, contents] of Object.entries(folders))
    await publish(contents, `oci-layout:${join(cwd, name)}`)
  const sign = async (...names: string[]) => {
    for (const name of names) await good('sign', 'house', '--key', name, '--yes')
  }
  return { cwd, home, good, complete, sign, ...placeIn(cwd, home) }
}

export function hintsOfChannels(folder: Folder): void {
  describe('rlp channel', () => {
    test('push: a newer release is there', async () => {
      const first = channelWith(POLICY, ago(5))
      const newer = withHeartbeat(withRelease(first, POLICY, ago(5)), ago(4))
      const here = await house(folder('push'), { house: first, published: newer })
      const words = ['oci-layout:published', 'house']
      await leadsOn(here, CHANNEL('push', 'house', 'oci-layout:published'), 'channel pull', { words })
    })

    test('push: no heartbeat names what is complete', async () => {
      const here = await house(folder('no-heartbeat'))
      await here.complete()
      await here.good('push', 'house', 'oci-layout:published')
      for (const _ of [2, 3]) {
        await here.good('rotate', 'house')
        await here.sign('ada', 'alan')
      }
      const fill = { FOLDER: 'house', KEY: 'beat' }
      await leadsOn(here, CHANNEL('push', 'house', 'oci-layout:published'), 'channel heartbeat', { fill })
    })

    test('push: hosts have seen a newer heartbeat', async () => {
      const seen = channelWith(POLICY, ago(60))
      const here = await house(folder('older-heartbeat'), {
        published: withHeartbeat(seen, ago(10)),
        house: withHeartbeat(withRelease(seen, POLICY, ago(60)), ago(20)),
      })
      const fill = { FOLDER: 'house', KEY: 'beat' }
      await leadsOn(here, CHANNEL('push', 'house', 'oci-layout:published'), 'channel heartbeat', { fill })
    })

    test('push: the heartbeat ended', async () => {
      const here = await house(folder('ended'), { house: channelWith(POLICY, ago(2 * DAY)) })
      const push = CHANNEL('push', 'house', 'oci-layout:published')
      await shows(here, push, 'channel status', /heartbeat .*ended at/, { words: ['house'] })
      const hint = await hintNaming(here, push, 'channel release')
      await follow(here, hint, 'channel release', { words: ['house', 'policy.toml'] })
      await follow(here, hint, 'channel rotate', { words: ['house'] })
      // A heartbeat after a silence has to name the newest release, as its own hint says.
      const fill = { FOLDER: 'house', KEY: 'beat' }
      const beat = () => here.good('heartbeat', 'house', '--key', 'beat', '--after-end', '1').then(() => {})
      await leadsOn(here, push, 'channel heartbeat', { fill, exit: 2, afterwards: beat })
    })

    test('push: a release lasts too long', async () => {
      const long = withRelease(channelWith(POLICY, ago(5)), POLICY, NOW, undefined, 91)
      const here = await house(folder('long'), { house: withHeartbeat(long, ago(4)) })
      const afterwards = async () => {
        await here.sign('ada', 'alan')
        await here.good('heartbeat', 'house', '--key', 'beat')
      }
      const push = CHANNEL('push', 'house', 'oci-layout:published')
      await leadsOn(here, push, 'channel release', { words: ['house', 'policy.toml'], afterwards })
    })

    test('push: another draft is there', async () => {
      const first = channelWith(POLICY, ago(5))
      const here = await house(folder('drafts'), {
        house: withDraft(first),
        published: withDraft(first, undefined, MORE_POLICY),
      })
      const push = CHANNEL('push', 'house', 'oci-layout:published')
      for (const place of ['house', 'oci-layout:published'])
        await shows(here, push, 'channel status', /release 2 blake3/, { words: [place] })
      await here.good('push', 'house', 'oci-layout:published', '--force')
    })

    test('sign: nothing is drafted', async () => {
      const here = await house(folder('sign-nothing'))
      await here.complete()
      const sign = CHANNEL('sign', 'house', '--key', 'ada', '--yes')
      await leadsOn(here, sign, 'channel release', { words: ['house', 'more.toml'] })
      const other = await house(folder('sign-no-root'))
      await other.complete()
      await leadsOn(other, sign, 'channel rotate', { words: ['house'] })
    })

    test('sign: whose key does not count, or has signed', async () => {
      const here = await house(folder('sign-key'))
      await here.complete()
      await here.good('release', 'house', 'more.toml')
      const sign = (key: string) => CHANNEL('sign', 'house', '--key', key, '--yes')
      await doesItInstead(here, sign('beat'), 'channel heartbeat', { fill: { FOLDER: 'house', KEY: 'beat' } })
      await shows(here, sign('stranger'), 'channel status', /lacks? .*signature/, { words: ['house'] })
      await here.sign('ada')
      await shows(here, sign('ada'), 'channel status', /signed by .*lacks? 1 /, { words: ['house'] })
    })

    test('sign and heartbeat: what is drafted or complete ended', async () => {
      const old = channelWith(POLICY, ago(40 * DAY))
      const beating = withHeartbeat(channelWith(POLICY, ago(5)), ago(4))
      const [newest] = beating.roots
      if (newest === undefined) throw new Error('there is a root')
      const root = drafted(nextRoot(newest, { ...NO_CHANGE, expires: secondAfter(NOW, -DAY) }), 'test')
      const sign = CHANNEL('sign', 'house', '--key', 'ada', '--yes')
      const drafts = await house(folder('draft-release'), {
        house: withDraft(beating, secondAfter(NOW, -DAY)),
      })
      await leadsOn(drafts, sign, 'channel release', { words: ['house', 'policy.toml'] })
      const roots = await house(folder('draft-root'), {
        house: { ...beating, draft: { root, release: undefined, files: new Map() } },
      })
      await leadsOn(roots, sign, 'channel rotate', { words: ['house'] })

      const beat = CHANNEL('heartbeat', 'house', '--key', 'beat', '--after-end', '2')
      const released = await house(folder('ended-release'), { house: old })
      const signRelease = async () => {
        for (const key of ['ada', 'alan'])
          await released.good('sign', 'house', '--key', key, '--yes', '--after-end', '1')
      }
      const words = ['house', 'policy.toml']
      await leadsOn(released, beat, 'channel release', { words, afterwards: signRelease })
      const over = { ...NOTHING, roots: [rootOne(ago(5), { expires: secondAfter(NOW, -2) })] }
      const here = await house(folder('ended-root'), {
        house: withHeartbeat(withRelease(over, POLICY, ago(5)), ago(4)),
      })
      const afterwards = () => here.sign('ada', 'alan')
      await leadsOn(here, beat.with(-1, '1'), 'channel rotate', { words: ['house'], afterwards })
    })

    test('heartbeat: a key that makes none, and nothing to speak for', async () => {
      const here = await house(folder('beat'))
      await here.good(...INIT)
      const beat = (key: string) => CHANNEL('heartbeat', 'house', '--key', key)
      await shows(here, beat('beat'), 'channel status', /lacks? 2 |draft/, { words: ['house'] })
      const other = await hintNaming(here, CHANNEL('rotate', 'house'), 'channel init')
      await follow(here, other, 'channel init', { words: ['new', ...INIT.slice(2)] })
      await leadsOn(here, CHANNEL('rotate', 'house'), 'channel sign', {
        fill: { FOLDER: 'house', KEY: 'ada' },
        words: ['--yes'],
        afterwards: () => here.sign('alan'),
      })
      const complete = await house(folder('beat-key'))
      await complete.complete()
      await shows(complete, beat('ada'), 'channel status', /heartbeats of at most 1d by ed25519:/, {
        words: ['house'],
      })
    })

    test('what this user has seen is newer, or may be', async () => {
      const first = channelWith(POLICY, ago(5 * 3600))
      const second = withHeartbeat(withRelease(first, MORE_POLICY, ago(3600)), ago(3600))
      const here = await house(folder('seen'), { old: withDraft(first), new: withDraft(second) })
      await here.good('pull', 'oci-layout:new', 'mine')
      await here.good('pull', 'oci-layout:old', 'other')
      const beat = CHANNEL('heartbeat', 'other', '--key', 'beat')
      await leadsOn(here, beat, 'channel pull', { words: ['oci-layout:new', 'other'] })
      const silent = channelWith(POLICY, ago(2 * DAY))
      const later = await house(folder('silent'), { house: silent, new: withHeartbeat(silent, ago(10)) })
      await leadsOn(later, CHANNEL('heartbeat', 'house', '--key', 'beat'), 'channel pull', {
        words: ['oci-layout:new', 'house'],
      })
    })

    test('rotate and release: a key that is not there, and the last number', async () => {
      const begun = channelWith(POLICY, ago(5))
      const last = { ...begun.release?.statement, version: Number.MAX_SAFE_INTEGER } as Release
      const release = signedBy(drafted(last, 'test'), PEOPLE.ada, PEOPLE.grace)
      const here = await house(folder('rotate'), { house: withHeartbeat({ ...begun, release }, ago(4)) })
      const none = CHANNEL('rotate', 'house', '--remove-key', 'stranger')
      await shows(here, none, 'channel status', /keys?/, { words: ['house'] })
      await leadsOn(here, CHANNEL('release', 'house', 'more.toml'), 'channel rotate', {
        fill: { FOLDER: 'house' },
      })
    })

    test('a person who speaks no longer is still in the policy', async () => {
      const policy = `[anchors]\nalan = "${PEOPLE.alan.anchor}"\n`
      const here = await house(folder('people'), { house: channelWith(policy, ago(5)) })
      await here.good('rotate', 'house', '--remove-key', 'alan', '--add-key', 'linus')
      await leadsOn(here, CHANNEL('status', 'house'), 'channel release', {
        first: () => writeFileSync(join(here.cwd, 'next.toml'), '[anchors]\n'),
        words: ['house', 'next.toml'],
      })
    })

    test('init, where one is', async () => {
      const here = await house(folder('init'))
      await here.complete()
      await doesItInstead(here, CHANNEL(...INIT), 'channel rotate', { words: ['house'] })
    })

    test('no channel in a folder, and a reference for one', async () => {
      const here = await house(folder('nothing'))
      await here.complete()
      const begins = await hintNaming(here, CHANNEL('status', 'mine'), 'channel init')
      await follow(here, begins, 'channel init', { words: ['new', ...INIT.slice(2)] })
      await leadsOn(here, CHANNEL('status', 'mine'), 'channel pull', { words: ['oci-layout:house', 'mine'] })
      const release = (at: string) => CHANNEL('release', at, 'more.toml')
      await doesItInstead(here, release('oci-layout:house'), 'channel pull', { fill: { FOLDER: 'copy' } })
      await here.good(...release('copy').slice(1))
    })

    test('a draft that does not follow what is complete', async () => {
      const sound = withDraft(channelWith(POLICY, ago(5)))
      const { release } = sound.draft
      const house7 = release && drafted({ ...release.statement, version: 7 }, 'test')
      const here = await house(folder('unsound'), {
        house: { ...sound, draft: { ...sound.draft, release: house7 } },
      })
      const sign = CHANNEL('sign', 'house', '--key', 'ada', '--yes')
      const hint = await hintNaming(here, sign, 'channel push')
      await leadsOn(here, sign, 'channel release', { words: ['house', 'policy.toml'] })
      await follow(here, hint, 'channel push', { words: ['house', 'oci-layout:published'] })
    })

    test('what is due, as status says it', async () => {
      const fill = { FOLDER: 'house', KEY: 'ada' }
      const here = await house(folder('due'))
      await here.good(...INIT)
      const status = CHANNEL('status', 'house')
      const afterwards = () => here.sign('alan')
      await leadsOn(here, status, 'channel sign', { fill, words: ['--yes'], afterwards })
      await leadsOn(here, status, 'channel release', { fill: { FOLDER: 'house', POLICY: 'policy.toml' } })
      await here.sign('ada', 'alan')
      await leadsOn(here, status, 'channel heartbeat', { fill: { FOLDER: 'house', KEY: 'beat' } })
      const old = await house(folder('due-root'), { house: channelWith(POLICY, ago(340 * DAY)) })
      await leadsOn(old, status, 'channel rotate', { fill: { FOLDER: 'house' } })
    })
  })

  describe('rlp trust follow, update, unfollow, status', () => {
    const follower = async (name: string, contents: Contents) => {
      const here = await house(folder(name), { house: contents })
      writeFileSync(join(here.cwd, 'b'), bundleOf(signed(ASKING, 'release')))
      const follow = ['trust', 'follow', 'oci-layout:house', '--root']
      return { ...here, contents, follow }
    }
    const VERIFY = ['agent', 'verify', 'b']

    test('nothing is followed', async () => {
      const here = await follower('follow-nothing', channelWith(POLICY))
      const fill = { CHANNEL: 'oci-layout:house', DIGEST: pinOf(here.contents) }
      await leadsOn(here, ['trust', 'update'], 'trust follow', { fill })
      const other = await follower('status-nothing', channelWith(POLICY))
      await leadsOn(other, ['trust', 'status'], 'trust follow', {
        fill: { ...fill, DIGEST: pinOf(other.contents) },
      })
    })

    test('another root, no digest and no such name', async () => {
      const here = await follower('follow-wrong', channelWith(POLICY))
      const none = await house(folder('follow-digest'))
      await none.complete()
      const noDigest = [...here.follow, 'latest']
      await shows(none, noDigest, 'channel status', /--root blake3:[0-9a-f]{64}/, { words: ['house'] })
      await here.rlp(...here.follow, `blake3:${'1'.repeat(64)}`)
      await leadsOn(here, [...here.follow, pinOf(here.contents)], 'trust unfollow', { words: ['--yes'] })
      await shows(here, ['trust', 'unfollow', 'other', '--yes'], 'trust status', /house/)
    })

    test('what is known of a channel is damaged, or is of another root', async () => {
      const here = await follower('follow-damaged', channelWith(POLICY))
      const again = () =>
        here.rlp(...here.follow, pinOf(here.contents)).then(({ exit }) => assert.equal(exit, 0))
      await again()
      const known = await takenFrom(here.contents, new Date())
      const list = join(here.home, 'channels.toml')
      const damage = () => {
        const before = readFileSync(list)
        writeFollowed(userPlaces(here.home), { ...known, files: new Map() })
        writeFileSync(list, before)
      }
      for (const [name, words] of [
        ['trust update', []],
        ['trust unfollow', ['house', '--yes']],
      ] as const) {
        damage()
        await leadsOn(here, VERIFY, name, { words, afterwards: name === 'trust update' ? () => {} : again })
      }
      const [file = ''] = readdirSync(join(here.home, 'channels'))
      writeFileSync(join(here.home, 'channels', file), 'x', { mode: 0o600 })
      await leadsOn(here, VERIFY, 'trust unfollow', { words: ['--yes'], afterwards: again })
    })

    test('rlp doctor: a release and a heartbeat that end soon, and a channel of one key', async () => {
      const begun = channelWith(POLICY, ago(28 * DAY))
      const fresh = (contents: Contents, seconds: number) => withHeartbeat(contents, ago(10), seconds)
      const here = await follower('doctor', fresh(begun, DAY))
      const at = `oci-layout:${join(here.cwd, 'house')}`
      assert.equal((await here.rlp(...here.follow, pinOf(here.contents))).exit, 0)
      const released = withRelease(begun, POLICY, NOW)
      const first = () => publish(withHeartbeat(released, ago(5)), at)
      await leadsOn(here, ['doctor'], 'trust update', { first, refusedStill: true })
      const late = await follower('doctor-late', withHeartbeat(released, ago(DAY - 600)))
      assert.equal((await late.rlp(...late.follow, pinOf(late.contents))).exit, 0)
      const beaten = () => publish(withHeartbeat(released, ago(5)), `oci-layout:${join(late.cwd, 'house')}`)
      await leadsOn(late, ['doctor'], 'trust update', { first: beaten, refusedStill: true })
      const one = withHeartbeat(
        withRoot(withRelease(channelWith(POLICY, ago(60)), POLICY, ago(60)), ago(50), { threshold: 1 }),
        ago(40),
      )
      const alone = await follower('doctor-one', one)
      assert.equal((await alone.rlp(...alone.follow, pinOf(one))).exit, 0)
      const afterwards = async () => {
        await alone.sign('ada', 'alan')
        await alone.good('heartbeat', 'house', '--key', 'beat')
        assert.equal((await alone.rlp('trust', 'update')).exit, 0)
      }
      await leadsOn(alone, ['doctor'], 'channel rotate', {
        fill: { FOLDER: 'house' },
        afterwards,
        refusedStill: true,
      })
    })

    test('until an update succeeds', async () => {
      const here = await follower('follow-late', channelWith(POLICY))
      const wrong = ['trust', 'follow', 'oci-layout:nowhere', '--root', pinOf(here.contents)]
      await doesItInstead(here, wrong, 'trust unfollow', { words: ['--yes'] })
    })

    test('verdicts that lack an update', async () => {
      const now = new Date()
      const here = await follower('update', channelWith(POLICY, ago(2 * DAY)))
      const pin = pinOf(here.contents)
      const list = `[channels.house]\nreference = "oci-layout:${join(here.cwd, 'house')}"\nroot = "${pin}"\n`
      writeFileSync(join(here.home, 'channels.toml'), list, { mode: 0o600 })
      mkdirSync(join(here.home, 'channels'), { mode: 0o700, recursive: true })
      // Its heartbeat ended two days ago: the update brings the root alone.
      await leadsOn(here, VERIFY, 'trust update', { exit: 3, refusedStill: true })
      await publish(withHeartbeat(here.contents, now), `oci-layout:${join(here.cwd, 'house')}`)
      await leadsOn(here, VERIFY, 'trust update')
    })
  })
}
