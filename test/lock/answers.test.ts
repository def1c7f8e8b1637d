// `--json` of installs and locks answers what the functions of the library answer, in every shape that an answer has.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { serialize } from '../../src/contract/serialize.ts'
import {
  install,
  listInstalled,
  lockAdd,
  lockCheck,
  lockList,
  lockOutdated,
  lockRemove,
  lockUpdate,
  uninstall,
} from '../../src/index.ts'
import { temporary } from '../support/folder.ts'
import { good, made, RELEASE, type World, world } from '../support/install-world.ts'
import { portable } from '../support/kept-calls.ts'
import { keep } from '../support/put-back.ts'

const folder = temporary('answers')
const ONE = 'mini-1.0.0.agent.bundle'
const TWO = 'mini-1.1.0.agent.bundle'
const OTHER = 'other-1.0.0.agent.bundle'
const WIDER = 'net = ["api.example:443"]\n'

function withBundles(name: string): World {
  const here = world(folder(name))
  here.put(ONE, made({ version: '1.0.0' }, RELEASE))
  here.put(TWO, made({ version: '1.1.0', caps: WIDER }, RELEASE))
  here.put(OTHER, made({ name: 'other' }, RELEASE))
  return here
}

/** Where the library finds the same home and folder as the commands of a world. */
const placeOf = ({ cwd, home }: World) => ({ cwd, home }) as const

/**
 * Compares a command with a function, both from the same files, and leaves the files as the command does.
 * @returns the answer of both
 */
async function both(here: World, words: readonly string[], call: () => Promise<unknown>) {
  const kept = keep(here.cwd)
  const answer: unknown = JSON.parse(serialize(await call()))
  kept.putBack()
  const { envelope } = await here.rlp(...words)
  assert.deepEqual(portable(here.cwd, envelope.result), portable(here.cwd, answer), words.join(' '))
  return envelope.result ?? {}
}

describe('what install answers', () => {
  test('for the first time, again, for an upgrade, and as a dry run', async () => {
    const here = withBundles('install')
    const at = { ...placeOf(here), mayBegin: () => true }
    const words = (bundle: string, ...more: string[]) => ['agent', 'install', bundle, '--yes', ...more]
    const dry = await both(here, words(ONE, '--dry-run'), () => install(ONE, { ...at, dryRun: true }))
    const first = await both(here, words(ONE), () => install(ONE, at))
    const again = await both(here, words(ONE), () => install(ONE, at))
    assert.deepEqual([dry['changed'], first['changed'], again['changed']], [true, true, false])
    const wider = { ...at, allowCapsChange: true, unpack: false }
    const flags = ['--allow-caps-change', '--no-unpack']
    const upgrade = await both(here, words(TWO, ...flags), () => install(TWO, wider))
    assert.deepEqual(
      [upgrade['previous'], upgrade['widened'], upgrade['folder']],
      ['1.0.0', [{ kind: 'grant', message: 'may reach api.example:443' }], undefined],
    )
  })

  test('for what is listed, also if it is broken, and removed', async () => {
    const here = withBundles('list')
    const at = placeOf(here)
    const empty = await both(here, ['agent', 'list'], () => listInstalled(at))
    assert.deepEqual(empty['agents'], [])
    await good(here, 'agent', 'install', ONE, '--yes')
    await good(here, 'agent', 'install', here.put('pro', made({ variant: 'pro' }, RELEASE)), '--yes')
    here.put('home/agents/broken.agent.bundle', Buffer.from('broken'))
    const listed = await both(here, ['agent', 'list'], () => listInstalled(at))
    const rows = listed['agents'] as { agent: string; status: string }[]
    assert.deepEqual(
      rows.map(({ agent, status }) => `${agent} ${status}`),
      ['broken invalid', 'mini ok', 'mini@pro ok'],
    )
    await both(here, ['agent', 'uninstall', 'mini@pro', '--yes'], () => uninstall('mini@pro', at))
  })
})

describe('what a lock answers', () => {
  test('when agents are added, as a dry run, with a name, and again', async () => {
    const here = withBundles('add')
    const at = placeOf(here)
    const dry = await both(here, ['lock', 'add', ONE, '--dry-run'], () =>
      lockAdd([ONE], { ...at, dryRun: true }),
    )
    const named = await both(here, ['lock', 'add', ONE, OTHER, '--name', 'house'], () =>
      lockAdd([ONE, OTHER], { ...at, name: 'house' }),
    )
    const again = await both(here, ['lock', 'add', OTHER], () => lockAdd([OTHER], at))
    assert.deepEqual([dry['changed'], named['changed'], again['changed']], [true, true, false])
    assert.deepEqual([named['lock'], named['name']], ['rlp.lock', 'house'])
    const listed = await both(here, ['lock', 'list'], () => lockList({ cwd: at.cwd }))
    assert.deepEqual([listed['name'], listed['agents']], ['house', named['agents']])
    const removed = await both(here, ['lock', 'remove', 'other', 'mini'], () =>
      lockRemove(['other', 'mini'], { cwd: here.cwd }),
    )
    assert.deepEqual(removed, { agents: ['mini', 'other'], changed: true, lock: 'rlp.lock' })
  })

  test('in another file', async () => {
    const here = withBundles('file')
    const at = { ...placeOf(here), lock: 'house.lock' }
    const added = await both(here, ['lock', 'add', ONE, '--lock', 'house.lock'], () => lockAdd([ONE], at))
    assert.equal(added['lock'], 'house.lock')
    await both(here, ['lock', 'check', '--lock', 'house.lock'], () => lockCheck(at))
  })

  test('when agents are the same, changed and gone, and when they are updated', async () => {
    const here = withBundles('update')
    const at = placeOf(here)
    here.put('moving', made({ name: 'moving' }, RELEASE))
    await good(here, 'lock', 'add', ONE, OTHER)
    await good(here, 'lock', 'add', 'moving', '--expect', 'moving')
    here.put('moving', made({ name: 'moving', version: '1.1.0', caps: WIDER }, RELEASE))
    rmSync(join(here.cwd, OTHER))
    const checked = await both(here, ['lock', 'check'], () => lockCheck(at))
    assert.deepEqual(
      [checked['passed'], checked['summary']],
      [false, { agents: 3, same: 1, changed: 1, cannotTell: 1 }],
    )
    const wider = { ...at, agents: ['moving', 'mini'], allowCapsChange: true }
    const words = ['lock', 'update', 'moving', 'mini', '--allow-caps-change']
    const dry = await both(here, [...words, '--dry-run'], () => lockUpdate({ ...wider, dryRun: true }))
    const updated = await both(here, words, () => lockUpdate(wider))
    assert.deepEqual([updated, updated['changed'], updated['unchanged']], [dry, true, ['mini']])
    const again = await both(here, words, () => lockUpdate(wider))
    assert.equal(again['changed'], false)
    const taken = { ...at, bundles: [TWO], allowCapsChange: true }
    await both(here, ['lock', 'update', TWO, '--allow-caps-change'], () => lockUpdate(taken))
  })

  test('when a newer version is stored', async () => {
    const here = withBundles('outdated')
    const at = placeOf(here)
    await good(here, 'agent', 'push', ONE, 'oci-layout:store')
    await good(here, 'lock', 'add', 'oci-layout:store:1.0.0')
    const newest = await both(here, ['lock', 'outdated'], () => lockOutdated(at))
    await good(here, 'agent', 'push', TWO, 'oci-layout:store')
    const outdated = await both(here, ['lock', 'outdated'], () => lockOutdated(at))
    assert.deepEqual([newest['passed'], outdated['passed']], [true, false])
  })
})
