// A registry that can keep nothing beside a bundle: it has no referrers API, and reads the tag of the fallback as the digest of the bundle itself.
// Each test does the same at a registry that lacks only the API.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { referenceIn } from '../../src/io/reference.ts'
import { Deadline } from '../../src/io/wait/deadline.ts'
import { copy as copyTo, countersign } from '../../src/library/generated/registry.ts'
import { attestationDocument } from '../../src/oci/manifest.ts'
import { attachDocument } from '../../src/registry/attach.ts'
import type { Copied } from '../../src/registry/copy.ts'
import { find } from '../../src/registry/open-carried.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, REVIEW, STRANGER, type World, world } from '../support/install-world.ts'
import { FakeRegistry } from '../support/oci-registry.ts'
import { signingWorld } from '../support/signing-world.ts'

const folder = temporary('no-referrers')
const STORED = 'oci-layout:store:1.0.0'
const STATEMENT = attestationDocument(Buffer.from('{"payload":""}'))
const key = { key: REVIEW.key, sign: async (message: Uint8Array) => REVIEW.sign(message) }

let fallback: FakeRegistry
let bare: FakeRegistry
before(async () => {
  fallback = await new FakeRegistry().start()
  bare = await new FakeRegistry({ tagIsDigest: true }).start()
})
after(() => Promise.all([fallback.stop(), bare.stop()]))

const mini = ({ host }: FakeRegistry) => `oci://${host}/agents/mini:1.0.0`

/** A layout with a bundle, one signature and one statement beside it. */
async function stored(name: string, ...signers: (typeof RELEASE)[]): Promise<World> {
  const here = world(folder(name))
  here.put('b', made({}, ...signers))
  assert.equal((await here.rlp('agent', 'push', 'b', 'oci-layout:store')).exit, 0)
  await countersign(STORED, { cwd: here.cwd, key, expect: 'mini@1.0.0' })
  const deadline = new Deadline(new AbortController().signal)
  const at = referenceIn(`oci-layout:${join(here.cwd, 'store')}:1.0.0`, 'read')
  const { store, manifest } = await find(at, { access: { env: {} }, deadline }, { writes: true }, 'store')
  await attachDocument(store, manifest, STATEMENT)
  return here
}

async function copy(here: World, to: FakeRegistry, ...more: string[]) {
  const { exit, envelope } = await here.rlp('agent', 'copy', STORED, `oci://${to.host}/agents/`, ...more)
  const [copied] = (envelope.result as { bundles?: Copied[] } | undefined)?.bundles ?? []
  return {
    exit,
    copied,
    message: envelope.message,
    attached: copied?.attached.length,
    lost: copied?.lost.length,
  }
}

const changes = ({ asked }: FakeRegistry) =>
  asked.filter(({ method }) => !/^(?:GET|HEAD)$/.test(method)).length

describe('agent copy to a registry that keeps nothing beside a bundle', () => {
  test('copies the bundle, names what stays behind, and exits 3, also the next time', async () => {
    const here = await stored('copy', RELEASE)
    const honest = await copy(here, fallback)
    assert.deepEqual([honest.exit, honest.attached, honest.lost], [0, 2, 0], honest.message)
    for (const isFirst of [true, false]) {
      const { exit, copied, attached, lost } = await copy(here, bare)
      assert.deepEqual([exit, attached, lost, copied?.changed], [3, 0, 2, isFirst])
      assert.deepEqual([...(copied?.lost ?? [])].sort(), [...(honest.copied?.attached ?? [])].sort())
    }
    const { envelope } = await here.rlp('agent', 'verify', mini(bare))
    assert.equal(envelope.result?.bundles?.[0]?.verdict, 'trusted')
    const dry = await copy(here, bare, '--dry-run')
    assert.deepEqual([dry.exit, dry.attached, dry.lost], [3, 0, 2])
    const said = await here.say('agent', 'copy', STORED, `oci://${bare.host}/agents/`)
    assert.equal(said.exit, 3)
    assert.match(said.stdout, /not copied: sha256:[0-9a-f]{64}/)
    assert.match(said.stderr, /keeps no signatures or statements beside a bundle[\s\S]*--no-attach/)
    const { lost } = await copyTo(STORED, mini(bare), { cwd: here.cwd })
    assert.equal(lost.length, 2)
  })

  test('--no-attach copies the bundle alone, and that is no failure', async () => {
    const here = await stored('alone', RELEASE)
    const other = await new FakeRegistry().start()
    try {
      for (const to of [bare, other]) {
        const { exit, attached, lost } = await copy(here, to, '--no-attach')
        assert.deepEqual([exit, attached, lost], [0, 0, 0])
      }
      const { lost, attached } = await copyTo(STORED, mini(bare), { cwd: here.cwd, attach: false })
      assert.deepEqual([lost, attached], [[], []])
      assert.equal((await copy(here, other)).attached, 2)
    } finally {
      await other.stop()
    }
  })
})

describe('agent sign of a stored bundle', () => {
  const signing = signingWorld('no-referrers-keyless')

  test('is refused before the key is used, and nothing is sent', async () => {
    const here = await stored('sign', RELEASE)
    for (const to of [fallback, bare]) await copy(here, to, '--no-attach')
    let asked = 0
    const counted = {
      key: REVIEW.key,
      sign: async (message: Uint8Array) => {
        asked++
        return REVIEW.sign(message)
      },
    }
    const how = { cwd: here.cwd, key: counted, expect: 'mini@1.0.0' }
    assert.match((await countersign(mini(fallback), how)).attached, /^sha256:/)
    assert.equal(asked, 1)
    const before = changes(bare)
    await assert.rejects(countersign(mini(bare), how), (error: Error & { code: string; hint: string }) => {
      assert.equal(error.code, 'STORE')
      assert.match(
        error.message,
        /^Cannot sign .*: this registry keeps no signatures or statements beside a bundle$/,
      )
      assert.match(error.hint, /rlp agent copy/)
      assert.doesNotMatch(error.message + error.hint, /[Rr]emove/)
      return true
    })
    assert.deepEqual([asked, changes(bare)], [1, before])
  })

  test('with an identity is refused before anything becomes public', async () => {
    const here = await stored('identity', RELEASE)
    for (const to of [fallback, bare]) await copy(here, to, '--no-attach')
    const config = join(here.cwd, 'signing.json')
    writeFileSync(config, JSON.stringify(signing.services.signingConfig(1)))
    const sign = (to: FakeRegistry) => {
      const env = { SIGSTORE_ID_TOKEN: signing.services.token() }
      const more = ['--keyless', '--signing-config', config, '--yes', '--expect', 'mini@1.0.0']
      return run(['agent', 'sign', mini(to), ...more], undefined, { cwd: here.cwd, env })
    }
    assert.equal((await sign(fallback)).exit, 0)
    const before = signing.services.asked.length
    const refused = await sign(bare)
    assert.equal(refused.exit, 3, refused.stderr)
    assert.match(refused.stderr, /this registry keeps no signatures or statements beside a bundle/)
    assert.equal(signing.services.asked.length, before)
  })
})

describe('agent push of a bundle with statements beside it', () => {
  test('is refused, sets no tag, and --no-attach pushes the bundle alone', async () => {
    const here = world(folder('push'))
    here.put('b', made({ version: '3.0.0' }, RELEASE))
    assert.equal((await here.rlp('key', 'generate', 'mine', '--no-passphrase')).exit, 0)
    const stated = await here.rlp(
      'agent',
      'provenance',
      'b',
      '--builder',
      'https://ci.example/1',
      '--key',
      'mine',
    )
    assert.equal(stated.exit, 0, JSON.stringify(stated.envelope))
    const push = (to: FakeRegistry, ...more: string[]) =>
      here.rlp('agent', 'push', 'b', `oci://${to.host}/agents/`, ...more)
    assert.equal((await push(fallback)).exit, 0)
    const { exit, envelope } = await push(bare)
    assert.equal(exit, 3)
    assert.match(
      String(envelope.message),
      /^Cannot push "b" .*keeps no signatures or statements beside a bundle$/,
    )
    assert.match(String(envelope.hint), /--no-attach/)
    assert.equal(bare.tags.has('3.0.0'), false)
    assert.equal((await push(bare, '--no-attach')).exit, 0)
    assert.equal(bare.tags.has('3.0.0'), true)
  })
})

// `in-turn.ts` fails for a warning of Node in any test.
test('many things beside a bundle are read at the same time, and Node warns of nothing', async t => {
  const here = world(folder('many'))
  here.put('b', made({}, RELEASE))
  const many = await new FakeRegistry({ referrers: true }).start()
  t.after(() => many.stop())
  assert.equal((await here.rlp('agent', 'push', 'b', `oci://${many.host}/agents/`)).exit, 0)
  const deadline = new Deadline(new AbortController().signal)
  const { store, manifest } = await find(
    referenceIn(mini(many), 'read'),
    { access: { env: {} }, deadline },
    { writes: true },
    'many',
  )
  for (let count = 0; count < 14; count++)
    await attachDocument(store, manifest, attestationDocument(Buffer.from(`{"payload":"${count}"}`)))
  await store.close()
  for (const command of ['verify', 'inspect']) {
    const { exit, envelope } = await here.rlp('agent', command, mini(many))
    assert.equal(exit, 0, JSON.stringify(envelope))
  }
  await new Promise(setImmediate)
})

test('a reader takes it for a registry without anything attached: a stranger is untrusted, and not undecided', async () => {
  const here = await stored('read', STRANGER)
  for (const to of [fallback, bare]) {
    assert.equal((await copy(here, to, '--no-attach', '--force')).exit, 0)
    const { envelope } = await here.rlp('agent', 'verify', mini(to))
    const [one] = envelope.result?.bundles ?? []
    assert.deepEqual(
      [one?.verdict, one?.reasons.map(({ code }) => code)],
      ['untrusted', ['no_counted_signature']],
    )
  }
})

test('each command that takes a reference says what may be meant by a tag with + or of a digest, and connects to nothing', async () => {
  const here = world(folder('tags'))
  here.put('b', made({}, RELEASE))
  assert.equal((await here.rlp('key', 'generate', 'mine', '--no-passphrase')).exit, 0)
  const hex = 'a'.repeat(64)
  const before = bare.asked.length
  const at = `oci://${bare.host}/agents/mini`
  for (const [tag, meant] of [
    [':1.2.3+build', `${at}:1.2.3_build`],
    [`:sha256-${hex}`, `${at}@sha256:${hex}`],
  ] as const)
    for (const args of [
      ['agent', 'verify', at + tag],
      ['agent', 'inspect', at + tag],
      ['agent', 'pull', at + tag],
      ['agent', 'install', at + tag],
      ['agent', 'sign', at + tag, '--key', 'mine', '--expect', 'mini@1.0.0'],
      ['agent', 'copy', at + tag, 'oci-layout:far'],
      ['agent', 'push', 'b', at + tag],
      ['lock', 'add', at + tag],
      ['tool', 'list', at + tag],
    ]) {
      const { exit, envelope } = await here.rlp(...args)
      assert.deepEqual(
        [exit, envelope.hint],
        [2, `Did you mean ${meant}?`],
        `${args.join(' ')}: ${envelope.message}`,
      )
    }
  assert.equal(bare.asked.length, before)
})
