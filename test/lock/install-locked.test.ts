// All that a lock names, installed at once: each with its verdict, what is there judged again, and the lock as consent or not.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { blake3Hex } from '../../src/bundle/blake3.ts'
import { countersign } from '../../src/library/generated/registry.ts'
import type { LockedRow } from '../../src/lock/render-installed.ts'
import { bundleOf } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import {
  contents,
  good,
  lockOf,
  made,
  madeTree,
  OTHER,
  RELEASE,
  REVIEW,
  type World,
  world,
} from '../support/install-world.ts'
import { FakeRegistry, say } from '../support/oci-registry.ts'
import { signedTree, type TestSigner } from '../support/signed.ts'

const folder = temporary('install-locked')
const AGENTS = ['alpha', 'beta', 'gamma']

let server: FakeRegistry
before(async () => {
  server = await new FakeRegistry({ referrers: true }).start()
})
after(() => server.stop())

/** Three agents in a registry, in a file and in a layout folder, locked. */
async function locked(name: string): Promise<World> {
  const here = world(folder(name))
  for (const agent of AGENTS) here.put(`${agent}.bundle`, made({ name: agent, version: '1.0.0' }, RELEASE))
  const repository = `oci://${server.host}/${name}/alpha`
  await good(here, 'agent', 'push', 'alpha.bundle', repository)
  await good(here, 'agent', 'push', 'beta.bundle', 'oci-layout:store')
  await good(here, 'lock', 'add', `${repository}:1.0.0`)
  await good(here, 'lock', 'add', 'oci-layout:store:1.0.0', '--expect', 'beta')
  await good(here, 'lock', 'add', 'gamma.bundle', '--expect', 'gamma')
  return here
}

async function install(here: World, ...words: string[]) {
  const { exit, envelope } = await here.rlp('agent', 'install', ...words)
  const result = envelope.result as unknown as
    | { agents: Omit<LockedRow, 'exit'>[]; passed: boolean; locks: { digest: string }[] }
    | undefined
  return { exit, envelope, result, is: result?.agents.map(({ is, verdict }) => `${is} ${verdict}`) }
}

const isThere = (here: World, agent: string) => existsSync(join(here.root, `${agent}.agent.bundle`))

describe('a lock that is named', () => {
  test('is the consent: all of it is installed, and stays without being fetched again', async () => {
    const here = await locked('named')
    const first = await install(here, '--lock', 'rlp.lock')
    assert.equal(first.exit, 0, JSON.stringify(first.envelope))
    assert.deepEqual(first.is, Array(3).fill('installed trusted'))
    assert.equal(first.result?.passed, true)
    assert.equal(first.result?.locks[0]?.digest, blake3Hex(readFileSync(join(here.cwd, 'rlp.lock'))))
    assert.ok(AGENTS.every(agent => isThere(here, agent)))
    server.asked.length = 0
    const again = await install(here, '--lock', 'rlp.lock')
    assert.deepEqual([again.exit, again.is], [0, Array(3).fill('there trusted')])
    assert.deepEqual(server.asked, [])
  })

  test('needs no second yes for an agent that it names', async () => {
    const here = await locked('one')
    await good(here, 'agent', 'install', 'gamma.bundle', '--expect', 'gamma', '--lock', 'rlp.lock')
  })

  test('lets an upgrade widen, which is printed and recorded with its digest; a signer it does not change', async () => {
    const here = await locked('wider')
    await good(here, 'agent', 'install', '--lock', 'rlp.lock')
    here.put(
      'gamma.bundle',
      made({ name: 'gamma', version: '1.1.0', caps: 'net = ["api.example:443"]\n' }, RELEASE),
    )
    // The lock stops it first.
    assert.equal((await install(here, 'gamma.bundle', '--expect', 'gamma', '--lock', 'rlp.lock')).exit, 1)
    await good(here, 'lock', 'update', 'gamma', '--allow-caps-change')
    const found = await install(here, '--locked', '--yes')
    assert.deepEqual([found.exit, found.is], [4, ['there trusted', 'there trusted', 'refused trusted']])
    assert.match(found.result?.agents[2]?.reason?.message ?? '', /api\.example/)
    const { exit, result } = await install(here, '--lock', 'rlp.lock', '--audit', 'audit.log')
    assert.equal(exit, 0)
    assert.match(result?.agents[2]?.widened[0]?.message ?? '', /api\.example/)
    const lines = readFileSync(join(here.cwd, 'audit.log'), 'utf8').trim().split('\n')
    const line = lines.map(text => JSON.parse(text)).find(({ agent }) => agent.name === 'gamma')
    assert.equal(line.consent.digest, result?.locks[0]?.digest)
    assert.match(line.consent.widened[0], /api\.example/)
    assert.deepEqual(here.state('gamma').installs[0]?.allowed, [])

    here.put('gamma.bundle', made({ name: 'gamma', version: '1.2.0' }, OTHER))
    await good(here, 'lock', 'update', 'gamma', '--allow-signer-change')
    const other = await install(here, '--lock', 'rlp.lock')
    assert.equal(other.exit, 1)
    assert.match(other.result?.agents[2]?.reason?.message ?? '', /another key/)
  })
})

test('many from one registry are installed together, and what one lacks here is fetched', async () => {
  const here = world(folder('together'))
  const names = Array.from({ length: 12 }, (_, at) => `agent${at}`)
  for (const [at, name] of names.entries()) {
    // The registry of these tests has one list of tags for all repositories.
    const version = `2.${at}.0`
    here.put(name, made({ name, version }, RELEASE))
    await good(here, 'agent', 'push', name, `oci://${server.host}/together/${name}`)
    await good(here, 'lock', 'add', `oci://${server.host}/together/${name}:${version}`)
  }
  const { exit, is } = await install(here, '--lock', 'rlp.lock')
  assert.deepEqual([exit, is], [0, Array(12).fill('installed trusted')])
  assert.ok(names.every(agent => isThere(here, agent)))
  // A second signature is demanded by now: it was added in the registry for one agent, and is nowhere for another.
  const key = { key: REVIEW.key, sign: async (message: Uint8Array) => REVIEW.sign(message) }
  const at = `oci://${server.host}/together/agent3:2.3.0`
  await countersign(at, { cwd: here.cwd, key, expect: 'agent3@2.3.0' })
  here.policy('[[require]]\nsignatures = 2\n')
  const now = await install(here, '--lock', 'rlp.lock')
  assert.equal(now.exit, 1)
  const words = Object.fromEntries(now.result?.agents.map(({ agent, is: word }) => [agent, word]) ?? [])
  assert.equal(words['agent3'], 'installed')
  assert.equal(words['agent4'], 'refused')
})

test('what is there and does not suffice any more is fetched again, and what is found there decides', async () => {
  const here = await locked('again')
  await good(here, 'agent', 'install', '--lock', 'rlp.lock')
  here.policy('[[require]]\nsignatures = 2\n')
  const wordsOf = async () => (await install(here, '--lock', 'rlp.lock')).is
  assert.deepEqual(await wordsOf(), Array(3).fill('refused untrusted'))
  // A file in the place of the one that is locked is judged, and not what is installed.
  here.put('gamma.bundle', Buffer.from('x'))
  assert.deepEqual(await wordsOf(), ['refused untrusted', 'refused untrusted', 'refused invalid'])
  // What cannot be read says nothing: the verdict on what is installed counts.
  rmSync(join(here.cwd, 'gamma.bundle'))
  assert.deepEqual(await wordsOf(), Array(3).fill('refused untrusted'))
  // Nor does a place that cannot be looked at.
  server.meddle = (_, response) => say(response, 500, '{}')
  try {
    assert.deepEqual(await wordsOf(), Array(3).fill('refused untrusted'))
  } finally {
    server.meddle = undefined
  }
})

describe('other signatures of the same bundle', () => {
  const NOW = Date.parse('2026-11-20T12:00:00Z')
  const DAY = 86_400_000
  const at = (days: number) => new Date(NOW + days * DAY).toISOString().replace('.000Z', 'Z')
  const TREE = madeTree({ name: 'alpha' })
  const signedBy = (signers: readonly TestSigner[], days?: number) =>
    bundleOf(signedTree(TREE, signers, days === undefined ? {} : { notAfter: at(days) }))

  /** An officer's desk with a lock, and a host that installs by it. The agent is signed until the 90th day. */
  async function house(t: TestContext, name: string, first = signedBy([RELEASE], 90)) {
    // The registry of these tests has one list of tags for all repositories.
    const registry = await new FakeRegistry({ referrers: true }).start()
    t.after(() => registry.stop())
    t.mock.timers.enable({ apis: ['Date'], now: NOW })
    const here = world(folder(`signatures-${name}`))
    const reference = `oci://${registry.host}/${name}/alpha:1.0.0`
    const publish = async (bytes: Uint8Array) => {
      here.put('alpha.bundle', bytes)
      await good(here, 'agent', 'push', 'alpha.bundle', reference, '--force')
    }
    await publish(first)
    await good(here, 'lock', 'add', reference)
    const host = async (...words: string[]) => {
      const { exit, is, result } = await install(here, '--lock', 'rlp.lock', ...words)
      const { code, message = '' } = result?.agents[0]?.reason ?? {}
      return { exit, is: is?.[0], code, message }
    }
    const said = async (...words: string[]) => {
      const { exit, is } = await host(...words)
      return `${exit} ${is}`
    }
    /** Whether it was fetched. */
    const fetched = async () => {
      registry.asked.length = 0
      const word = await said()
      return `${word}, ${registry.asked.length > 0 ? 'fetched' : 'not fetched'}`
    }
    assert.equal(await said(), '0 installed trusted')
    const later = (days: number) => t.mock.timers.setTime(NOW + days * DAY)
    return { here, registry, reference, publish, host, said, fetched, later }
  }

  const REVOKED = `[revoked]\n"${RELEASE.anchor}" = { since = "2026-11-01", replaced_by = "${REVIEW.anchor}" }\n`

  test('a renewal is installed before the old end, and also after it', async t => {
    for (const days of [80, 100]) {
      const { here, reference, publish, said, fetched, later } = await house(t, `renewed${days}`)
      later(days)
      assert.equal(await said(), days < 90 ? '0 there trusted' : '1 refused expired')
      await publish(signedBy([RELEASE], 180))
      // The host still has the lock of before.
      assert.equal(await said(), days < 90 ? '0 there trusted' : '1 refused expired')
      await good(here, 'lock', 'update')
      await good(here, 'agent', 'verify', reference, '--lock', 'rlp.lock')
      assert.equal(await said('--dry-run'), '0 installed trusted')
      assert.equal(await said(), '0 installed trusted')
      assert.equal(here.state('alpha').installs[0]?.notAfter, at(180))
      assert.equal(await fetched(), '0 there trusted, not fetched')
      t.mock.timers.reset()
    }
  })

  test('a signature by another key takes the place of one by a stolen key', async t => {
    const { here, publish, said, fetched } = await house(t, 'stolen')
    here.policy(REVOKED)
    assert.equal(await said(), '1 refused revoked')
    // It expires earlier than the revoked one, which counts for nothing.
    await publish(signedBy([REVIEW], 30))
    await good(here, 'lock', 'update')
    assert.equal(await said(), '0 installed trusted')
    assert.equal(await fetched(), '0 there trusted, not fetched')
  })

  test('a signature that was attached in the registry is fetched, though the digest is the same', async t => {
    const { here, reference, said, fetched } = await house(t, 'attached', signedBy([RELEASE]))
    here.policy(REVOKED)
    assert.equal(await said(), '1 refused revoked')
    const key = { key: REVIEW.key, sign: async (message: Uint8Array) => REVIEW.sign(message) }
    await countersign(reference, { cwd: here.cwd, key, expect: 'alpha@1.0.0' })
    await good(here, 'lock', 'update')
    assert.equal(await said(), '0 installed trusted')
    assert.equal(await fetched(), '0 there trusted, not fetched')
  })

  test('what is installed is not called there while the lock pins something that cannot be read', async t => {
    const { here, registry, publish, said, fetched, later } = await house(t, 'unread')
    const before = lockOf(here)
    await publish(signedBy([RELEASE], 180))
    await good(here, 'lock', 'update')
    const pinned = lockOf(here)
    registry.meddle = (_, response) => say(response, 500, '{}')
    assert.equal(await said(), '3 refused indeterminate')
    later(100)
    assert.equal(await said(), '3 refused indeterminate')
    // What the lock pins is installed: then its own verdict counts.
    writeFileSync(join(here.cwd, 'rlp.lock'), before, { mode: 0o644 })
    assert.equal(await said(), '1 refused expired')
    later(0)
    assert.equal(await said(), '0 there trusted')
    registry.meddle = undefined
    writeFileSync(join(here.cwd, 'rlp.lock'), pinned, { mode: 0o644 })
    assert.equal(await said(), '0 installed trusted')
    assert.equal(await fetched(), '0 there trusted, not fetched')
  })

  test('a record without a stored digest is completed from the source, and the file stays', async t => {
    const { here, said, fetched } = await house(t, 'older')
    const path = join(here.home, 'state', 'alpha.json')
    const state = JSON.parse(readFileSync(path, 'utf8'))
    const { oci, notAfter, ...older } = state.installs[0]
    assert.deepEqual([/^sha256:/.test(oci), notAfter], [true, at(90)])
    const text = JSON.stringify({ ...state, installs: [older] })
    writeFileSync(path, text, { mode: 0o600 })
    const file = join(here.root, 'alpha.agent.bundle')
    const { ino } = statSync(file)
    assert.equal(await said('--dry-run'), '0 there trusted')
    assert.equal(readFileSync(path, 'utf8'), text)
    assert.equal(await fetched(), '0 there trusted, fetched')
    assert.deepEqual(here.state('alpha').installs[0], { ...older, oci, notAfter })
    assert.equal(statSync(file).ino, ino)
    assert.equal(await fetched(), '0 there trusted, not fetched')
    // The record says when to read, and vouches for no file.
    writeFileSync(path, text.replace(older.fileDigest, 'f'.repeat(64)), { mode: 0o600 })
    assert.equal(await fetched(), '0 installed trusted, fetched')
  })

  test('the same bundle with an earlier end, or without a signature that counts, replaces nothing', async t => {
    const best = signedBy([RELEASE, REVIEW], 180)
    for (const [name, bytes, why] of [
      [
        'earlier',
        signedBy([RELEASE, REVIEW], 90),
        /expire at 2027-02-18T12:00:00Z.* at 2027-05-19T12:00:00Z/,
      ],
      [
        'fewer',
        signedBy([RELEASE], 180),
        /^the signature of ed25519:\S+, which counts for the installed 1\.0\.0, is missing$/,
      ],
    ] as const) {
      const { here, publish, host, said } = await house(t, name, bytes)
      const pinned = lockOf(here)
      await publish(best)
      await good(here, 'lock', 'update')
      assert.equal(await said(), '0 installed trusted', name)
      writeFileSync(join(here.cwd, 'rlp.lock'), pinned, { mode: 0o644 })
      const before = contents(here.root)
      const { exit, is, code, message } = await host('--audit', 'audit.log')
      assert.deepEqual([exit, is, code], [0, 'kept trusted', 'weaker_signatures'])
      assert.match(message, why)
      assert.ok(isDeepStrictEqual(contents(here.root), before))
      const lines = readFileSync(join(here.cwd, 'audit.log'), 'utf8').trim().split('\n')
      assert.deepEqual(
        lines.map(line => JSON.parse(line)).map(({ accepted, codes }) => `${accepted} ${codes}`),
        ['false weaker_signatures', 'true '],
      )
      t.mock.timers.reset()
    }
  })

  test('a file is read again each time, and what is installed stays if it is gone', async () => {
    const here = world(folder('signatures-file'))
    here.put('alpha.bundle', signedBy([RELEASE]))
    await good(here, 'lock', 'add', 'alpha.bundle', '--expect', 'alpha')
    assert.deepEqual((await install(here, '--lock', 'rlp.lock')).is, ['installed trusted'])
    here.put('alpha.bundle', signedBy([RELEASE, REVIEW]))
    assert.deepEqual((await install(here, '--lock', 'rlp.lock')).is, ['installed trusted'])
    assert.equal(here.state('alpha').installs[0]?.signers.length, 2)
    here.put('alpha.bundle', signedBy([RELEASE]))
    assert.deepEqual((await install(here, '--lock', 'rlp.lock')).is, ['kept trusted'])
    rmSync(join(here.cwd, 'alpha.bundle'))
    assert.deepEqual((await install(here, '--lock', 'rlp.lock')).is, ['there trusted'])
  })
})

describe('a lock that is found', () => {
  test('is no consent: a first install needs a yes, unless the operator names the lock', async () => {
    const here = await locked('found')
    const asked = await install(here, '--locked')
    assert.deepEqual([asked.exit, asked.is], [2, Array(3).fill('refused trusted')])
    assert.ok(AGENTS.every(agent => !isThere(here, agent)))
    const file = join(here.home, 'config.toml')
    writeFileSync(file, `[locks]\nconsent = ["${join(here.cwd, 'other.lock')}"]\n`, { mode: 0o600 })
    assert.equal((await install(here, '--locked')).exit, 2)
    writeFileSync(file, `[locks]\nconsent = ["${join(here.cwd, 'rlp.lock')}"]\n`, { mode: 0o600 })
    assert.deepEqual((await install(here, '--locked')).exit, 0)
  })
})

describe('what cannot be installed', () => {
  test('is named, decides the exit code, and hides no other', async () => {
    const here = await locked('missing')
    rmSync(join(here.cwd, 'gamma.bundle'))
    const { exit, is } = await install(here, '--lock', 'rlp.lock')
    assert.deepEqual(is, ['installed trusted', 'installed trusted', 'refused indeterminate'])
    assert.equal(exit, 3)
  })

  test('a word other than trusted decides, also of what is installed already', async () => {
    const here = await locked('revoked')
    await good(here, 'agent', 'install', '--lock', 'rlp.lock')
    here.policy(`[revoked]\n"${RELEASE.anchor}" = { since = "2026-11-01", reason = "lost" }\n`)
    const { exit, is } = await install(here, '--lock', 'rlp.lock')
    assert.deepEqual([exit, is], [1, Array(3).fill('refused revoked')])
    assert.ok(AGENTS.every(agent => isThere(here, agent)))
  })

  test('without a bundle and without a lock, or with --expect', async () => {
    const here = await locked('usage')
    for (const words of [[], ['--lock', 'rlp.lock', '--expect', 'alpha']]) {
      const { exit, envelope } = await install(here, ...words)
      assert.deepEqual([exit, envelope.code], [2, 'USAGE'])
    }
    assert.deepEqual((await install(here, '--lock', 'no.lock')).envelope.code, 'NOT_FOUND')
  })
})

test('a dry run answers for a program as the run does', async () => {
  const here = await locked('dry')
  const dry = await install(here, '--locked', '--dry-run')
  const real = await install(here, '--locked', '--yes')
  assert.deepEqual([dry.exit, dry.envelope.result], [0, real.envelope.result])
  assert.deepEqual([real.exit, real.envelope.result?.['changed']], [0, true])
})

test('without a bundle it needs a lock, and with one no expectation', async () => {
  const here = world(folder('needs-lock'))
  for (const [words, field, says] of [
    [[], 'bundle', /^Cannot install: no bundle is named, and no lock$/],
    [['--locked', '--expect', 'mini'], 'expect', /^Cannot use --expect with all that a lock names: /],
  ] as const) {
    const { exit, envelope } = await install(here, ...words)
    assert.deepEqual([exit, envelope['field']], [2, field])
    assert.match(String(envelope.message), says)
  }
})
