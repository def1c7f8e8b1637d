// Our attestations under other programs: Debian's python3-securesystemslib, sigstore-js and openssl accept what we sign, and not what was
// changed. The lines of docs/evidence.md for cosign give its form.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createPublicKey } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { bundleFromJSON } from '@sigstore/bundle'
import { toSignedEntity, Verifier } from '@sigstore/verify'
import { bundleOf } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { ROOT } from '../support/lint-fixtures.ts'
import { missing } from '../support/needs.ts'
import { ASKING, installKeys, KEYS, signed } from '../support/trust-world.ts'

const NAME = 'mini-1.0.0.agent.bundle'
const FILE = `${NAME}.intoto.jsonl`
const PYTHON = '/usr/bin/python3'
const folder = temporary('checked-by-others')
const hasLibrary = spawnSync(PYTHON, ['-c', 'import securesystemslib']).status === 0

let cwd = ''
before(async () => {
  const home = folder('home')
  process.env['RUNLOOP_HOME'] = home
  installKeys(home)
  const rules = 'release = { allow_caps = "any", allow_net = "any", allow_exec = true }'
  const policy = `[anchors]\nrelease = "${KEYS.release.anchor}"\n[rules]\n${rules}\n`
  writeFileSync(join(home, 'trust-policy.toml'), policy, { mode: 0o600 })
  cwd = folder('cwd')
  writeFileSync(join(cwd, NAME), bundleOf(signed(ASKING, 'release')))
  const uris = ['--verifier', 'https://ci.example/v', '--resource', 'https://r.example/mini']
  for (const args of [
    ['agent', 'sbom', NAME],
    ['agent', 'provenance', NAME, '--builder', 'https://ci.example/1'],
    ['agent', 'verify', NAME, ...uris],
  ])
    assert.equal((await run([...args, '--key', 'second'], undefined, { cwd })).exit, 0)
})

test('Debian’s securesystemslib', {
  skip: hasLibrary ? false : 'python3-securesystemslib is not installed',
}, () => {
  const checked = (file: string) =>
    spawnSync(
      PYTHON,
      [join(import.meta.dirname, 'verify_envelope.py'), file, KEYS.second.raw.toString('hex')],
      {
        cwd,
        encoding: 'utf8',
      },
    )
  const { stdout, stderr } = checked(FILE)
  assert.equal(
    stdout,
    'https://cyclonedx.org/bom True\nhttps://slsa.dev/provenance/v1 True\nhttps://slsa.dev/verification_summary/v1 True\n',
    stderr,
  )
  writeFileSync(join(cwd, 'changed.jsonl'), lines().map(spaced).join('\n'))
  assert.doesNotMatch(checked('changed.jsonl').stdout, /True/)
})

const lines = () => readFileSync(join(cwd, FILE), 'utf8').trim().split('\n')

/** The envelope with one space more in its payload: other bytes, the same statement. */
function spaced(line: string): string {
  const envelope = JSON.parse(line)
  const payload = Buffer.from(`${Buffer.from(envelope.payload, 'base64')} `).toString('base64')
  return JSON.stringify({ ...envelope, payload })
}

test('openssl, as docs/verify-by-hand.md does with signatures', { skip: missing('openssl') }, () => {
  const file = (name: string, bytes: Uint8Array | string) => {
    writeFileSync(join(cwd, name), bytes)
    return name
  }
  const signer = createPublicKey(KEYS.second.private).export({ type: 'spki', format: 'pem' })
  file('signer.pem', String(signer))
  const verified = (line: string) => {
    const { payload, payloadType, signatures } = JSON.parse(line)
    const body = Buffer.from(payload, 'base64')
    const head = `DSSEv1 ${payloadType.length} ${payloadType} ${body.length} `
    file('signed.bin', Buffer.concat([Buffer.from(head), body]))
    file('signature.bin', Buffer.from(signatures[0].sig, 'base64'))
    const args = ['pkeyutl', '-verify', '-pubin', '-inkey', 'signer.pem', '-rawin', '-in', 'signed.bin']
    return (
      spawnSync('openssl', [...args, '-sigfile', 'signature.bin'], { cwd, encoding: 'utf8' }).status === 0
    )
  }
  assert.deepEqual(lines().map(verified), [true, true, true])
  assert.deepEqual(lines().map(spaced).map(verified), [false, false, false])
})

const publicKey = createPublicKey(KEYS.second.private)
const verifier = new Verifier(
  {
    certificateAuthorities: [],
    timestampAuthorities: [],
    tlogs: [],
    ctlogs: [],
    publicKey: () => ({ publicKey, validFor: () => true }),
  },
  { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 },
)

test('sigstore-js, in the form that cosign and gh have for a bundle', () => {
  const bundled = (line: string) => {
    const { payload, payloadType, signatures } = JSON.parse(line)
    return bundleFromJSON({
      mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
      verificationMaterial: { publicKey: { hint: 'ci' }, tlogEntries: [], timestampVerificationData: null },
      dsseEnvelope: {
        payload,
        payloadType,
        signatures: signatures.map(({ sig }: { sig: string }) => ({ sig, keyid: '' })),
      },
    })
  }
  assert.equal(lines().length, 3)
  for (const line of lines()) {
    verifier.verify(toSignedEntity(bundled(line)))
    assert.throws(() => verifier.verify(toSignedEntity(bundled(spaced(line)))), /signature/i)
  }
})

test('what docs/evidence.md says to do for cosign makes a bundle of its form, which sigstore-js accepts', {
  skip: missing('jq'),
}, () => {
  const page = readFileSync(join(ROOT, 'docs/evidence.md'), 'utf8')
  const [, block = ''] = /```sh\n( *head -1 [^`]*)```/.exec(page) ?? []
  assert.match(block, /jq -c/)
  for (const [index, line] of lines().entries()) {
    writeFileSync(join(cwd, 'b.agent.bundle.intoto.jsonl'), lines().slice(index).join('\n'))
    const { stdout, status, stderr } = spawnSync('sh', ['-c', block], { cwd, encoding: 'utf8' })
    assert.equal(status, 0, stderr)
    const { payload, payloadType, signatures } = JSON.parse(line)
    const made = JSON.parse(stdout)
    assert.deepEqual(made, {
      mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
      verificationMaterial: { publicKey: { hint: 'ci' }, tlogEntries: [] },
      dsseEnvelope: { payload, payloadType, signatures: [{ sig: signatures[0].sig, keyid: '' }] },
    })
    verifier.verify(toSignedEntity(bundleFromJSON(made)))
  }
})
