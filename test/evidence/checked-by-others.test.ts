// Our attestations under other programs: Debian's python3-securesystemslib and sigstore-js accept what we sign, and not what was changed.
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
  const changed = readFileSync(join(cwd, FILE), 'utf8')
    .trim()
    .split('\n')
    .map(line => {
      const envelope = JSON.parse(line)
      const payload = Buffer.from(`${Buffer.from(envelope.payload, 'base64')} `).toString('base64')
      return `${JSON.stringify({ ...envelope, payload })}\n`
    })
  writeFileSync(join(cwd, 'changed.jsonl'), changed.join(''))
  assert.doesNotMatch(checked('changed.jsonl').stdout, /True/)
})

test('sigstore-js, in the form that cosign and gh have for a bundle', () => {
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
  const lines = readFileSync(join(cwd, FILE), 'utf8').trim().split('\n')
  assert.equal(lines.length, 3)
  for (const line of lines) {
    const { payload, payloadType, signatures } = JSON.parse(line)
    const bundle = {
      mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
      verificationMaterial: { publicKey: { hint: 'ci' }, tlogEntries: [], timestampVerificationData: null },
      dsseEnvelope: {
        payload,
        payloadType,
        signatures: signatures.map(({ sig }: { sig: string }) => ({ sig, keyid: '' })),
      },
    }
    verifier.verify(toSignedEntity(bundleFromJSON(bundle)))
  }
})
