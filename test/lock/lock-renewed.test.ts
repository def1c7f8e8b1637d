// What the lock commands say of signatures: a tag that moved to renewed ones, ends and signers that changed, and what ends soon.
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { countersign } from '../../src/library/generated/registry.ts'
import { signatureChanges, signerConcern } from '../../src/lock/compare-entries.ts'
import type { OutdatedAgent } from '../../src/lock/outdated.ts'
import { bundleOf } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import {
  good,
  lockOf,
  madeTree,
  OTHER,
  RELEASE,
  REVIEW,
  type World,
  world,
} from '../support/install-world.ts'
import { FakeRegistry, say } from '../support/oci-registry.ts'
import { LATE } from '../support/runs.ts'
import { signedTree, type TestSigner } from '../support/signed.ts'
import { trustContext } from '../support/trust-world.ts'

const folder = temporary('lock-renewed')
const NOW = Date.parse('2026-11-20T12:00:00Z')
const DAY = 86_400_000
const at = (days: number) => new Date(NOW + days * DAY).toISOString().replace('.000Z', 'Z')
const TREE = madeTree()
const signedBy = (signers: readonly TestSigner[], days?: number, tree = TREE) =>
  bundleOf(signedTree(tree, signers, days === undefined ? {} : { notAfter: at(days) }))

/** A desk whose lock pins what a layout folder has. */
async function desk(t: TestContext, name: string, bytes: Uint8Array, to = 'oci-layout:store') {
  t.mock.timers.enable({ apis: ['Date'], now: NOW })
  const here = world(folder(name))
  const push = async (content: Uint8Array) => {
    here.put('b', content)
    await good(here, 'agent', 'push', 'b', to, '--force')
  }
  await push(bytes)
  await good(here, 'lock', 'add', `${to}:1.0.0`, '--expect', 'mini')
  const lock = async (...words: string[]) => {
    const { exit, stdout, stderr } = await here.say('lock', ...words)
    return { exit, stdout: stdout.replace(/sha256:[0-9a-f]{64}/g, 'sha256:…'), stderr }
  }
  return { here, push, lock, later: (days: number) => t.mock.timers.setTime(NOW + days * DAY) }
}

test('a tag that moved to renewed signatures is seen by check, and update says the ends', async t => {
  const { here, push, lock } = await desk(t, 'renewed', signedBy([RELEASE], 90))
  assert.deepEqual(await lock('check'), { exit: 0, stdout: '✓ mini 1.0.0: same\n', stderr: '1 same\n' })
  await push(signedBy([RELEASE], 180))
  const moved = await lock('check')
  assert.equal(moved.exit, 1)
  assert.equal(
    moved.stdout,
    `✗ mini 1.0.0: changed\n    Its tag leads to sha256:…, whose signatures end at ${at(180)}, and rlp.lock pins sha256:…\n`,
  )
  const before = lockOf(here)
  const ends = `mini 1.0.0\n  ~ has signatures that end at ${at(180)}; those that are locked end at ${at(90)}\n`
  assert.deepEqual(await lock('update', '--dry-run'), {
    exit: 0,
    stdout: `${ends}would be locked in rlp.lock\n`,
    stderr: '',
  })
  assert.equal(lockOf(here), before)
  const { envelope } = await here.rlp('lock', 'update')
  const [row] = (envelope.result?.['updates'] ?? []) as { signatures: string[] }[]
  assert.deepEqual(row?.signatures, [
    `has signatures that end at ${at(180)}; those that are locked end at ${at(90)}`,
  ])
  assert.notEqual(lockOf(here), before)
  assert.equal((await lock('check')).exit, 0)
  assert.equal((await lock('update')).stdout, 'mini: unchanged\n')
  // A signature that is added to the stored bundle moves nothing.
  const key = { key: REVIEW.key, sign: async (message: Uint8Array) => REVIEW.sign(message) }
  await countersign('oci-layout:store:1.0.0', { cwd: here.cwd, key, expect: 'mini@1.0.0' })
  assert.equal((await lock('check')).exit, 0)
})

test('an old bundle that is gone: then only the lock is compared', async t => {
  const { here, lock, push } = await desk(t, 'gone', signedBy([RELEASE], 90))
  rmSync(join(here.cwd, 'store'), { recursive: true })
  await push(signedBy([RELEASE], 180))
  assert.equal((await lock('update')).stdout, 'mini 1.0.0\nlocked in rlp.lock\n')
})

describe('a changed signer', () => {
  test('is named by the policy, with who has signed instead, and needs a yes', async t => {
    const { here, push, lock } = await desk(t, 'signer', signedBy([RELEASE]))
    await push(signedBy([OTHER]))
    const before = lockOf(here)
    const { exit, stdout, stderr } = await lock('update')
    assert.equal(exit, 1)
    assert.equal(stdout, '')
    assert.equal(
      stderr,
      `mini 1.0.0
  ~ is not signed by release (${RELEASE.anchor}) any more
  ~ is signed by other (${OTHER.anchor}) now
rlp: Cannot update the lock: The signature of release (${RELEASE.anchor}), which the lock lists, is missing; other (${OTHER.anchor}) has signed it
hint: Ask the former signer, by another way than you got the bundle, whether this is right. If the change is intended, --allow-signer-change takes it into the lock
`,
    )
    assert.equal(lockOf(here), before)
    const taken = await lock('update', '--allow-signer-change')
    assert.equal(taken.exit, 0)
    assert.match(taken.stdout, /any more\n {2}~ is signed by other .*\nlocked in rlp\.lock\n$/)
    assert.ok(lockOf(here).includes(`signers = ["${OTHER.anchor}"]`))
  })

  test('whose key the policy has revoked is not asked, and one that the policy names as its successor needs no yes', async t => {
    const { here, push, lock } = await desk(t, 'revoked', signedBy([RELEASE]))
    await push(signedBy([RELEASE, OTHER]))
    here.policy(`[revoked]\n"${RELEASE.anchor}" = { since = "2026-11-01" }\n`)
    const { exit, stderr } = await lock('update')
    assert.equal(exit, 1)
    assert.match(
      stderr,
      /, which the lock lists, does not count, because the key is revoked; other \(\S+\) has signed it\nhint: Ask the new signer, /,
    )
    here.policy(
      `[revoked]\n"${RELEASE.anchor}" = { since = "2026-11-01", replaced_by = "${OTHER.anchor}" }\n`,
    )
    assert.equal((await lock('update')).exit, 0)
  })

  test('in words: none instead, several, and keys that no policy names', () => {
    const { policies } = trustContext()
    const concern = (lost: string[], now: string[]) =>
      signerConcern(lost, { signers: lost }, { signers: now }, policies)
    assert.equal(
      concern(['ed25519:x'], []).message,
      'The signature of ed25519:x, which the lock lists, is missing',
    )
    assert.match(
      concern(['ed25519:x', 'ed25519:y'], ['ed25519:z']).message,
      /^The signature of ed25519:x and ed25519:y, .*; ed25519:z has/,
    )
    const both = { before: { signers: [] }, after: { signers: [] }, policies }
    assert.deepEqual(signatureChanges({ ...both, endedBefore: undefined, endsAfter: 'x' }), [])
    assert.deepEqual(signatureChanges({ ...both, endedBefore: { notAfter: 'x' }, endsAfter: 'x' }), [])
    assert.deepEqual(signatureChanges({ ...both, endedBefore: { notAfter: 'x' }, endsAfter: undefined }), [
      'has signatures that do not end; those that are locked end at x',
    ])
  })
})

describe('lock outdated', () => {
  const rows = async (here: World) => {
    const { exit, envelope } = await here.rlp('lock', 'outdated')
    return { exit, rows: envelope.result?.['agents'] as unknown as OutdatedAgent[] }
  }

  test('says what ends within 30 days, to the second, and what has ended; the exit code is about versions', async t => {
    const { lock, later } = await desk(t, 'outdated', signedBy([RELEASE], 90))
    for (const [days, says, soon] of [
      [59, '', ''],
      [60 - 1 / 86_400, '', ''],
      [60, `    its signatures end at ${at(90)}, in 30 days\n`, ', 1 within 30 days of an end, or past it'],
      [
        89.5,
        `    its signatures end at ${at(90)}, in less than a day\n`,
        ', 1 within 30 days of an end, or past it',
      ],
      [91, `    its signatures ended at ${at(90)}\n`, ', 1 within 30 days of an end, or past it'],
    ] as const) {
      later(days)
      assert.deepEqual(await lock('outdated'), {
        exit: 0,
        stdout: `✓ mini 1.0.0\n${says}`,
        stderr: `1 newest${soon}\n`,
      })
    }
  })

  test('of what is locked, in a registry, a layout folder and a file, whatever the tag leads to now', async t => {
    const registry = await new FakeRegistry({ referrers: true }).start()
    t.after(() => registry.stop())
    for (const to of ['oci-layout:store', `oci://${registry.host}/mini`]) {
      const { here, push, later } = await desk(t, 'pinned', signedBy([RELEASE], 90), to)
      await push(signedBy([RELEASE], 180))
      later(70)
      const [row] = (await rows(here)).rows
      assert.deepEqual([row?.ends, row?.endsSoon, row?.untold], [at(90), true, null])
      t.mock.timers.reset()
    }
    const { here, later } = await desk(t, 'file', signedBy([RELEASE], 90))
    rmSync(join(here.cwd, 'rlp.lock'))
    here.put('mini-1.0.0.agent.bundle', signedBy([RELEASE], 90))
    await good(here, 'lock', 'add', 'mini-1.0.0.agent.bundle')
    later(70)
    const [row] = (await rows(here)).rows
    assert.deepEqual([row?.is, row?.ends, row?.endsSoon], ['cannot tell', at(90), true])
    t.mock.timers.reset()
  })

  test('reads the beginning of a large bundle alone', { skip: LATE }, async t => {
    const registry = await new FakeRegistry({ referrers: true }).start()
    t.after(() => registry.stop())
    const large = madeTree({ files: { 'bin/data': Buffer.alloc(8 * 1024 * 1024, 'x') } })
    const { here } = await desk(t, 'large', signedBy([RELEASE], 20, large), `oci://${registry.host}/mini`)
    let sent = 0
    registry.meddle = ({ url = '' }, response) => {
      if (url.includes('/blobs/')) response.on('close', () => (sent += response.socket?.bytesWritten ?? 0))
      return false
    }
    const [row] = (await rows(here)).rows
    assert.deepEqual([row?.ends, row?.untold], [at(20), null])
    assert.ok(sent < 8 * 1024 * 1024, `${sent} bytes were sent`)
  })

  test('no end, and what cannot be told', async t => {
    const { here, lock } = await desk(t, 'none', signedBy([RELEASE]))
    assert.deepEqual((await rows(here)).rows[0]?.ends, null)
    const identity = /blake3:[0-9a-f]{64}/.exec(lockOf(here))?.[0] ?? ''
    const text = lockOf(here).replace(identity, `blake3:${'0'.repeat(64)}`)
    writeFileSync(join(here.cwd, 'rlp.lock'), text, { mode: 0o644 })
    assert.match(
      (await lock('outdated')).stdout,
      /^ {4}when its signatures end cannot be told: No signature by a key/m,
    )
    rmSync(join(here.cwd, 'store'), { recursive: true })
    const [row] = (await rows(here)).rows
    assert.deepEqual([row?.is, row?.ends, row?.endsSoon], ['cannot tell', null, false])
    assert.match(row?.untold ?? '', /^Cannot read/)
  })

  test('an end that no signature vouches for is not believed', async t => {
    const registry = await new FakeRegistry({ referrers: true }).start()
    t.after(() => registry.stop())
    const { here } = await desk(t, 'forged', signedBy([RELEASE], 90), `oci://${registry.host}/mini`)
    assert.equal((await rows(here)).rows[0]?.ends, at(90))
    const other = signedBy([RELEASE], 90, madeTree({ files: { 'README.md': 'x' } }))
    registry.meddle = ({ url = '', method }, response) => {
      const isBlob = method === 'GET' && url.includes('/blobs/')
      // As long as the right one.
      return isBlob && say(response, 200, Buffer.concat([other, Buffer.alloc(1024)]).toString('latin1'))
    }
    const [row] = (await rows(here)).rows
    assert.equal(row?.ends, null)
  })
})
