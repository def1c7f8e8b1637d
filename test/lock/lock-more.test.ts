// Agents out of a lock, newer versions seen by tags alone, updates that are only looked at, and the comment on a change.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type CheckedAgent, lockChecked } from '../../src/lock/check.ts'
import { lockMarkdown } from '../../src/lock/formats/markdown.ts'
import type { OutdatedAgent } from '../../src/lock/outdated.ts'
import { temporary } from '../support/folder.ts'
import { good, lockOf, made, RELEASE, type World, world } from '../support/install-world.ts'
import { FakeRegistry, say } from '../support/oci-registry.ts'

const folder = temporary('lock-more')

let server: FakeRegistry
before(async () => {
  server = await new FakeRegistry({ referrers: true }).start()
})
after(() => server.stop())

async function push(here: World, name: string, version: string, to: string) {
  const file = here.put(`${name}-${version}`, made({ name, version }, RELEASE))
  await good(here, 'agent', 'push', file, to)
}

describe('lock outdated', () => {
  async function outdated(here: World) {
    const { exit, envelope } = await here.rlp('lock', 'outdated')
    const agents = envelope.result?.['agents'] as unknown as readonly OutdatedAgent[]
    return { exit, envelope, agents, is: agents.map(({ is, newest }) => `${is} ${newest}`) }
  }

  test('names the newest release by its tag, and reads the bundle that is locked alone', async () => {
    const here = world(folder('newest'))
    const at = `oci://${server.host}/agents/alpha`
    await push(here, 'alpha', '1.0.0', at)
    await good(here, 'lock', 'add', `${at}:1.0.0`)
    assert.deepEqual((await outdated(here)).is, ['newest 1.0.0'])
    for (const version of ['1.10.0', '1.9.0', '2.0.0-rc.1', '0.9.0']) await push(here, 'alpha', version, at)
    const before = lockOf(here)
    server.asked.length = 0
    const { exit, is } = await outdated(here)
    assert.deepEqual([exit, is], [1, ['outdated 1.10.0']])
    const pinned = /"(sha256:[0-9a-f]{64})"/.exec(before)?.[1]
    assert.deepEqual(
      server.asked.map(({ url }) => url.replace(/(?<=blobs\/).*/, '…')).filter(url => url !== '/v2/'),
      [
        '/v2/agents/alpha/tags/list?n=1000',
        `/v2/agents/alpha/manifests/${pinned}`,
        '/v2/agents/alpha/blobs/…',
      ],
    )
    assert.equal(lockOf(here), before)
    // Locked at a pre-release, another one is newer.
    await good(here, 'lock', 'update', `${at}:2.0.0-rc.1`)
    await push(here, 'alpha', '2.0.0-rc.2', at)
    assert.deepEqual((await outdated(here)).is, ['outdated 2.0.0-rc.2'])
  })

  test('cannot tell of files, and of a registry that does not answer; the others are told', async () => {
    const here = world(folder('untold'))
    here.put('beta', made({ name: 'beta', version: '1.0.0' }, RELEASE))
    await good(here, 'lock', 'add', 'beta', '--expect', 'beta')
    assert.deepEqual((await outdated(here)).exit, 3)
    const at = `oci://${server.host}/untold/alpha`
    await push(here, 'alpha', '3.0.0', at)
    await good(here, 'lock', 'add', `${at}:3.0.0`)
    await push(here, 'alpha', '3.1.0', at)
    const { exit, is } = await outdated(here)
    assert.deepEqual([exit, is], [1, ['outdated 3.1.0', 'cannot tell null']])
    server.meddle = (request, response) =>
      request.url?.includes('/tags/') === true && say(response, 500, '{}')
    try {
      const broken = await outdated(here)
      assert.deepEqual([broken.exit, broken.is], [3, ['cannot tell null', 'cannot tell null']])
      assert.match(broken.agents[0]?.detail ?? '', /^Cannot list the tags/)
    } finally {
      server.meddle = undefined
    }
  })
})

describe('lock remove', () => {
  test('takes agents out, all of them or none, and leaves the others as they are', async () => {
    const here = world(folder('remove'))
    for (const name of ['alpha', 'beta', 'gamma']) {
      here.put(name, made({ name, version: '1.0.0' }, RELEASE))
      await good(here, 'lock', 'add', name, '--expect', name)
    }
    const before = lockOf(here)
    const { exit, envelope } = await here.rlp('lock', 'remove', 'alpha', 'delta')
    assert.deepEqual([exit, envelope.code], [2, 'NOT_FOUND'])
    assert.equal(lockOf(here), before)
    assert.deepEqual((await good(here, 'lock', 'remove', 'gamma', 'alpha', 'gamma'))?.['agents'], [
      'alpha',
      'gamma',
    ])
    assert.match(before, /\[agents\.beta\]/)
    const beta = before.slice(before.indexOf('[agents.beta]'), before.indexOf('\n[agents.gamma]'))
    assert.equal(lockOf(here), `version = 1\n\n${beta}`)
    assert.equal((await here.rlp('lock', 'remove', 'beta', '--lock', 'none.lock')).envelope.code, 'NOT_FOUND')
  })
})

test('lock update --dry-run compares and writes nothing, and refuses as it would', async () => {
  const here = world(folder('dry'))
  here.put('alpha', made({ name: 'alpha', version: '1.0.0' }, RELEASE))
  await good(here, 'lock', 'add', 'alpha', '--expect', 'alpha')
  const before = lockOf(here)
  here.put('alpha', made({ name: 'alpha', version: '1.1.0' }, RELEASE))
  const dry = await good(here, 'lock', 'update', '--dry-run')
  assert.equal(dry?.['changed'], true)
  assert.equal(lockOf(here), before)
  here.put('alpha', made({ name: 'alpha', version: '1.1.0', caps: 'net = ["api.example:443"]\n' }, RELEASE))
  assert.equal((await here.rlp('lock', 'update', '--dry-run')).exit, 4)
  here.put('alpha', made({ name: 'alpha', version: '1.1.0' }, RELEASE))
  const real = await good(here, 'lock', 'update')
  assert.deepEqual(real, dry)
  assert.notEqual(lockOf(here), before)
})

describe('lock check --format markdown', () => {
  const row = (more: Partial<CheckedAgent>): CheckedAgent => ({
    agent: 'alpha',
    source: './alpha',
    is: 'changed',
    details: [],
    line: 3,
    version: '1.1.0',
    locked: { version: '1.0.0', identity: '00' },
    identity: null,
    verdict: 'untrusted',
    ...more,
  })
  const rendered = (rows: readonly CheckedAgent[]) =>
    lockMarkdown.render({ checked: lockChecked('rlp.lock', rows), path: '/rlp.lock', exit: 1 })

  test('has 60,000 characters of what changed, and says how many agents are left', () => {
    // 60 agents of 1,000 characters each, in lines of details that are cut at nothing.
    const one = (more: number) => {
      const text = rendered([row({ details: ['x'.repeat(900)] })])
      const length = text.slice(
        text.indexOf('- `alpha`'),
        text.indexOf('\n\n', text.indexOf('- `alpha`')) + 1,
      ).length
      return row({ details: ['x'.repeat(900 + 1000 - length + more)] })
    }
    const all = Array.from({ length: 60 }, () => one(0))
    assert.doesNotMatch(rendered(all), /^And /m)
    assert.match(rendered([one(1), ...all.slice(1)]), /^And 1 more: run rlp lock check\.$/m)
    assert.match(rendered([...all, one(0)]), /^And 1 more: run rlp lock check\.$/m)
  })

  test('says what changed in code spans that no text of a stranger ends', () => {
    const text = rendered([
      row({ details: ['net:`evil`](http://x)<script>'] }),
      row({ agent: 'beta', is: 'same' }),
    ])
    assert.equal(
      text,
      '## `rlp.lock`: 1 of 2 are not the same\n\n- `alpha` `1.0.0` → `1.1.0`: **changed** (untrusted today)\n  - `` net:`evil`](http://x)<script> ``\n\n1 agent as locked.\n',
    )
  })

  test('stays short enough to be shown, and says what it leaves out', () => {
    const many = Array.from({ length: 5000 }, (_, at) =>
      row({ agent: `agent${at}`, details: Array(60).fill('x'.repeat(900)) }),
    )
    const text = rendered(many)
    assert.ok(text.length < 65_000, String(text.length))
    assert.match(text, /And \d+ more: run rlp lock check\./)
    assert.match(text, /and 10 more/)
  })
})
