// Statements by an identity: each command that states something takes a token in place of a key, asks before anything becomes public, and what
// it writes meets a policy that requires the statement of that identity.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { attest, provenance, sbom, summarize } from '../../src/library/generated/evidence.ts'
import { pack } from '../../src/library/generated/index.ts'
import { sha256Of } from '../../src/oci/manifest.ts'
import { readSigstoreBundle } from '../../src/sigstore/sigstore-bundle.ts'
import { readAttestations } from '../../src/statement/lines.ts'
import { readAttested } from '../../src/statement/statement.ts'
import { agentTree, bundleOf, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { signedBundle, signedTree, signer } from '../support/signed.ts'
import { SIGNED_NAME, signingWorld } from '../support/signing-world.ts'

const world = signingWorld('keyless-statements')
const TREE = agentTree({ name: 'mini' })
const UNSIGNED = sha256Of(bundleOf(TREE)).slice('sha256:'.length)
const BUILDER = 'https://github.com/acme/agents/.github/workflows/release.yml@refs/tags/v1.0.0'
const BUILT = ['--builder', BUILDER, '--source', 'https://github.com/acme/agents']
const SUMMARY = ['--verifier', 'https://ci.example/v', '--resource', 'https://r.example/mini']
const SCAN = ['--type', 'https://scan.example/v1', '--predicate', 'scan.json']
const PROVENANCE = 'https://slsa.dev/provenance/v1'
const OTHERS = { repository_id: '987654321', repository_owner_id: '43' }

const COMMANDS = [
  ['provenance', [SIGNED_NAME, ...BUILT], PROVENANCE],
  ['sbom', [SIGNED_NAME], 'https://cyclonedx.org/bom'],
  ['attest', [SIGNED_NAME, ...SCAN], 'https://scan.example/v1'],
  [
    'verify',
    [SIGNED_NAME, ...SUMMARY, '--trust-policy', 'home/trust-policy.toml'],
    'https://slsa.dev/verification_summary/v1',
  ],
] as const

interface Way {
  readonly claims?: Readonly<Record<string, string>>
  readonly yes?: boolean
}

function stating(cwd: string, command: string, args: readonly string[], { claims, yes = true }: Way = {}) {
  const env = { SIGSTORE_ID_TOKEN: world.services.token(claims) }
  const more = ['--keyless', '--signing-config', 'signing.json', ...(yes ? ['--yes'] : [])]
  return run(['agent', command, ...args, ...more], undefined, { cwd, env })
}

/** A bundle that an identity has signed, or a key as well. */
async function signed(...keys: (typeof RELEASE)[]): Promise<string> {
  const cwd = world.place(TREE)
  if (keys.length > 0) writeFileSync(join(cwd, SIGNED_NAME), signedBundle(TREE, ...keys))
  writeFileSync(join(cwd, 'scan.json'), '{"findings":0}')
  const { exit, stderr } = await world.sign(cwd)
  assert.equal(exit, 0, stderr)
  return cwd
}

const RELEASE = signer(1)

/** The workflow may sign, and has to state the provenance as well. */
function requireProvenance(cwd: string): void {
  const path = join(cwd, 'home/trust-policy.toml')
  const required = `{ type = "${PROVENANCE}", by = ["ci"], builder = "${BUILDER}", source = "https://github.com/acme/agents", ref = "refs/tags/v*" }`
  const policy = readFileSync(path, 'utf8')
    .replace('"refs/tags/v*" }', '"refs/tags/v*", use = ["sign", "attest"] }')
    .replace('[sigstore]', `[require]\nattestations = [${required}]\n\n[sigstore]`)
  writeFileSync(path, policy)
}

/** The statements in the file beside the bundle that are no signature of it. */
function statementsIn(cwd: string, file = `${SIGNED_NAME}.intoto.jsonl`) {
  const path = join(cwd, file)
  if (!existsSync(path)) return []
  const { keyless, envelopes } = readAttestations(path, readFileSync(path))
  assert.equal(envelopes.length, 0)
  return (keyless?.bundles ?? []).flatMap(({ bytes }) => {
    const bundle = readSigstoreBundle(bytes)
    assert.ok(bundle.ok)
    const read = readAttested(bundle.value.payload)
    assert.ok(read.ok)
    return read.value.predicateType === 'urn:runloop:agent-bundle:v1' ? [] : [read.value]
  })
}

const asked = () => world.services.asked.length

for (const isSigned of [false, true])
  describe(`of a bundle that ${isSigned ? 'a key has signed as well' : 'no key has signed'}`, () => {
    for (const [command, args, type] of COMMANDS)
      test(`rlp agent ${command} --keyless states it with the identity, about the archive without signatures`, async () => {
        const cwd = await signed(...(isSigned ? [RELEASE] : []))
        const before = asked()
        const unasked = await stating(cwd, command, args, { yes: false })
        assert.deepEqual([unasked.exit, asked()], [2, before], unasked.stderr)
        assert.match(
          unasked.stderr,
          /public for ever, in a log: .* states https:\/\/\S+ about blake3:[0-9a-f]{64}/,
        )
        assert.match(unasked.stderr, /Cannot attest .* needs a yes/)
        assert.deepEqual(statementsIn(cwd), [])
        const { exit, stdout, stderr } = await stating(cwd, command, [...args, '--json'])
        assert.equal(exit, 0, stdout + stderr)
        const [statement, ...rest] = statementsIn(cwd)
        assert.deepEqual([statement?.predicateType, rest.length], [type, 0])
        assert.deepEqual(statement?.subjects[0], { name: SIGNED_NAME, digest: { sha256: UNSIGNED } })
        assert.equal(statement?.subjects.length, 2)
        const [one] = JSON.parse(stdout).result.bundles
        const attested = command === 'attest' ? one : one.attested
        assert.equal(one.changed, true)
        assert.match(
          attested.signer,
          /^oidc:https:\/\/token\.actions\.githubusercontent\.com\?repository_id=123456789/,
        )
        assert.match(attested.time, /Z$/)
        assert.equal(attested.certificate.source, 'https://github.com/acme/agents')
        assert.equal(attested.file, `${SIGNED_NAME}.intoto.jsonl`)
      })
  })

describe('a policy that requires provenance by the workflow', () => {
  test('is met by the keyless workflow alone, and by no other repository', async () => {
    const cwd = await signed()
    assert.equal(await world.verdict(cwd, SIGNED_NAME), 'trusted')
    requireProvenance(cwd)
    assert.equal(await world.verdict(cwd, SIGNED_NAME), 'untrusted')
    assert.equal((await stating(cwd, 'provenance', [SIGNED_NAME, ...BUILT], { claims: OTHERS })).exit, 0)
    assert.equal(await world.verdict(cwd, SIGNED_NAME), 'untrusted')
    const { exit, stderr } = await stating(cwd, 'provenance', [SIGNED_NAME, ...BUILT])
    assert.equal(exit, 0, stderr)
    assert.equal(await world.verdict(cwd, SIGNED_NAME), 'trusted')
    // A signature that is added takes no statement away.
    writeFileSync(join(cwd, SIGNED_NAME), signedBundle(TREE, RELEASE))
    assert.notEqual(sha256Of(readFileSync(join(cwd, SIGNED_NAME))).slice('sha256:'.length), UNSIGNED)
    assert.equal(await world.verdict(cwd, SIGNED_NAME), 'trusted')
  })

  test('is met by pack --provenance, which writes neither bundle nor statement without a yes', async () => {
    const cwd = await signed()
    rmSync(join(cwd, SIGNED_NAME))
    writeTree(join(cwd, 'mini'), TREE)
    const packing = ['mini', '--provenance', ...BUILT]
    const refused = await stating(cwd, 'pack', packing, { yes: false })
    assert.equal(refused.exit, 2, refused.stderr)
    assert.equal(existsSync(join(cwd, 'dist', SIGNED_NAME)), false)
    const { exit, stdout, stderr } = await stating(cwd, 'pack', packing)
    assert.equal(exit, 0, stderr)
    assert.match(stdout, /provenance signed by oidc:/)
    const file = join('dist', SIGNED_NAME)
    assert.equal(statementsIn(cwd, `${file}.intoto.jsonl`)[0]?.subjects[0]?.digest['sha256'], UNSIGNED)
    requireProvenance(cwd)
    assert.equal((await world.sign(cwd, [file, '--yes'])).exit, 0)
    assert.equal(await world.verdict(cwd, file), 'trusted')
  })

  test('is an input of a summary that the identity signs', async () => {
    const cwd = await signed()
    requireProvenance(cwd)
    const summary = [SIGNED_NAME, ...SUMMARY, '--trust-policy', 'home/trust-policy.toml']
    const before = asked()
    assert.equal((await stating(cwd, 'verify', summary)).exit, 1)
    assert.equal(asked(), before)
    assert.equal((await stating(cwd, 'provenance', [SIGNED_NAME, ...BUILT])).exit, 0)
    const line =
      readFileSync(join(cwd, `${SIGNED_NAME}.intoto.jsonl`), 'utf8')
        .trim()
        .split('\n')
        .at(-1) ?? ''
    const { exit, stderr } = await stating(cwd, 'verify', summary)
    assert.equal(exit, 0, stderr)
    const [, stated] = statementsIn(cwd)
    assert.deepEqual(stated?.predicate['inputAttestations'], [
      { digest: { sha256: sha256Of(Buffer.from(line)).slice('sha256:'.length) } },
    ])
  })
})

test('an unpacked bundle and a stored one are the same archive without signatures', async () => {
  const cwd = world.place(TREE)
  writeFileSync(join(cwd, SIGNED_NAME), signedBundle(TREE, RELEASE))
  const pushed = await run(['agent', 'push', SIGNED_NAME, 'oci-layout:store'], undefined, { cwd })
  assert.equal(pushed.exit, 0, pushed.stderr)
  writeTree(join(cwd, 'unpacked'), signedTree(TREE, [RELEASE]))
  for (const [name, args] of [
    ['unpacked', ['unpacked', '--expect', 'mini', '--attest', 'unpacked.jsonl']],
    ['stored', ['oci-layout:store:1.0.0', '--expect', 'mini', '--attest', 'stored.jsonl']],
  ] as const) {
    const { exit, stderr } = await stating(cwd, 'sbom', args)
    assert.equal(exit, 0, stderr)
    const [statement] = statementsIn(cwd, `${name}.jsonl`)
    assert.deepEqual(statement?.subjects[0], { name: SIGNED_NAME, digest: { sha256: UNSIGNED } })
  }
})

test('one call states it of each bundle of a folder, with one token', async () => {
  const cwd = world.place(TREE)
  writeFileSync(join(cwd, 'other-1.0.0.agent.bundle'), bundleOf(agentTree({ name: 'other' })))
  const { exit, stdout } = await stating(cwd, 'sbom', ['.', '--json'])
  assert.equal(exit, 0, stdout)
  assert.equal(JSON.parse(stdout).result.bundles.length, 2)
  assert.equal(statementsIn(cwd).length, 1)
  assert.equal(statementsIn(cwd, 'other-1.0.0.agent.bundle.intoto.jsonl').length, 1)
})

test('a statement that readers would leave out is refused before anything becomes public', async () => {
  const cwd = await signed()
  const before = asked()
  for (const [size, exit] of [
    [20_000, 0],
    [40_000, 1],
  ] as const) {
    writeFileSync(join(cwd, 'scan.json'), JSON.stringify({ found: 'x'.repeat(size) }))
    const ran = await stating(cwd, 'attest', [SIGNED_NAME, ...SCAN])
    assert.equal(ran.exit, exit, ran.stderr)
    if (exit === 0) continue
    assert.match(ran.stderr, /Cannot attest .* with an identity: the statement has 40\d{3} bytes/)
  }
  assert.equal(statementsIn(cwd).length, 1)
  assert.ok(asked() > before)
})

test('a key and an identity are two signers, and options of one need it', async () => {
  const cwd = await signed()
  writeTree(join(cwd, 'mini'), TREE)
  for (const [command, args] of [...COMMANDS, ['pack', ['mini', '--provenance', ...BUILT]] as const])
    for (const [more, message] of [
      [['--keyless', '--key', 'mine'], 'Cannot use --key with --keyless'],
      [['--identity-token', 'token'], 'Cannot use --identity-token without --keyless'],
      [['--signing-config', 'signing.json'], 'Cannot use --signing-config without --keyless'],
      [['--yes'], 'Cannot use --yes without --keyless'],
    ] as const) {
      const { exit, stderr } = await run(['agent', command, ...args, ...more], undefined, { cwd })
      assert.deepEqual([exit, stderr.includes(message)], [2, true], `${command} ${more.join(' ')}: ${stderr}`)
    }
  const stray = await run(['agent', 'pack', 'mini', '--keyless'], undefined, { cwd })
  assert.match(stray.stderr, /Cannot use --keyless without --provenance/)
})

test('the library states with an identity, and asks nothing', async () => {
  const cwd = await signed()
  const given = () => ({
    cwd,
    keyless: { identityToken: world.services.token(), signingConfig: 'signing.json' },
  })
  const source = 'https://github.com/acme/agents'
  const trustPolicy = 'home/trust-policy.toml'
  const stated = [
    (await provenance(SIGNED_NAME, { ...given(), builder: BUILDER, source })).attested,
    (await sbom(SIGNED_NAME, given())).attested,
    await attest(SIGNED_NAME, { ...given(), type: 'https://scan.example/v1', predicate: { findings: 0 } }),
    (
      await summarize(SIGNED_NAME, {
        ...given(),
        trustPolicy,
        verifier: 'https://a.example',
        resource: 'https://b.example',
      })
    ).attested,
  ]
  for (const one of stated) assert.match(one?.signer ?? '', /^oidc:/)
  assert.equal(statementsIn(cwd).length, 4)
  writeTree(join(cwd, 'mini'), TREE)
  const { keyless } = given()
  const { attested } = await pack('mini', { cwd, provenance: { keyless, builder: BUILDER, source } })
  assert.match(attested?.signer ?? '', /^oidc:/)
  const both = { ...given(), key: 'mine' }
  await assert.rejects(sbom(SIGNED_NAME, both), /Cannot use key with keyless/)
  await assert.rejects(
    attest(SIGNED_NAME, { cwd, type: 'https://scan.example/v1', predicate: {} }),
    /Cannot attest: key is missing/,
  )
})
