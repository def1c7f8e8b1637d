// A registry shows an old state of a channel, so that people sign beside a revocation that they cannot see.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { ChannelContents } from '../../src/channel/contents.ts'
import { drafted, nextRelease } from '../../src/channel/next-statements.ts'
import { readChannelSeen, writeChannelSeen } from '../../src/channel-file/state.ts'
import { secondAfter } from '../../src/text/time.ts'
import {
  BEAT,
  channelWith,
  DAY,
  edited,
  filesOf,
  MORE_POLICY,
  PEOPLE,
  pinOf,
  publish,
  publishing,
  STRANGER,
  withHeartbeat,
  withRelease,
  withRoot,
} from '../support/channel-world.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import * as rlp from '../support/library.ts'
import type { TestSigner } from '../support/signed.ts'
import { POLICY } from '../support/trust-world.ts'

const folder = temporary('built-on')
const NOW = new Date()
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000)
const HOUR = 3600

/** A channel as a place shows it, with a draft of the next release, which changes nothing. */
function withDraft(contents: ChannelContents): ChannelContents {
  const policy = contents.files.get('trust-policy.toml') ?? new Uint8Array()
  const files = filesOf(Buffer.from(policy).toString('utf8'))
  const release = drafted(nextRelease(contents, files, secondAfter(NOW, 20 * DAY)), 'test')
  return { ...contents, draft: { root: undefined, release, files } }
}

const FIRST = channelWith(POLICY, ago(5 * HOUR))
const OLD = withDraft(FIRST)
/** With a revocation. */
const SECOND = withHeartbeat(withRelease(FIRST, MORE_POLICY, ago(HOUR)), ago(HOUR))
const NEW = withDraft(SECOND)

async function world(name: string) {
  const cwd = folder(name)
  const here = publishing(cwd)
  const places = { old: OLD, new: NEW }
  for (const [place, contents] of Object.entries(places))
    await publish(contents, `oci-layout:${join(cwd, place)}`)
  let number = 0
  /** Pulls what a place shows into a new folder. */
  const pulled = async (place: string) => {
    const to = `${place}-${++number}`
    await here.good('pull', `oci-layout:${place}`, to)
    return to
  }
  const trust = (...args: readonly string[]) => {
    process.env['RUNLOOP_HOME'] = here.home
    return run(['trust', ...args], undefined, { cwd, env: { RUNLOOP_HOME: here.home } })
  }
  return { ...here, pulled, trust }
}

const SIGN = (at: string) => ['sign', at, '--key', 'ada', '--yes']
const BEATS = (at: string) => ['heartbeat', at, '--key', 'beat']

describe('a signature that builds on less than this user has seen', () => {
  test('is refused after a pull, for people and for heartbeats, also with --yes and --after-end', async () => {
    const here = await world('pulled')
    // Positive control: what is the newest is signed, and so is the older state by a person who has seen no more.
    const fresh = await world('fresh')
    await fresh.good(...SIGN(await fresh.pulled('old')))
    await here.good(...SIGN(await here.pulled('new')))
    const old = await here.pulled('old')
    for (const words of [SIGN(old), BEATS(old), [...SIGN(old), '--after-end', '1']]) {
      const { is, says } = await here.bad(...words)
      assert.equal(is, 'NOT_VERIFIED 1')
      assert.match(says, /it builds on release 1, and this user has seen release 2 \| Run rlp channel pull/)
    }
    assert.deepEqual((await here.good('status', old)).draft.release.signed, [])
    await here.good(...BEATS(await here.pulled('new')))
  })

  test('is refused where this host follows the channel, and after it follows it no longer', async () => {
    const here = await world('followed')
    const old = await here.pulled('old')
    assert.equal((await here.trust('follow', 'oci-layout:new', '--root', pinOf(NEW))).exit, 0)
    const refused = /it builds on release 1, and this user has seen release 2/
    assert.match((await here.bad(...SIGN(old))).says, refused)
    assert.equal((await here.trust('unfollow', 'new', '--yes')).exit, 0)
    assert.match((await here.bad(...BEATS(old))).says, refused)
  })

  test('is refused for an older heartbeat, another root and other content of one number', async () => {
    const other = withHeartbeat(withRelease(FIRST, `${POLICY}# other\n`, ago(HOUR)), ago(HOUR))
    const rotated = withHeartbeat(withRoot(FIRST, ago(HOUR)), ago(HOUR))
    const otherRoot = withHeartbeat(
      withRoot(FIRST, ago(HOUR), { addHeartbeats: [STRANGER.anchor] }),
      ago(HOUR),
    )
    for (const [name, seen, shown, says] of [
      [
        'heartbeat',
        withHeartbeat(FIRST, ago(HOUR)),
        FIRST,
        /builds on a heartbeat of .*Z, and this user has seen a heartbeat of /,
      ],
      ['content', SECOND, other, /this user has seen release 2 with other content/],
      [
        'root',
        rotated,
        withHeartbeat(FIRST, ago(HOUR - 60)),
        /builds on root 1, and this user has seen root 2/,
      ],
      ['other root', rotated, otherRoot, /this user has seen root 2 with other content/],
      [
        'no heartbeat',
        FIRST,
        { ...FIRST, heartbeat: undefined },
        /no heartbeat is here, and this user has seen a heartbeat of/,
      ],
    ] as const) {
      const here = await world(name)
      await publish(withDraft(seen), `oci-layout:${join(here.cwd, 'seen')}`)
      await publish(withDraft(shown), `oci-layout:${join(here.cwd, 'shown')}`)
      await here.good(...SIGN(await here.pulled('seen')))
      assert.match((await here.bad(...SIGN(await here.pulled('shown')))).says, says, name)
    }
  })

  test('is possible under a higher epoch, which forgets the numbers before it', async () => {
    const here = await world('epoch')
    const root = withRoot(FIRST, ago(HOUR), { newEpoch: true })
    const anew = withHeartbeat(withRelease(root, POLICY, ago(HOUR)), ago(HOUR))
    assert.equal(anew.release?.statement.version, 1)
    await publish(withDraft(anew), `oci-layout:${join(here.cwd, 'anew')}`)
    await here.pulled('new')
    await here.good(...SIGN(await here.pulled('anew')))
    assert.match(
      (await here.bad(...SIGN(await here.pulled('new')))).says,
      /builds on root 1 of epoch 1, and .* seen root 2 of/,
    )
  })
})

describe('what is remembered', () => {
  test('is only what was proven: a forged heartbeat changes nothing', async () => {
    const here = await world('forged')
    const later = edited(
      FIRST.heartbeat as never,
      { issued: secondAfter(NOW, 300), expires: secondAfter(NOW, DAY) } as never,
      STRANGER,
    )
    await publish(
      withDraft({ ...FIRST, heartbeat: later as never }),
      `oci-layout:${join(here.cwd, 'forged')}`,
    )
    const forged = await here.pulled('forged')
    assert.match(
      (await here.bad(...SIGN(forged))).says,
      /the heartbeat is signed by 0 of the keys of heartbeats of root 1/,
    )
    await here.good(...SIGN(await here.pulled('old')))
  })

  test('cannot be lost by damage or by a file that others may write', async () => {
    const here = await world('damaged')
    const at = await here.pulled('new')
    const path = join(here.home, 'channels', `${FIRST.roots[0]?.digest}.seen`)
    const bytes = readFileSync(path)
    const seen = readChannelSeen(bytes)
    assert.deepEqual([seen?.root?.at, seen?.release?.at], [1, 2])
    assert.ok(seen !== undefined && Buffer.compare(writeChannelSeen(seen), bytes) === 0)
    for (const wrong of ['', '{}\n', '[]', bytes.toString().replace('"at":2', '"at":2.5'), `${bytes} `]) {
      assert.equal(readChannelSeen(Buffer.from(wrong)), undefined)
      writeFileSync(path, wrong)
      assert.equal((await here.bad(...SIGN(at))).is, 'NOT_EDITABLE 1')
    }
    writeFileSync(path, bytes)
    chmodSync(path, 0o666)
    assert.equal((await here.bad(...SIGN(at))).is, 'NO_PERMISSION 3')
    chmodSync(path, 0o600)
    await here.good(...SIGN(at))
  })

  test('is said, with release, heartbeat and their age, before anything is signed', async () => {
    const here = await world('said')
    await publish(OLD, `oci-layout:${join(here.cwd, 'copy')}`)
    const first = await here.say('heartbeat', 'copy', '--key', 'beat')
    assert.match(
      first.stderr,
      /^builds on release 1 {2}blake3:[0-9a-f]{64}\nnewest heartbeat of .*Z, 5h ago, for release 1\nyou have not seen this channel before: ask another person/,
    )
    const refused = await here.say('sign', await here.pulled('new'), '--key', 'ada')
    assert.match(
      refused.stderr,
      /builds on release 2 .*\n {2}newest heartbeat of .*Z, (?:60m|1h) ago, for release 2\n {2}you have seen nothing newer since .*Z, less than a minute ago\n/,
    )
    const { builtOn } = await here.good(...SIGN(await here.pulled('new')))
    assert.deepEqual([builtOn.release.version, builtOn.heartbeat.release], [2, 2])
    assert.ok(Date.parse(builtOn.seenSince) > NOW.getTime() - 60_000)
  })
})

describe('after the newest heartbeat has expired', () => {
  const keyOf = ({ anchor, sign }: TestSigner): rlp.Signer => ({
    key: { kind: 'ed25519', bytes: new Uint8Array(Buffer.from(anchor.replace('ed25519:', ''), 'base64')) },
    sign: async message => new Uint8Array(sign(message)),
  })
  /** A folder that was handed over, and a person and a machine that sign there at any moment. */
  async function handedOver(name: string, contents: ChannelContents) {
    const cwd = folder(name)
    const home = join(cwd, 'home')
    mkdirSync(home, { mode: 0o700 })
    await publish(contents, `oci-layout:${join(cwd, 'house')}`)
    let asked = 0
    const maySign = () => ++asked > 0
    const sign = (now: Date, afterEnd?: number) =>
      rlp.channelSign('house', {
        cwd,
        home,
        now,
        maySign,
        key: keyOf(PEOPLE.ada),
        ...(afterEnd !== undefined && { afterEnd }),
      })
    const beat = (now: Date, afterEnd?: number) =>
      rlp.channelHeartbeat('house', {
        cwd,
        home,
        now,
        key: keyOf(BEAT),
        ...(afterEnd !== undefined && { afterEnd }),
      })
    return { sign, beat, asked: () => asked }
  }
  const before = new Date(ago(HOUR).getTime() + (DAY - 60) * 1000)
  const after = new Date(ago(HOUR).getTime() + (DAY + 60) * 1000)

  test('a person is refused without the number of the newest release, and with another one', async () => {
    const control = await handedOver('control', NEW)
    assert.deepEqual((await control.sign(before)).draft.release?.signed, [PEOPLE.ada.anchor])
    const here = await handedOver('expired', NEW)
    await assert.rejects(here.sign(after), {
      code: 'NEEDS_ANSWER',
      message:
        /^Cannot sign "house": its newest heartbeat expired at .*Z, so a newer release may be missing here$/,
      hint: /ask another person .* `afterEnd`$/,
    })
    for (const wrong of [1, 3]) {
      const message = new RegExp(`: release ${wrong} is the newest, and release 2 is here$`)
      await assert.rejects(here.sign(after, wrong), { code: 'NOT_VERIFIED', message })
    }
    await assert.rejects(here.sign(after, 1.5), { code: 'USAGE' })
    assert.equal(here.asked(), 0, 'a yes to everything was not asked for')
    const { draft } = await here.sign(after, 2)
    assert.deepEqual(draft.release?.signed, [PEOPLE.ada.anchor])
    await assert.rejects((await handedOver('early', NEW)).sign(before, 1), { code: 'NOT_VERIFIED' })
  })

  test('a timer makes no heartbeat, and a person does with the number', async () => {
    const here = await handedOver('timer', SECOND)
    await here.beat(before)
    const expired = await handedOver('timer-expired', SECOND)
    await assert.rejects(expired.beat(after), { code: 'NEEDS_ANSWER' })
    await assert.rejects(expired.beat(after, 1), { code: 'NOT_VERIFIED' })
    const { heartbeat, builtOn } = await expired.beat(after, 2)
    assert.deepEqual([heartbeat?.release, builtOn.heartbeat?.release, builtOn.seenSince], [2, 2, null])
  })

  test('a carrier that leaves the heartbeat out gets no signature either, but the first heartbeat is made', async () => {
    const begun = await handedOver('begun', { ...FIRST, heartbeat: undefined })
    await begun.beat(after)
    const stripped = await handedOver('stripped', { ...NEW, heartbeat: undefined })
    const missing = { code: 'NEEDS_ANSWER', message: /: release 2 is here, and no heartbeat, so / }
    await assert.rejects(stripped.sign(before), missing)
    await assert.rejects(stripped.beat(before), missing)
    await stripped.sign(before, 2)
  })

  test('a heartbeat of a release that is not there shows that one is withheld', async () => {
    const shown = await handedOver('withheld', { ...OLD, heartbeat: SECOND.heartbeat })
    const message = /: the newest heartbeat names release 2, which is not here$/
    await assert.rejects(shown.sign(before), { code: 'NOT_VERIFIED', message })
    await assert.rejects(shown.beat(before, 1), { code: 'NOT_VERIFIED', message })
  })

  test('the options of the command say the same, and --yes is no answer to it', async () => {
    const here = await world('command')
    await publish(
      { ...NEW, heartbeat: withHeartbeat(SECOND, ago(1800), 60).heartbeat },
      `oci-layout:${join(here.cwd, 'late')}`,
    )
    const { is, says } = await here.bad(...SIGN('late'))
    assert.equal(is, 'NEEDS_ANSWER 2')
    assert.match(says, /repeat with that number as --after-end$/)
    assert.equal((await here.bad(...BEATS('late'))).is, 'NEEDS_ANSWER 2')
    assert.equal((await here.bad(...SIGN('late'), '--after-end', '1')).is, 'NOT_VERIFIED 1')
    await here.good(...SIGN('late'), '--after-end', '2')
    await here.good(...BEATS('late'), '--after-end', '2')
  })
})
