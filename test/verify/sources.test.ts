// The library takes a bundle, a policy and what is remembered in every form that it promises, and nothing that was not named has a say.
import assert from 'node:assert/strict'
import { createReadStream, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { noState } from '../../src/io/state/state.ts'
import {
  type BundleSource,
  loadBundle,
  NotVerifiedError,
  RlpError,
  type TrustPolicyGiven,
  verifyBundle,
} from '../../src/library/generated/index.ts'
import { writeAgentState } from '../../src/state/agent-state.ts'
import { bundleOf, writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import * as library from '../support/library.ts'
import { ASKING, KEYS, POLICY, signed } from '../support/trust-world.ts'

const folderFor = temporary('sources')
const TREE = signed(ASKING, 'release')
const BUNDLE = bundleOf(TREE)

/** A home folder whose every file speaks against every bundle, or cannot be used. */
const HOSTILE = folderFor('hostile')
mkdirSync(join(HOSTILE, 'state'), { mode: 0o700 })
mkdirSync(join(HOSTILE, 'policy-overrides/mini'), { recursive: true, mode: 0o700 })
writeFileSync(join(HOSTILE, 'trust-policy.toml'), 'this is no policy', { mode: 0o600 })
writeFileSync(join(HOSTILE, 'state/mini.json'), 'this is no state', { mode: 0o600 })
writeFileSync(join(HOSTILE, 'policy-overrides/mini/policy.caps'), 'this is no override', { mode: 0o600 })
process.env['RUNLOOP_HOME'] = HOSTILE

const alone = { expect: 'mini', trustPolicy: POLICY, state: false } as const

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const codeOf = (error: unknown) => {
  assert.ok(error instanceof RlpError, String(error))
  return error.code
}

describe('a bundle comes', () => {
  const folder = folderFor('forms')
  const file = join(folder, 'x.agent.bundle')
  writeFileSync(file, BUNDLE)
  const forms: Record<string, () => BundleSource> = {
    'as a path': () => file,
    'as a file url': () => pathToFileURL(file),
    'as the text of a file url': () => pathToFileURL(file).href,
    'as an unpacked folder’s url': () => pathToFileURL(writeTree(join(folder, 'agent.bundle'), TREE)),
    'as a buffer': () => BUNDLE,
    'as bytes': () => new Uint8Array(BUNDLE),
    'as an array buffer': () => new Uint8Array(BUNDLE).buffer,
    'as a stream of a file': () => createReadStream(file),
    'as a web stream': () => new Blob([new Uint8Array(BUNDLE)]).stream(),
    'byte by byte': () => pieces(BUNDLE, 1),
    'as gzip, byte by byte': () => pieces(gzipSync(BUNDLE), 1),
    'with empty pieces': async function* () {
      yield new Uint8Array()
      yield BUNDLE.subarray(0, 1)
      yield new Uint8Array()
      yield BUNDLE.subarray(1)
    },
  }
  for (const [form, source] of Object.entries(forms)) {
    test(form, async () => {
      const bundle = await loadBundle(source(), alone)
      assert.equal(bundle.report.verdict, 'trusted')
      assert.equal(Buffer.from(bundle.bytes('README.md')).toString(), '# mini\n')
      const { verdict } = await verifyBundle(source(), alone)
      assert.equal(verdict, 'trusted')
    })
  }

  test('changed in one byte, in none of them', async () => {
    const changed = Buffer.from(BUNDLE)
    const at = changed.indexOf('# mini')
    changed.write('# mina', at)
    for (const source of [changed, pieces(changed, 100), new Blob([changed]).stream()])
      await assert.rejects(loadBundle(source, alone), { code: 'NOT_VERIFIED', verdict: 'invalid' })
  })

  test('and anything else is refused by name', async () => {
    for (const source of [undefined, null, 7, {}, [], new URL('https://example.com/x'), 'file://elsewhere/x'])
      for (const verb of [verifyBundle, loadBundle])
        await assert.rejects(verb(source as never, alone), error => codeOf(error) === 'USAGE')
    async function* texts() {
      yield 'text'
    }
    await assert.rejects(loadBundle(texts() as never, alone), error => codeOf(error) === 'USAGE')
  })
})

describe('what cannot be read', () => {
  test('is told from what may not be used', async () => {
    const none = join(folderFor('none'), 'x.agent.bundle')
    await assert.rejects(loadBundle(none, alone), { code: 'NOT_FOUND', name: 'RlpError' })
    const { verdict, reasons } = await verifyBundle(none, alone)
    assert.deepEqual([verdict, reasons[0]?.code], ['indeterminate', 'unreadable'])
  })

  test('nor a stream that fails, with its own error as the cause', async () => {
    const mine = new Error('the line is dead')
    async function* failing() {
      yield BUNDLE.subarray(0, 600)
      throw mine
    }
    assert.equal((await verifyBundle(failing(), alone)).verdict, 'indeterminate')
    await assert.rejects(loadBundle(failing(), alone), { code: 'IO', cause: mine })
  })

  test('nor waited for after an abort', async () => {
    let left = false
    const hanging: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => {}),
        return: async () => {
          left = true
          return { done: true, value: undefined }
        },
      }),
    }
    const stop = new AbortController()
    const pending = loadBundle(hanging, { ...alone, signal: stop.signal })
    setTimeout(() => stop.abort(), 5)
    await assert.rejects(pending, error => codeOf(error) === 'CANCELLED')
    assert.ok(left)
  })
})

describe('a trust policy comes', () => {
  const table = {
    anchors: { release: KEYS.release.anchor, dev: { key: KEYS.dev.anchor, allow_dev: true } },
    rules: {
      release: {
        allow_caps: ['kb_read:drafts'],
        allow_net: ['api.mail.example:443'],
        allow_exec: true,
        agents: ['mini'],
      },
    },
  }
  const file = join(folderFor('policy'), 'policy.toml')
  writeFileSync(file, POLICY, { mode: 0o600 })
  const forms: Record<string, TrustPolicyGiven> = {
    'as a path': file,
    'as a file url': pathToFileURL(file),
    'as text': POLICY,
    'as bytes': new TextEncoder().encode(POLICY),
    'as an object': table,
  }
  for (const [form, trustPolicy] of Object.entries(forms)) {
    test(form, async () => {
      const { verdict, policies } = await verifyBundle(BUNDLE, { ...alone, trustPolicy })
      assert.equal(verdict, 'trusted')
      assert.deepEqual(
        policies.map(({ role }) => role),
        ['given'],
      )
      const other = bundleOf(signed(ASKING, 'stranger'))
      assert.equal((await verifyBundle(other, { ...alone, trustPolicy })).verdict, 'untrusted')
    })
  }

  test('and one that is wrong decides nothing, in every form', async () => {
    const wrong: [TrustPolicyGiven, RegExp][] = [
      ['anchors = 7\n', /^<trust policy>:1:\d+: /],
      [new TextEncoder().encode('x = 1\n'), /x is not a key here/],
      [{ anchors: { release: 'ed25519:AA' } }, /^<trust policy>: anchors\.release: /],
      [{ anchors: {}, more: 1 } as never, /more is not a key here/],
      [{ require: { signatures: 1.5 } }, /require\.signatures/],
      [{ anchors: { release: 7n } } as never, /cannot be written as text/],
      [join(folderFor('missing'), 'none.toml'), /no such file/],
    ]
    for (const [trustPolicy, message] of wrong) {
      const { verdict, reasons } = await verifyBundle(BUNDLE, { ...alone, trustPolicy })
      assert.deepEqual([verdict, reasons[0]?.code], ['indeterminate', 'trust_policy_unusable'])
      assert.match(reasons[0]?.message ?? '', message)
    }
    for (const trustPolicy of [7, null, []] as never[])
      await assert.rejects(verifyBundle(BUNDLE, { ...alone, trustPolicy }), {
        code: 'USAGE',
        field: 'trustPolicy',
      })
  })

  test('with a table whose key is revoked', async () => {
    const revoked = { [KEYS.release.anchor]: { reason: 'lost' } }
    const { verdict } = await verifyBundle(BUNDLE, { ...alone, trustPolicy: { ...table, revoked } })
    assert.equal(verdict, 'revoked')
  })
})

describe('a home folder that was not named', () => {
  test('has no say where state is given', async () => {
    assert.equal((await verifyBundle(BUNDLE, { expect: 'mini' })).verdict, 'indeterminate')
    assert.equal(
      (await verifyBundle(BUNDLE, { expect: 'mini', trustPolicy: POLICY })).verdict,
      'indeterminate',
    )
    const { verdict, overrides, policies } = await verifyBundle(BUNDLE, alone)
    assert.deepEqual([verdict, overrides.length, policies.length], ['trusted', 0, 1])
    const none = await verifyBundle(BUNDLE, { expect: 'mini', home: false })
    assert.deepEqual([none.verdict, none.reasons[0]?.code], ['indeterminate', 'no_trust_policy'])
    assert.equal(
      (await verifyBundle(BUNDLE, { expect: 'mini', home: false, trustPolicy: POLICY })).verdict,
      'trusted',
    )
  })

  test('and one that was named has', async () => {
    const home = folderFor('home')
    mkdirSync(join(home, 'state'), { mode: 0o700 })
    writeFileSync(join(home, 'trust-policy.toml'), POLICY, { mode: 0o600 })
    assert.equal((await verifyBundle(BUNDLE, { expect: 'mini', home })).verdict, 'trusted')
    assert.equal(
      (await verifyBundle(BUNDLE, { expect: 'mini', home: pathToFileURL(home) })).verdict,
      'trusted',
    )
    const keys = [KEYS.release.anchor]
    const mark = { version: '9.0.0', manifestDigest: 'a'.repeat(64), keys, at: '2026-11-20T00:00:00Z' }
    const bytes = writeAgentState({ ...noState('mini'), marks: [mark] })
    writeFileSync(join(home, 'state/mini.json'), bytes, { mode: 0o600 })
    const state = join(home, 'state')
    const old = await verifyBundle(BUNDLE, { ...alone, state })
    assert.equal(old.verdict, 'rolled_back', JSON.stringify(old.reasons))
    assert.equal(
      (await verifyBundle(BUNDLE, { ...alone, state: pathToFileURL(state) })).verdict,
      'rolled_back',
    )
    assert.equal((await verifyBundle(BUNDLE, { expect: 'mini', home })).verdict, 'rolled_back')
    assert.equal((await verifyBundle(BUNDLE, { expect: 'mini', home, state: false })).verdict, 'trusted')
  })

  test('and state that was named and is not there is not "nothing is known"', async () => {
    const { verdict, reasons } = await verifyBundle(BUNDLE, {
      ...alone,
      state: join(folderFor('no'), 'state'),
    })
    assert.deepEqual([verdict, reasons[0]?.code], ['indeterminate', 'state_unusable'])
    for (const state of ['', true, 7, null])
      await assert.rejects(
        verifyBundle(BUNDLE, { ...alone, state } as never),
        error => codeOf(error) === 'USAGE',
      )
  })
})

test('progress is told in bytes, to the last one', async () => {
  const seen: number[] = []
  await verifyBundle(BUNDLE, { ...alone, onProgress: ({ done }) => seen.push(done) })
  assert.equal(seen.at(-1), BUNDLE.length)
})

test('every error class of the library has its own name', async () => {
  const classes = Object.entries(library).filter(
    ([, value]) => typeof value === 'function' && value.prototype instanceof Error,
  )
  assert.ok(classes.length >= 3)
  const error = await loadBundle(BUNDLE, { ...alone, expect: 'other' }).catch(error => error)
  assert.ok(error instanceof NotVerifiedError)
  assert.equal(error.name, 'NotVerifiedError')
  assert.match(String(error), /^NotVerifiedError: Cannot load/)
  assert.equal(new RlpError('IO', 'x').name, 'RlpError')
  await assert.rejects(library.loadAgentcliTools('none.json'), { name: 'AgentcliLoadError' })
})
