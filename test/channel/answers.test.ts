// What every command about channels answers with --json is what the function of the library answers from the same files.
import assert from 'node:assert/strict'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, test } from 'node:test'
import * as rlp from '../../src/index.ts'
import { INIT, publishing } from '../support/channel-world.ts'
import { temporary } from '../support/folder.ts'
import { sameAnswer } from '../support/same-answer.ts'

const folder = temporary('channel-answers')
const PLACE = 'oci-layout:published'
const yes = { maySign: () => true }
let here: ReturnType<typeof publishing>
let cwd = ''

beforeEach(() => {
  here = publishing(folder('world'))
  cwd = here.cwd
  process.env['RUNLOOP_HOME'] = here.home
})

/** Signs, makes a heartbeat and pushes, as two people and a timer do. */
async function publish(): Promise<void> {
  for (const key of ['ada', 'alan']) await rlp.channelSign('house', { cwd, key, ...yes })
  await rlp.channelHeartbeat('house', { cwd, key: 'beat' })
  await rlp.channelPush('house', PLACE, { cwd })
}

describe('those who publish', () => {
  test('get one answer, from the first draft to what hosts find', async () => {
    const begun = await sameAnswer(cwd, ['channel', ...INIT], () =>
      rlp.channelInit('house', {
        cwd,
        name: 'house',
        keys: ['ada', 'alan', 'grace'],
        threshold: 2,
        heartbeatKeys: ['beat'],
      }),
    )
    const drafted = await sameAnswer(cwd, ['channel', 'release', 'house', 'policy.toml'], () =>
      rlp.channelRelease('house', 'policy.toml', { cwd }),
    )
    assert.deepEqual([begun['changed'], drafted['changed'], drafted['warnings']], [true, true, []])
    const other = await sameAnswer(cwd, ['channel', 'release', 'house', 'more.toml'], () =>
      rlp.channelRelease('house', 'more.toml', { cwd }),
    )
    assert.deepEqual(other['warnings'], ['another draft of release 1 was there and is gone'])
    for (const [key, lacking] of [
      ['ada', 2],
      ['alan', 0],
    ] as const) {
      const signed = await sameAnswer(cwd, ['channel', 'sign', 'house', '--key', key, '--yes'], () =>
        rlp.channelSign('house', { cwd, key, ...yes }),
      )
      assert.deepEqual([signed['changed'], (signed['lacking'] as unknown[]).length], [true, lacking])
    }
    await sameAnswer(cwd, ['channel', 'push', 'house', PLACE], () => rlp.channelPush('house', PLACE, { cwd }))
    const beat = await sameAnswer(cwd, ['channel', 'heartbeat', 'house', '--key', 'beat'], () =>
      rlp.channelHeartbeat('house', { cwd, key: 'beat' }),
    )
    assert.equal(beat['changed'], true)
    const push = () =>
      sameAnswer(cwd, ['channel', 'push', 'house', PLACE], () => rlp.channelPush('house', PLACE, { cwd }))
    const [pushed, again] = [await push(), await push()]
    assert.deepEqual([pushed['changed'], pushed['isNewForHosts']], [true, true])
    assert.deepEqual([again['changed'], again['isNewForHosts']], [false, false])
    const rotated = await sameAnswer(cwd, ['channel', 'rotate', 'house', '--threshold', '1'], () =>
      rlp.channelRotate('house', { cwd, threshold: 1 }),
    )
    assert.equal(rotated['changed'], true)
    await sameAnswer(cwd, ['channel', 'status', 'house'], () => rlp.channelStatus('house', { cwd }))
  })

  test('get one answer about drafts that are gone, there and here', async () => {
    await rlp.channelInit('house', {
      cwd,
      name: 'house',
      keys: ['ada', 'alan'],
      threshold: 2,
      heartbeatKeys: ['beat'],
    })
    await rlp.channelRelease('house', 'policy.toml', { cwd })
    await publish()
    const pull = (folder: string, more: readonly string[] = []) =>
      sameAnswer(cwd, ['channel', 'pull', PLACE, folder, ...more], () =>
        rlp.channelPull(PLACE, folder, { cwd, force: more.length > 0 }),
      )
    const [first, second] = [await pull('theirs'), await pull('theirs')]
    assert.deepEqual([first['changed'], second['changed'], second['dropped']], [true, false, []])
    await rlp.channelRelease('house', 'more.toml', { cwd })
    await rlp.channelRelease('theirs', 'policy.toml', { cwd, expiresSeconds: 86_400 })
    cpSync(join(cwd, 'theirs'), join(cwd, 'kept'), { recursive: true })
    await rlp.channelPush('house', PLACE, { cwd })
    const pulled = await pull('theirs', ['--force'])
    assert.deepEqual(
      [pulled['dropped'], pulled['warnings']],
      [['release 2'], ['the draft of release 2 that was in theirs is gone']],
    )
    const pushed = await sameAnswer(cwd, ['channel', 'push', 'kept', PLACE, '--force'], () =>
      rlp.channelPush('kept', PLACE, { cwd, force: true }),
    )
    assert.deepEqual(
      [pushed['changed'], pushed['warnings']],
      [true, ['the draft of release 2 that was there is gone']],
    )
  })
})

describe('those who follow', () => {
  const update = (...more: readonly string[]) =>
    sameAnswer(cwd, ['trust', 'update', ...more], () =>
      rlp.trustUpdate({ cwd, dryRun: more.includes('--dry-run') }),
    )
  const status = () => sameAnswer(cwd, ['trust', 'status'], () => rlp.trustStatus({ cwd }))
  const channelOf = ({ channels }: Readonly<Record<string, unknown>>) =>
    (channels as readonly rlp.ChannelUpdated[])[0]

  test('get one answer, and changed is about roots and releases', async () => {
    await rlp.channelInit('house', {
      cwd,
      name: 'house',
      keys: ['ada', 'alan'],
      threshold: 2,
      heartbeatKeys: ['beat'],
    })
    await rlp.channelRelease('house', 'policy.toml', { cwd })
    await publish()
    const root = (await rlp.channelStatus('house', { cwd })).channel ?? ''
    const follow = () =>
      sameAnswer(cwd, ['trust', 'follow', PLACE, '--root', root], () => rlp.trustFollow(PLACE, { cwd, root }))
    const [first, second] = [await follow(), await follow()]
    assert.deepEqual([first['changed'], channelOf(first)?.changed], [true, true])
    assert.deepEqual([second['changed'], channelOf(second)?.isNew], [false, false])
    await rlp.channelHeartbeat('house', { cwd, key: 'beat' })
    await rlp.channelPush('house', PLACE, { cwd })
    const fresh = await update()
    assert.deepEqual(
      [fresh['changed'], channelOf(fresh)?.changed, channelOf(fresh)?.isNew],
      [false, false, true],
    )
    await rlp.channelRelease('house', 'more.toml', { cwd })
    await publish()
    const [dry, done, none] = [await update('--dry-run'), await update(), await update()]
    assert.deepEqual([dry['changed'], done['changed'], none['changed']], [true, true, false])
    await status()
    const gone = await sameAnswer(cwd, ['trust', 'unfollow', 'published', '--yes'], () =>
      rlp.trustUnfollow('published', { cwd, mayUnfollow: () => true }),
    )
    assert.equal(gone['changed'], true)
  })

  test('get one answer about what is refused, and what cannot be read', async () => {
    const root = `blake3:${'0'.repeat(64)}`
    const refused = await sameAnswer(cwd, ['trust', 'follow', PLACE, '--root', root], () =>
      rlp.trustFollow(PLACE, { cwd, root }),
    )
    assert.deepEqual(
      [refused['changed'], channelOf(refused)?.changed, channelOf(refused)?.refused],
      [true, false, { code: 'missing', message: `no channel is in oci-layout:${join(cwd, 'published')}` }],
    )
    await status()
    rmSync(join(cwd, 'published'), { recursive: true, force: true })
    writeFileSync(join(cwd, 'published'), 'no folder')
    const away = await update()
    assert.deepEqual([away['changed'], channelOf(away)?.channel], [false, null])
    const { code, message, hint } = channelOf(away)?.refused ?? {}
    assert.deepEqual([typeof code, typeof message, typeof hint], ['string', 'string', 'string'])
  })
})
