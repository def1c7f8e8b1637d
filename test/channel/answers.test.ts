// What those who publish a channel are told, and what those who follow it: with --json the same as by the library.
import assert from 'node:assert/strict'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, test } from 'node:test'
import { publishing } from '../support/channel-world.ts'
import { temporary } from '../support/folder.ts'
import * as rlp from '../support/library.ts'
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

const begin = (keys: readonly string[] = ['ada', 'alan']) =>
  rlp.channelInit('house', { cwd, name: 'house', keys, threshold: 2, heartbeatKeys: ['beat'] })

/** Signs, makes a heartbeat and pushes, as two people and a timer do. */
async function publish(): Promise<void> {
  for (const key of ['ada', 'alan']) await rlp.channelSign('house', { cwd, key, ...yes })
  await rlp.channelHeartbeat('house', { cwd, key: 'beat' })
  await rlp.channelPush('house', PLACE, { cwd })
}

describe('those who publish', () => {
  test('are told what changed, from the first draft to what hosts find', async () => {
    await begin(['ada', 'alan', 'grace'])
    const drafted = await rlp.channelRelease('house', 'policy.toml', { cwd })
    assert.deepEqual([drafted.changed, drafted.warnings], [true, []])
    const { warnings } = await rlp.channelRelease('house', 'more.toml', { cwd })
    assert.deepEqual(warnings, ['another draft of release 1 was there and is gone'])
    await publish()
    const { changed, isNewForHosts } = await rlp.channelPush('house', PLACE, { cwd })
    assert.deepEqual([changed, isNewForHosts], [false, false])
  })

  test('are told of drafts that are gone, there and here', async () => {
    await begin()
    await rlp.channelRelease('house', 'policy.toml', { cwd })
    await publish()
    const pull = (force = false) => rlp.channelPull(PLACE, 'theirs', { cwd, force })
    const [first, second] = [await pull(), await pull()]
    assert.deepEqual([first.changed, second.changed, second.dropped], [true, false, []])
    await rlp.channelRelease('house', 'more.toml', { cwd })
    await rlp.channelRelease('theirs', 'policy.toml', { cwd, expiresSeconds: 86_400 })
    cpSync(join(cwd, 'theirs'), join(cwd, 'kept'), { recursive: true })
    await rlp.channelPush('house', PLACE, { cwd })
    const pulled = await pull(true)
    assert.deepEqual(
      [pulled.dropped, pulled.warnings],
      [['release 2'], ['the draft of release 2 that was in theirs is gone']],
    )
    const pushed = await rlp.channelPush('kept', PLACE, { cwd, force: true })
    assert.deepEqual(
      [pushed.changed, pushed.warnings],
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
    await begin()
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
