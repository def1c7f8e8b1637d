// A repository and a range in place of a tag: the newest version that fits is taken, by its tag alone, and no other one is tried.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { lockAdd, lockOutdated, lockUpdate } from '../../src/library/generated/lock.ts'
import { newestIn } from '../../src/registry/stored-versions.ts'
import { isOlder, readExpectation } from '../../src/version/reference.ts'
import { temporary } from '../support/folder.ts'
import { good, lockOf, made, RELEASE, STRANGER, type World, world } from '../support/install-world.ts'
import { FakeRegistry, say } from '../support/oci-registry.ts'

const folder = temporary('lock-range')
let server: FakeRegistry
before(async () => {
  server = await new FakeRegistry({ referrers: true }).start()
})
after(() => server.stop())

const lineOf = (here: World, member: string) =>
  new RegExp(`^${member} = "?(.*?)"?$`, 'm').exec(lockOf(here))?.[1]

/** A store with some versions of one agent. */
async function stored(name: string, ...versions: string[]): Promise<World> {
  const here = world(folder(name))
  here.policy()
  for (const version of versions) await push(here, version)
  return here
}

async function push(here: World, version: string, signer = RELEASE) {
  const file = here.put(`mini-${version}`, made({ version }, signer))
  await good(here, 'agent', 'push', file, 'oci-layout:store')
}

test('verify of a repository with a range is about the newest version that fits, and without one about each', async () => {
  const here = await stored('verified', '0.1.0', '0.2.0', '1.0.0')
  const versionsOf = async (...more: string[]) => {
    const { exit, envelope } = await here.rlp('agent', 'verify', 'oci-layout:store', ...more)
    const verdicts = envelope.result?.bundles?.map(({ agent, verdict }) => `${agent?.version} ${verdict}`)
    return [exit, ...(verdicts ?? [])]
  }
  const each = ['1.0.0 trusted', '0.2.0 trusted', '0.1.0 trusted']
  assert.deepEqual(await versionsOf(), [0, ...each])
  assert.deepEqual(await versionsOf('--expect', 'mini'), [0, ...each])
  assert.deepEqual(await versionsOf('--expect', 'mini@^0.1 || ^0.2'), [0, '0.2.0 trusted'])
  assert.deepEqual(await versionsOf('--expect', 'mini@^3'), [3, 'undefined indeterminate'])
})

describe('a range in a lock', () => {
  test('takes the newest version that fits, and keeps the range', async () => {
    const here = await stored('added', '0.1.0', '0.10.0', '0.9.0', '0.11.0-rc.1', '1.0.0')
    await good(here, 'lock', 'add', 'oci-layout:store', '--expect', 'mini@^0.1 || ^0.10')
    assert.deepEqual(
      ['source', 'expect', 'agent'].map(member => lineOf(here, member)),
      ['oci-layout:./store', 'mini@^0.1 || ^0.10', '0.10.0'],
    )
    assert.match(lockOf(here), /^source = .*\nexpect = .*\noci = "sha256:[0-9a-f]{64}"\nagent = /m)
    assert.equal((await here.rlp('lock', 'check')).exit, 0)
    const [listed] = (await good(here, 'lock', 'list'))['agents'] as { expect: string }[]
    assert.equal(listed?.expect, 'mini@^0.1 || ^0.10')
    // Again: nothing changes.
    const before = lockOf(here)
    await good(here, 'lock', 'add', 'oci-layout:store', '--expect', 'mini@^0.1 || ^0.10')
    assert.equal(lockOf(here), before)
  })

  test('what is pinned is fetched, whatever is newer', async () => {
    const here = await stored('pinned', '0.1.0')
    await good(here, 'lock', 'add', 'oci-layout:store', '--expect', 'mini@^0.1')
    await push(here, '0.1.1')
    await good(here, 'agent', 'install', '--lock', 'rlp.lock')
    assert.match((await here.say('agent', 'list', '--json')).stdout, /"version":"0\.1\.0"/)
    const { envelope } = await here.rlp('agent', 'verify', 'oci-layout:store', '--locked')
    assert.deepEqual(
      envelope.result?.bundles?.map(({ target, verdict }) => `${target} ${verdict}`),
      ['oci-layout:store:0.1.1 untrusted', 'oci-layout:store:0.1.0 trusted'],
    )
  })

  test('check, outdated and update see what fits now', async () => {
    const here = await stored('updated', '0.1.0')
    await good(here, 'lock', 'add', 'oci-layout:store', '--expect', 'mini@^0.1')
    for (const version of ['0.1.2', '0.1.10', '2.0.0']) await push(here, version)
    const check = await here.rlp('lock', 'check')
    assert.equal(check.exit, 1)
    assert.match(JSON.stringify(check.envelope), /0\.1\.10/)
    const { exit, stdout } = await here.say('lock', 'outdated')
    assert.equal(exit, 1)
    assert.equal(stdout, '→ mini 0.1.0 → 2.0.0 (0.1.10 in its range)\n')
    await good(here, 'lock', 'update', '--dry-run')
    assert.equal(lineOf(here, 'agent'), '0.1.0')
    await good(here, 'lock', 'update')
    assert.deepEqual([lineOf(here, 'agent'), lineOf(here, 'expect')], ['0.1.10', 'mini@^0.1'])
    // Another range, by the agent's name and by the repository.
    await good(here, 'lock', 'update', 'mini', '--expect', 'mini@>=0.1')
    assert.deepEqual([lineOf(here, 'agent'), lineOf(here, 'expect')], ['2.0.0', 'mini@>=0.1'])
    await push(here, '2.1.0')
    await good(here, 'lock', 'update', 'oci-layout:store', '--expect', 'mini@^2')
    assert.deepEqual([lineOf(here, 'agent'), lineOf(here, 'expect')], ['2.1.0', 'mini@^2'])
    // A tag in place of the range.
    await good(here, 'lock', 'update', 'oci-layout:store:2.1.0')
    assert.equal(lineOf(here, 'expect'), undefined)
    assert.equal(lineOf(here, 'source'), 'oci-layout:./store:2.1.0')
  })

  test('the newest one that is not trusted, or is another version, ends it: no older one is taken', async () => {
    const here = await stored('refused', '0.1.0', '0.1.1')
    await good(here, 'lock', 'add', 'oci-layout:store', '--expect', 'mini@0.1.x')
    await push(here, '0.1.2', STRANGER)
    const before = lockOf(here)
    const update = await here.rlp('lock', 'update')
    assert.deepEqual([update.exit, update.envelope['verdict']], [1, 'untrusted'])
    assert.equal(lockOf(here), before)
    // A carrier names an old bundle as a newer one.
    const index = join(here.cwd, 'store/index.json')
    const moved = JSON.parse(readFileSync(index, 'utf8'))
    for (const one of moved.manifests) {
      const tag = 'org.opencontainers.image.ref.name'
      if (one.annotations?.[tag] === '0.1.0') one.annotations[tag] = '0.1.3'
    }
    writeFileSync(index, JSON.stringify(moved))
    const lied = await here.rlp('lock', 'update')
    assert.deepEqual([lied.exit, lied.envelope['verdict']], [1, 'untrusted'])
    assert.match(JSON.stringify(lied.envelope), /unexpected_agent/)
    assert.equal(lockOf(here), before)
  })

  test('says what is there where nothing fits, and writes nothing', async () => {
    const here = await stored('none', '0.1.0', '0.2.0-rc.1')
    for (const [expect, exit, says] of [
      ['mini@^3', 3, /no version is in \^3; the newest is 0\.2\.0-rc\.1/],
      ['mini', 2, /neither a tag nor a digest/],
      ['any', 2, /neither a tag nor a digest/],
      ['other@^0.1', 1, /unexpected_agent|Expected other/],
    ] as const) {
      const ran = await here.rlp('lock', 'add', 'oci-layout:store', '--expect', expect)
      assert.equal(ran.exit, exit, JSON.stringify(ran.envelope))
      assert.match(JSON.stringify(ran.envelope), says)
    }
    const two = await here.rlp('lock', 'add', 'oci-layout:store:0.1.0', 'mini-0.1.0', '--expect', 'mini@^0.1')
    assert.equal(two.exit, 2)
    assert.equal(two.envelope.message, 'Cannot use --expect with 2 bundles: it is about one')
    assert.throws(() => lockOf(here), /ENOENT/)
  })

  test('cannot be told where the tags cannot be listed', async () => {
    const here = await stored('untold')
    const at = `oci://${server.host}/agents/mini`
    here.put('b', made({ version: '0.1.0' }, RELEASE))
    await good(here, 'agent', 'push', 'b', at)
    await good(here, 'lock', 'add', at, '--expect', 'mini@^0.1')
    server.meddle = (request, response) =>
      request.url?.includes('/tags/') === true && say(response, 500, '{}')
    try {
      const check = await here.rlp('lock', 'check')
      assert.equal(check.exit, 3)
      assert.match(JSON.stringify(check.envelope), /"is":"cannot tell"/)
      assert.equal((await here.rlp('lock', 'update')).exit, 3)
      // The pinned bundle needs no tags.
      await good(here, 'agent', 'install', '--lock', 'rlp.lock')
    } finally {
      server.meddle = undefined
    }
  })

  test('a dry run of add and remove says the same, fails the same, and writes nothing', async () => {
    const here = await stored('dry', '0.1.0')
    const add = ['lock', 'add', 'oci-layout:store', '--expect', 'mini@^0.1']
    const dry = await good(here, ...add, '--dry-run')
    assert.throws(() => lockOf(here), /ENOENT/)
    assert.equal(dry['changed'], true)
    assert.deepEqual(dry, await good(here, ...add))
    const before = lockOf(here)
    assert.equal((await good(here, ...add, '--dry-run'))['changed'], false)
    await push(here, '0.1.1')
    assert.deepEqual(
      [(await here.rlp(...add, '--dry-run')).envelope.code, (await here.rlp(...add)).envelope.code],
      ['EXISTS', 'EXISTS'],
    )
    assert.equal((await here.rlp('lock', 'remove', 'none', '--dry-run')).envelope.code, 'NOT_FOUND')
    assert.match(
      (await here.say('lock', 'remove', 'mini', '--dry-run')).stdout,
      /mini would be removed from rlp\.lock/,
    )
    assert.equal(lockOf(here), before)
    await good(here, 'lock', 'remove', 'mini')
    assert.notEqual(lockOf(here), before)
  })

  test('is offered by the library', async () => {
    const here = await stored('library', '0.1.0', '0.1.1')
    const trust = { cwd: here.cwd, home: here.home } as const
    const { agents } = await lockAdd(['oci-layout:store'], { ...trust, expect: 'mini@<=0.1.0' })
    assert.deepEqual(
      agents.map(({ expect, version }) => [expect, version]),
      [['mini@<=0.1.0', '0.1.0']],
    )
    const [row] = (await lockOutdated(trust)).agents
    assert.deepEqual([row?.is, row?.newest, row?.fits], ['outdated', '0.1.1', '0.1.0'])
    const { updates } = await lockUpdate({ ...trust, agents: ['mini'], expect: 'mini@^0.1' })
    assert.equal(updates[0]?.after.version, '0.1.1')
    await assert.rejects(lockAdd(['a', 'b'], { ...trust, expect: 'mini' }), { code: 'USAGE' })
  })
})

describe('every command that reads one bundle', () => {
  test('takes a repository with a range', async () => {
    const here = await stored('read', '0.1.0', '0.2.0', '1.0.0')
    const range = ['oci-layout:store', '--expect', 'mini@<1']
    const pulled = await good(here, 'agent', 'pull', ...range)
    assert.equal(JSON.stringify(pulled).includes('mini-0.2.0.agent.bundle'), true)
    await good(here, 'agent', 'install', ...range, '--yes', '--allow-caps-change')
    assert.match((await here.say('agent', 'list', '--json')).stdout, /"version":"0\.2\.0"/)
    assert.match((await here.say('agent', 'sbom', ...range)).stdout, /"version": "0\.2\.0"/)
  })
})

test('the newest of many is the one that no other that fits is newer than', () => {
  const part = fc.integer({ min: 0, max: 3 })
  const version = fc
    .tuple(part, part, part, fc.constantFrom('', '-rc.1', '-a'))
    .map(([a, b, c, pre]) => `${a}.${b}.${c}${pre}`)
  fc.assert(
    fc.property(
      fc.uniqueArray(version, { minLength: 1, maxLength: 12 }),
      fc.constantFrom('^1', '>=1.0.0-a', '~0.1', '*'),
      (all, text) => {
        const range = readExpectation(`mini@${text}`)?.versions
        assert.ok(range !== undefined)
        const known = all
          .toSorted((a, b) => (isOlder(a, b) ? 1 : isOlder(b, a) ? -1 : 0))
          .map(one => ({ tag: one, version: one }))
        const found = newestIn(known, range)
        const fit = all.filter(one => range.accept(one) && (text.includes('-') || !one.includes('-')))
        assert.equal(found === undefined, fit.length === 0)
        for (const one of fit) assert.equal(isOlder(found?.version ?? '', one), false)
      },
    ),
  )
})
