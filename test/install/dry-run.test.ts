// rlp agent install --dry-run: says what install would do, word for word and with its exit code, and leaves everything as it is.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { snapshot, temporary } from '../support/folder.ts'
import { made, RELEASE, STRANGER, type World, world } from '../support/install-world.ts'

const folder = temporary('dry-run')
const ONE = made({ version: '1.0.0' }, RELEASE)
const WIDER = made({ version: '1.1.0', caps: 'model = true' }, RELEASE)

function withBundles(name: string): World {
  const here = world(folder(name))
  here.policy()
  here.put('mini-1.0.0.agent.bundle', ONE)
  here.put('mini-1.1.0.agent.bundle', WIDER)
  here.put('mini-1.2.0.agent.bundle', made({ version: '1.2.0' }, STRANGER))
  return here
}

/** The answers of a dry run and of the run, of which the first changed nothing. */
async function both(here: World, ...words: string[]) {
  const before = snapshot(here.cwd)
  const dry = await here.rlp('agent', 'install', ...words, '--dry-run')
  assert.deepEqual(snapshot(here.cwd), before)
  return { dry, real: await here.rlp('agent', 'install', ...words) }
}

/** What an install answers, without the second in which it was recorded. */
function timeless(result: Readonly<Record<string, unknown>> | undefined) {
  return { ...result, install: { ...(result?.['install'] as object), at: '' } }
}

describe('a dry run', () => {
  test('of a first install asks nothing, and shows what the agent may do', async () => {
    const here = withBundles('first')
    const before = snapshot(here.cwd)
    const { exit, stdout } = await here.say('agent', 'install', 'mini-1.1.0.agent.bundle', '--dry-run')
    assert.equal(exit, 0)
    assert.match(
      stdout,
      /^✓ mini 1\.1\.0 would be installed in .*\n {2}trusted, signed by release\n {2}\+ .*model/,
    )
    assert.deepEqual(snapshot(here.cwd), before)
    const { dry, real } = await both(here, 'mini-1.0.0.agent.bundle', '--yes')
    assert.equal(dry.envelope.result?.['changed'], true)
    assert.deepEqual(timeless(dry.envelope.result), timeless(real.envelope.result))
  })

  test('of an upgrade refuses what install refuses, with its exit code', async () => {
    const here = withBundles('wider')
    await here.install('mini-1.0.0.agent.bundle', '--yes')
    for (const [words, exit] of [
      [['mini-1.1.0.agent.bundle'], 4],
      [['mini-1.2.0.agent.bundle'], 1],
      [['mini-1.0.0.agent.bundle'], 0],
      [['mini-1.1.0.agent.bundle', '--allow-caps-change'], 0],
      [['mini-1.0.0.agent.bundle', '--allow-unsigned'], 1],
      [['none.agent.bundle'], 2],
    ] as const) {
      const { dry, real } = await both(here, ...words)
      assert.deepEqual([dry.exit, real.exit], [exit, exit], JSON.stringify(dry.envelope))
      assert.equal(dry.envelope.code, real.envelope.code)
    }
  })

  test('of a stored bundle leaves no draft, and no root that was not there', async () => {
    const here = withBundles('stored')
    assert.equal((await here.rlp('agent', 'push', 'mini-1.0.0.agent.bundle', 'oci-layout:store')).exit, 0)
    const { dry } = await both(here, 'oci-layout:store:1.0.0', '--expect', 'mini', '--yes')
    assert.equal(dry.exit, 0)
    const elsewhere = join(here.cwd, 'elsewhere')
    await here.rlp(
      'agent',
      'install',
      'oci-layout:store:1.0.0',
      '--expect',
      'mini',
      '--dry-run',
      '--root',
      elsewhere,
    )
    assert.equal(existsSync(elsewhere), false)
  })

  test('of a lock says of each agent what would become of it', async () => {
    const here = withBundles('locked')
    await here.rlp('lock', 'add', 'mini-1.0.0.agent.bundle')
    const { dry, real } = await both(here, '--lock', 'rlp.lock')
    assert.deepEqual(dry.envelope.result?.['agents'], real.envelope.result?.['agents'])
    await here.rlp('agent', 'uninstall', 'mini', '--yes')
    await here.rlp('lock', 'update', 'mini-1.1.0.agent.bundle', '--allow-caps-change')
    const again = await both(here, '--lock', 'rlp.lock')
    assert.equal(again.dry.exit, 0)
  })

  test('writes no line of an audit log', async () => {
    const here = withBundles('audit')
    await here.rlp('agent', 'install', 'mini-1.0.0.agent.bundle', '--dry-run', '--audit', 'audit.jsonl')
    assert.equal(existsSync(join(here.cwd, 'audit.jsonl')), false)
  })
})
