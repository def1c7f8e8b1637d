// rlp agent sign --keyless: what it makes is what the libraries of Sigstore and rlp accept, beside a bundle that stays as it was.
import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { bundleFromJSON, bundleToJSON } from '@sigstore/bundle'
import { TrustedRoot } from '@sigstore/protobuf-specs'
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify'
import { sign } from '../../../src/library/generated/index.ts'
import { countersign } from '../../../src/library/generated/registry.ts'
import { KEYLESS_LIMITS } from '../../../src/model/limits.ts'
import { askToPublish } from '../../../src/sign/ask-keyless.ts'
import { checkMade } from '../../../src/sign/keyless/proofs.ts'
import { agentTree, bundleOf, digestOf, writeTree } from '../../support/agent.ts'
import { fakeTerminal, run, worldAt } from '../../support/fake-terminal.ts'
import { scripted } from '../../support/scripted-prompter.ts'
import { SIGNED_NAME as NAME, signingWorld } from '../../support/signing-world.ts'
import { signed, statementOf } from '../../support/trust-world.ts'

const world = signingWorld('sign-keyless')
const BESIDE = `${NAME}.intoto.jsonl`
const TREE = agentTree({ name: 'mini' })

function linesAt(path: string): string[] {
  return readFileSync(path, 'utf8').trimEnd().split('\n')
}

/** As another program would: the library of Sigstore, and the root of these services. */
function verified(line: string) {
  const material = toTrustMaterial(TrustedRoot.fromJSON(world.services.root))
  return new Verifier(material).verify(toSignedEntity(bundleFromJSON(JSON.parse(line))))
}

function unlessEmpty(_: string, value: unknown): unknown {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0
  return isEmpty || value === '0' ? undefined : value
}

function payloadIn(line: string): Buffer {
  return Buffer.from(JSON.parse(line).dsseEnvelope.payload, 'base64')
}

const digest = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')
const servicesAsked = () => world.services.asked.map(({ service }) => service)

describe('a bundle that an identity signs', () => {
  // Rekor 2 gives no promise, so that its time is the stamp's. @sigstore/verify 3.1.1 reads its entries of the kind dsse 0.0.2, and compares signature and
  // digest; it does not hold checkpoints against the rules of newer versions.
  for (const config of ['signing.json', 'signing-2.json'] as const)
    test(`is trusted, stays as it was, and verifies elsewhere: ${config}`, async () => {
      const cwd = world.place()
      const before = digest(join(cwd, NAME))
      assert.equal(await world.verdict(cwd, NAME), 'unsigned')
      const { exit, stdout, stderr } = await world.sign(cwd, [NAME, '--yes'], { config })
      assert.equal(exit, 0, stderr)
      assert.match(
        stdout,
        /signed by https:\/\/github\.com\/acme\/agents\/\S+ of https:\/\/token\.actions\.githubusercontent\.com, in mini-1/,
      )
      assert.equal(digest(join(cwd, NAME)), before)
      const [line = '', ...others] = linesAt(join(cwd, BESIDE))
      assert.deepEqual(others, [])
      assert.deepEqual(payloadIn(line), Buffer.from(JSON.stringify(statementOf(TREE))))
      assert.equal(verified(line).identity?.extensions?.issuer, 'https://token.actions.githubusercontent.com')
      // Member by member what the library of Sigstore writes, which leaves out what is empty.
      const again = JSON.stringify(bundleToJSON(bundleFromJSON(JSON.parse(line))))
      assert.deepEqual(JSON.parse(line, unlessEmpty), JSON.parse(again, unlessEmpty))
      const { verificationMaterial: made } = JSON.parse(line)
      assert.equal(made.timestampVerificationData.rfc3161Timestamps.length, config === 'signing.json' ? 0 : 1)
      assert.equal(await world.verdict(cwd, NAME), 'trusted')
    })

  test('is read again as a verifier reads it, and what would not be accepted is refused', async () => {
    const cwd = world.place()
    assert.equal((await world.sign(cwd)).exit, 0)
    const [text = ''] = linesAt(join(cwd, BESIDE))
    const { dsseEnvelope, verificationMaterial } = JSON.parse(text)
    const der = Buffer.from(verificationMaterial.certificate.rawBytes, 'base64')
    const made = {
      payload: Buffer.from(dsseEnvelope.payload, 'base64'),
      signature: Buffer.from(dsseEnvelope.signatures[0].sig, 'base64'),
      certified: { der, key: new X509Certificate(der).publicKey },
    } as unknown as Parameters<typeof checkMade>[1]
    const line = Buffer.from(text)
    assert.equal(checkMade(line, made, 'sign').repository_id, '123456789')
    const { publicKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const wrong = (change: object, bytes: Uint8Array = line) =>
      assert.throws(() => checkMade(bytes, { ...made, ...change }, 'sign'), {
        code: 'NOT_VERIFIED',
        message: /^Cannot sign: what was made would not be accepted: /,
      })
    wrong({ certified: { ...made.certified, key } })
    wrong({ payload: Buffer.from('other') })
    wrong({ signature: made.signature.slice(0, -1) })
    wrong({}, line.subarray(0, -1))
    wrong({}, Buffer.concat([line, Buffer.alloc(KEYLESS_LIMITS.bytes, ' ')]))
  })

  test('may have its time from a time stamp alone, without a log', async () => {
    const cwd = world.place()
    const config = { ...world.services.signingConfig(2), rekorTlogUrls: [] }
    writeFileSync(join(cwd, 'signing.json'), JSON.stringify(config))
    const { exit, stderr } = await world.sign(cwd)
    assert.equal(exit, 0, stderr)
    const [line = ''] = linesAt(join(cwd, BESIDE))
    const { verificationMaterial: made } = JSON.parse(line)
    assert.deepEqual([made.tlogEntries, made.timestampVerificationData.rfc3161Timestamps.length], [[], 1])
  })

  test('gets a line more, and what others have put beside it stays', async () => {
    const cwd = world.place()
    writeFileSync(join(cwd, BESIDE), 'a line of others, without an end')
    for (const version of [1, 2]) {
      const { exit, stderr } = await world.sign(cwd)
      assert.equal(exit, 0, stderr)
      assert.equal(linesAt(join(cwd, BESIDE)).length, version + 1)
    }
    assert.equal(linesAt(join(cwd, BESIDE))[0], 'a line of others, without an end')
    assert.equal(await world.verdict(cwd, NAME), 'trusted')
  })

  test('is signed over the very statement that keys have signed', async () => {
    const tree = signed(TREE, 'release', { notAfter: '2999-01-01T00:00:00Z' })
    const cwd = world.place(tree)
    assert.equal((await world.sign(cwd)).exit, 0)
    const [line = ''] = linesAt(join(cwd, BESIDE))
    const envelope = JSON.parse(String(tree['SIGNATURES/manifest.sig']))
    assert.equal(JSON.parse(line).dsseEnvelope.payload, envelope.payload)
    const other = await world.sign(cwd, [NAME, '--yes', '--not-after', '2998-01-01T00:00:00Z'])
    assert.equal(other.exit, 2)
    assert.match(other.stderr, /it is signed until 2999/)
  })

  test('ends where --not-after says so', async () => {
    const cwd = world.place()
    assert.equal((await world.sign(cwd, [NAME, '--yes', '--not-after', '2020-01-01T00:00:00Z'])).exit, 0)
    assert.equal(await world.verdict(cwd, NAME), 'expired')
  })

  test('may be a folder of bundles, or an unpacked one', async () => {
    const cwd = world.place()
    writeTree(join(cwd, 'more/agent.bundle'), TREE)
    writeFileSync(join(cwd, 'more/other-1.0.0.agent.bundle'), bundleOf(agentTree({ name: 'other' })))
    const { exit, stdout, stderr } = await world.sign(cwd, ['more', '--yes'])
    assert.equal(exit, 0, stderr)
    assert.equal(stdout.split('\n').filter(line => line.includes('signed by')).length, 2)
    assert.equal(await world.verdict(cwd, 'more/agent.bundle'), 'trusted')
    assert.equal(await world.verdict(cwd, 'more/other-1.0.0.agent.bundle'), 'trusted')
  })

  test('that is not sound is not signed, and no service is asked', async () => {
    const cwd = world.place()
    const bytes = readFileSync(join(cwd, NAME))
    bytes[bytes.indexOf('mini')] = 0x4d
    writeFileSync(join(cwd, NAME), bytes)
    const before = servicesAsked().length
    assert.equal((await world.sign(cwd)).exit, 1)
    assert.equal(servicesAsked().length, before)
    assert.ok(!existsSync(join(cwd, BESIDE)))
  })

  test('has to be the one that is expected', async () => {
    const cwd = world.place()
    assert.equal((await world.sign(cwd, [NAME, '--yes', '--expect', 'mini@2.0.0'])).exit, 1)
    assert.ok(!existsSync(join(cwd, BESIDE)))
    assert.equal((await world.sign(cwd, [NAME, '--yes', '--expect', 'mini@1.0.0'])).exit, 0)
  })

  test('may be stored: the signature hangs on it, and it may be unsigned', async () => {
    const cwd = world.place()
    const stored = 'oci-layout:store:1.0.0'
    await run(['agent', 'push', NAME, stored, '--allow-unsigned'], undefined, { cwd })
    assert.equal(await world.verdict(cwd, stored, '--expect', 'mini@1.0.0'), 'unsigned')
    const { exit, stdout, stderr } = await world.sign(cwd, [
      stored,
      '--yes',
      '--expect',
      'mini@1.0.0',
      '--json',
    ])
    assert.equal(exit, 0, stderr)
    const { bundles, changed } = JSON.parse(stdout).result
    const [{ attached, file, ...one }] = bundles
    assert.deepEqual([file, changed, one.changed], [null, true, true])
    const blob = (of: string) => readFileSync(join(cwd, 'store/blobs/sha256', of.slice(7)), 'utf8')
    const manifest = JSON.parse(blob(attached))
    const type = 'application/vnd.dev.sigstore.bundle.v0.3+json'
    assert.deepEqual([manifest.artifactType, manifest.layers[0].mediaType], [type, type])
    verified(blob(manifest.layers[0].digest))
    assert.equal(await world.verdict(cwd, stored, '--expect', 'mini@1.0.0'), 'trusted')
    const told = await world.sign(cwd, [stored, '--yes', '--expect', 'mini@1.0.0'])
    assert.match(
      told.stdout,
      / of https:\/\/token\.actions\.githubusercontent\.com, as sha256:[0-9a-f]{64}, identity blake3:/,
    )
  })

  test('is in the audit log, with who the token says that signs', async () => {
    const cwd = world.place()
    assert.equal((await world.sign(cwd, [NAME, '--yes', '--audit', 'audit.log'])).exit, 0)
    const [{ command, accepted, signedBy }] = linesAt(join(cwd, 'audit.log')).map(line => JSON.parse(line))
    const subject = encodeURIComponent('repo:acme/agents:ref:refs/tags/v1.0.0')
    const signer = `oidc:https://token.actions.githubusercontent.com?subject=${subject}`
    assert.deepEqual([command, accepted, signedBy], ['agent.sign', true, signer])
  })

  test('may have to be trusted first', async () => {
    const cwd = world.place()
    const asked = [NAME, '--yes', '--if-trusted', '--trust-policy', 'home/trust-policy.toml']
    const expect = ['--expect', `blake3:${digestOf(TREE['manifest.toml'] ?? '')}`]
    assert.equal((await world.sign(cwd, [...asked, ...expect])).exit, 1)
    assert.equal((await world.sign(cwd)).exit, 0)
    const { exit, stderr } = await world.sign(cwd, [...asked, ...expect])
    assert.equal(exit, 0, stderr)
    assert.equal(linesAt(join(cwd, BESIDE)).length, 2)
  })
})

describe('the token', () => {
  test('comes from a file before a variable, and from a variable before GitHub', async () => {
    const { services } = world
    const cwd = world.place()
    const claims = (sub: string) => ({ iss: 'https://issuer.example', sub })
    writeFileSync(join(cwd, 'token.txt'), `${services.token(claims('https://id.example/file'))}\n`)
    services.claims = claims('https://id.example/github')
    const variable = { SIGSTORE_ID_TOKEN: services.token(claims('https://id.example/variable')) }
    const who = async (args: readonly string[], env: Readonly<Record<string, string>>) => {
      const { stdout, stderr } = await world.sign(cwd, [NAME, '--yes', '--json', ...args], { env })
      return JSON.parse(stdout).result?.bundles[0].certificate.uri ?? stderr
    }
    const file = ['--identity-token', 'token.txt']
    assert.equal(await who(file, { ...variable, ...services.github }), 'https://id.example/file')
    assert.equal(await who([], { ...variable, ...services.github }), 'https://id.example/variable')
    assert.equal(await who([], services.github), 'https://id.example/github')
    assert.equal(await who([], { SIGSTORE_ID_TOKEN: '', ...services.github }), 'https://id.example/github')
    services.claims = {}
    const asked = services.asked.findLast(({ service }) => service === 'issuer')
    assert.match(asked?.url ?? '', /^\/token\?api-version=2\.0&audience=sigstore$/)
  })

  test('of a person names an address', async () => {
    const cwd = world.place()
    const claims = {
      iss: 'https://accounts.example',
      sub: '7',
      email: 'ana@example.com',
      email_verified: true,
    }
    const { stdout } = await world.sign(cwd, [NAME, '--yes', '--json'], { claims })
    const [{ signer }] = JSON.parse(stdout).result.bundles
    assert.equal(signer, 'oidc:https://accounts.example?email=ana%40example.com')
    // One that no policy can name: it is said as it is.
    const odd = await world.sign(world.place(), [NAME, '--yes', '--json'], {
      claims: { ...claims, email: 'a*b@example.com' },
    })
    assert.match(
      JSON.parse(odd.stdout).result.bundles[0].signer,
      /^oidc:https:\/\/accounts\.example\?email=a.{1,3}b%40/,
    )
  })
})

describe('before anything becomes public', () => {
  test('a pipeline has to say yes', async () => {
    const cwd = world.place()
    const before = servicesAsked().length
    const { exit, stderr } = await world.sign(cwd, [NAME])
    assert.equal(exit, 2)
    assert.match(
      stderr,
      /repo:acme\/agents:ref:refs\/tags\/v1\.0\.0 of https:\/\/token\.actions\.githubusercontent\.com .* signs blake3:[0-9a-f]{64}/,
    )
    assert.match(stderr, /no person can be asked\nhint: .*--yes/)
    assert.equal(servicesAsked().length, before)
    assert.ok(!existsSync(join(cwd, BESIDE)))
    // It says so with --yes as well.
    assert.match((await world.sign(cwd)).stderr, /public for ever, in a log: repo:acme/)
  })

  test('a person is asked', async () => {
    const token = { issuer: 'https://issuer.example', subject: 'ana@example.com' } as Parameters<
      typeof askToPublish
    >[1]
    const bundle = { label: NAME, identity: `blake3:${'a'.repeat(64)}` }
    const { terminal } = fakeTerminal({ isTTY: { stdin: true, stdout: true, stderr: true } })
    const ask = (reply: string) => {
      const { prompter, log } = scripted([['Sign with this identity?', reply]])
      return { done: askToPublish(bundle, token, false, worldAt(terminal, prompter)), log }
    }
    const yes = ask('yes')
    await yes.done
    assert.match(yes.log.join('\n'), /ana@example\.com of https:\/\/issuer\.example .* signs blake3:a{64}/)
    await assert.rejects(ask('no').done, { code: 'CANCELLED' })
  })

  for (const [option, value] of [
    ['--key', 'release'],
    ['--export-payload', 'out.bin'],
    ['--import-signature', 'sig.bin'],
    ['--renew', '90d'],
  ] as const)
    test(`${option} makes no sense with --keyless`, async () => {
      const cwd = world.place()
      const { exit, stderr } = await world.sign(cwd, [NAME, '--yes', option, ...(value ? [value] : [])])
      assert.equal(exit, 2)
      assert.match(stderr, new RegExp(`Cannot use ${option} with --keyless`))
    })

  for (const option of ['--identity-token=t', '--signing-config=c', '--yes'])
    test(`${option} makes no sense without`, async () => {
      const { exit, stderr } = await run(['agent', 'sign', NAME, '--key', 'k', option], undefined, {
        cwd: world.place(),
      })
      assert.equal(exit, 2)
      assert.match(stderr, /Cannot use --\S+ without --keyless/)
    })
})

describe('in the library', () => {
  test('sign and countersign take keyless in place of a key', async () => {
    const { services } = world
    const cwd = world.place()
    const keyless = { identityToken: services.token(), signingConfig: 'signing.json' }
    const made = await sign(NAME, { cwd, env: {}, keyless })
    assert.equal(made.file, BESIDE)
    assert.equal(made.certificate.repository_id, '123456789')
    assert.match(
      made.signer,
      /^oidc:https:\/\/token\.actions\.githubusercontent\.com\?repository_id=123456789&owner_id=42&/,
    )
    await run(['agent', 'push', NAME, 'oci-layout:store:1.0.0', '--allow-unsigned'], undefined, { cwd })
    const config = Buffer.from(JSON.stringify(services.signingConfig(2)))
    const stored = await countersign('oci-layout:store:1.0.0', {
      cwd,
      env: {},
      expect: 'mini@1.0.0',
      keyless: { ...keyless, signingConfig: config },
    })
    assert.match(stored.attached ?? '', /^sha256:/)
    const both = { cwd, key: 'release', keyless } as unknown as Parameters<typeof sign>[1]
    await assert.rejects(sign(NAME, both), { code: 'USAGE', field: 'key' })
  })

  test('an abort ends it, and nothing is written', async () => {
    const { services } = world
    const cwd = world.place()
    const stop = new AbortController()
    services.meddle = ({ service }) => {
      if (service !== 'rekor') return false
      stop.abort()
      return true
    }
    try {
      const keyless = { identityToken: services.token(), signingConfig: 'signing.json' }
      await assert.rejects(sign(NAME, { cwd, env: {}, keyless, signal: stop.signal }), { code: 'CANCELLED' })
    } finally {
      services.meddle = undefined
    }
    assert.ok(!existsSync(join(cwd, BESIDE)))
  })
})
