// A lock and a registry whose tags move: the digest is fetched, and the tag only asked for by check and update.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, STRANGER, type World, world } from '../support/install-world.ts'
import { FakeRegistry } from '../support/oci-registry.ts'

const folder = temporary('lock-registry')
const server = await new FakeRegistry({}).start()
after(() => server.stop())

const ONE = made({}, RELEASE)
const WIDER = made({ version: '1.1.0', caps: 'time = true\n' }, RELEASE)

async function push(here: World, bytes: Uint8Array, to: string) {
  const { exit, envelope } = await here.rlp(
    'agent',
    'push',
    here.put('b', bytes),
    to,
    '--force',
    '--allow-unsigned',
  )
  assert.equal(exit, 0, JSON.stringify(envelope))
}

async function verified(here: World, ...args: string[]) {
  server.asked.length = 0
  const { exit, envelope } = await here.rlp('agent', 'verify', ...args)
  const [report] = envelope.result?.bundles ?? []
  const tags = server.asked
    .filter(({ url }) => /\/manifests\/(?!sha256)/.test(url))
    .map(({ url }) => url.replace(/.*\//, ''))
  return {
    exit,
    verdict: report?.verdict,
    version: report?.agent?.version,
    code: report?.reasons[0]?.code,
    tags,
  }
}

test('a moved tag: verify and install fetch what is locked, check says changed, update refuses the wider one', async () => {
  const here = world(folder('moved'))
  const at = `oci://${server.host}/agents/mini:stable`
  await push(here, ONE, at)
  assert.equal((await here.rlp('lock', 'add', at)).exit, 0)
  const text = readFileSync(join(here.cwd, 'rlp.lock'), 'utf8')
  assert.ok(text.includes(`source = "${at}"\noci = "${server.tags.get('stable')}"\n`), text)
  assert.deepEqual((await here.rlp('lock', 'check')).exit, 0)

  await push(here, WIDER, at)
  const { tags, ...free } = await verified(here, at)
  assert.deepEqual(free, { exit: 0, verdict: 'trusted', version: '1.1.0', code: undefined })
  assert.deepEqual(tags, ['stable'])
  assert.deepEqual(await verified(here, at, '--locked'), {
    exit: 0,
    verdict: 'trusted',
    version: '1.0.0',
    code: undefined,
    tags: [],
  })
  assert.equal((await here.install(at, '--yes', '--locked')).exit, 0)
  assert.equal(here.state().installs[0]?.version, '1.0.0')

  const checked = await here.rlp('lock', 'check')
  assert.equal(checked.exit, 1)
  const wider = await here.rlp('lock', 'update')
  assert.equal(wider.exit, 4)
  assert.match(wider.envelope.message ?? '', /mini 1\.1\.0 may read the clock$/)
  assert.equal(readFileSync(join(here.cwd, 'rlp.lock'), 'utf8'), text)
  assert.equal((await here.rlp('lock', 'update', '--allow-caps-change')).exit, 0)
  assert.deepEqual((await verified(here, at, '--locked')).version, '1.1.0')
})

test('another version than the lock pins: the lock is named, and how to change it', async () => {
  const here = world(folder('another'))
  const at = `oci://${server.host}/another/mini`
  await push(here, ONE, `${at}:1.0.0`)
  assert.equal((await here.rlp('lock', 'add', `${at}:1.0.0`)).exit, 0)
  await push(here, WIDER, `${at}:1.1.0`)
  assert.equal((await here.install(`${at}:1.0.0`, '--yes', '--locked')).exit, 0)
  const { exit, envelope } = await here.install(`${at}:1.1.0`, '--yes', '--locked')
  assert.equal(exit, 1)
  assert.match(
    envelope.message ?? '',
    /untrusted: Expected mini@=1\.1\.0; the lock \S*rlp\.lock pins mini@1\.0\.0, which was fetched$/,
  )
  // Tests run in another folder, from which the lock has a longer name.
  assert.equal(
    envelope.hint?.replace(/ --lock \S*rlp\.lock/, ''),
    `If another version is meant, rlp lock update ${at}:1.1.0 shows what is wider and takes it in`,
  )
  // The command does what it is said to do.
  assert.equal((await here.rlp('lock', 'update', `${at}:1.1.0`)).exit, 4)
  assert.equal((await here.rlp('lock', 'update', `${at}:1.1.0`, '--allow-caps-change')).exit, 0)
  assert.equal((await here.install(`${at}:1.1.0`, '--yes', '--locked', '--allow-caps-change')).exit, 0)
})

test('a digest that is gone cannot be told, and the tag does not take its place', async () => {
  const here = world(folder('gone'))
  const at = `oci://${server.host}/gone/mini:1.0.0`
  await push(here, ONE, at)
  assert.equal((await here.rlp('lock', 'add', at)).exit, 0)
  const path = join(here.cwd, 'rlp.lock')
  writeFileSync(path, readFileSync(path, 'utf8').replace(/"sha256:.*"/, `"sha256:${'0'.repeat(64)}"`))
  const { exit, verdict, tags } = await verified(here, at, '--locked')
  assert.deepEqual([exit, verdict, tags], [3, 'indeterminate', []])
})

test('a tag that leads to a stranger’s bundle', async () => {
  const here = world(folder('stranger'))
  const at = `oci://${server.host}/other/mini:1.0.0`
  await push(here, ONE, at)
  assert.equal((await here.rlp('lock', 'add', at)).exit, 0)
  await push(here, made({ caps: 'time = true\n' }, STRANGER), at)
  const { exit, envelope } = await here.rlp('lock', 'update', '--allow-caps-change')
  assert.deepEqual([exit, envelope.reason], [1, 'untrusted'])
  assert.deepEqual((await here.rlp('lock', 'check')).exit, 1)
})
