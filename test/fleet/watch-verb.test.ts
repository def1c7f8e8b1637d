// watchBundles of the library: what it takes and refuses, and what each file has to be.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { lockAdd, type WatchBundlesOptions, type WatchEvent, watchBundles } from '../../src/index.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, STRANGER, type World, world } from '../support/install-world.ts'

const folder = temporary('watch-verb')
const NEVER_MS = 2 ** 31 - 1

/** A folder of bundles by the names of their files, and what was told of each. */
async function watched(
  t: TestContext,
  name: string,
  files: Readonly<Record<string, Uint8Array>>,
  more: WatchBundlesOptions = {},
  before: (here: World) => Promise<unknown> = async () => {},
) {
  const here = world(folder(name))
  mkdirSync(join(here.cwd, 'bundles'))
  for (const [file, bytes] of Object.entries(files)) writeFileSync(join(here.cwd, 'bundles', file), bytes)
  await before(here)
  const events: WatchEvent[] = []
  const { cwd, home } = here
  const onEvent = (event: WatchEvent) => void events.push(event)
  const watch = await watchBundles('bundles', { cwd, home, onEvent, judgeEveryMs: NEVER_MS, ...more })
  t.after(() => watch.close())
  const told = Object.fromEntries(
    events.map(event => [
      event.file,
      event.is === 'refused' ? `${event.error.code}: ${event.error.message}` : event.is,
    ]),
  )
  return { here, watch, events, told, files: [...watch.bundles().keys()].sort() }
}

const ALPHA = made({ name: 'alpha' }, RELEASE)

describe('what a file has to be', () => {
  test('is said by its name, with a version or without', async t => {
    const { files, told } = await watched(t, 'named', {
      'alpha.agent.bundle': ALPHA,
      'alpha-1.0.0.agent.bundle': ALPHA,
      'alpha-1.0.1.agent.bundle': ALPHA,
      'beta.agent.bundle': ALPHA,
      'alpha@pro.agent.bundle': ALPHA,
      'beta@pro.agent.bundle': made({ name: 'beta', variant: 'pro' }, RELEASE),
    })
    assert.deepEqual(files, ['alpha-1.0.0.agent.bundle', 'alpha.agent.bundle', 'beta@pro.agent.bundle'])
    for (const file of ['alpha-1.0.1', 'beta', 'alpha@pro'])
      assert.match(told[`${file}.agent.bundle`] ?? '', /^NOT_VERIFIED: .*Expected /)
  })

  test('or by the caller, file by file, before its name', async t => {
    const { files, told } = await watched(
      t,
      'asked',
      { 'Upload.agent.bundle': ALPHA, 'alpha.agent.bundle': ALPHA, 'beta.agent.bundle': ALPHA },
      {
        expect: file =>
          file.endsWith('alpha.agent.bundle') ? 'alpha@^2' : file.includes('Upload') ? 'any' : undefined,
      },
    )
    assert.deepEqual(files, ['Upload.agent.bundle'])
    assert.deepEqual(Object.keys(told).length, 3)
  })
})

describe('what may be used', () => {
  test('is what is trusted; unsigned bundles only where the caller accepts them', async t => {
    const files = {
      'alpha.agent.bundle': made({ name: 'alpha' }),
      'beta.agent.bundle': made({ name: 'beta' }, STRANGER),
      'gamma.agent.bundle': made({ name: 'gamma' }, RELEASE),
    }
    assert.deepEqual((await watched(t, 'trusted', files)).files, ['gamma.agent.bundle'])
    const accepting = await watched(t, 'unsigned', files, { allowUnsigned: true })
    assert.deepEqual(accepting.files, ['alpha.agent.bundle', 'gamma.agent.bundle'])
  })

  test('is what the lock pins, where one is named', async t => {
    const files = { 'alpha.agent.bundle': ALPHA, 'gamma.agent.bundle': made({ name: 'gamma' }, RELEASE) }
    const { files: found, told } = await watched(t, 'locked', files, { lock: 'rlp.lock' }, ({ cwd, home }) =>
      lockAdd(['bundles/alpha.agent.bundle'], { cwd, home }),
    )
    assert.deepEqual(found, ['alpha.agent.bundle'])
    assert.match(told['gamma.agent.bundle'] ?? '', /^NOT_VERIFIED: /)
  })

  test('is judged again by the policies of that time, from the bytes that were read', async t => {
    const { here, watch, events } = await watched(
      t,
      'again',
      { 'alpha.agent.bundle': ALPHA },
      { judgeEveryMs: 100 },
    )
    const ended = new Promise<void>(resolve => {
      const look = setInterval(() => {
        if (!events.some(({ is }) => is === 'ended')) return
        clearInterval(look)
        resolve()
      }, 5)
    })
    here.policy(`[revoked]\n"${RELEASE.anchor}" = { reason = "lost" }\n`)
    await ended
    assert.equal(watch.bundles().size, 0)
  })
})

describe('what cannot be watched', () => {
  test('a folder that is not there, or a file', async () => {
    const { cwd, home } = world(folder('missing'))
    writeFileSync(join(cwd, 'file'), '')
    for (const name of ['none', 'file'])
      await assert.rejects(watchBundles(name, { cwd, home }), {
        code: 'NOT_FOUND',
        message: `Cannot watch "${join(cwd, name)}": there is no such folder`,
      })
  })

  test('so often that nothing else is done, or more rarely than a timer can', async t => {
    for (const judgeEveryMs of [99, 0, -1, 2 ** 31, Number.NaN])
      await assert.rejects(watched(t, 'often', {}, { judgeEveryMs }), {
        code: 'USAGE',
        field: 'judgeEveryMs',
      })
    for (const judgeEveryMs of [100, 2 ** 31 - 1]) await watched(t, 'bound', {}, { judgeEveryMs })
  })

  test('an empty folder is no error, and without onEvent nothing is told', async t => {
    const { cwd, home } = world(folder('empty'))
    mkdirSync(join(cwd, 'bundles'))
    const watch = await watchBundles('bundles', { cwd, home })
    t.after(() => watch.close())
    assert.equal(watch.bundles().size, 0)
  })
})
