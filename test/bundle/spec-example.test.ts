// docs/spec/example.md: every block is what the key, the golden bundle and the statements give, and both readers come to its verdict.
// UPDATE_GOLDEN=1 writes the blocks anew.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { blake3Hex, pemOf } from '../../fixtures/conformance/world.ts'
import { filesIn } from '../../scripts/torture/readers/seeds.ts'
import { bundleOf } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { codeBlock } from '../support/format-doc.ts'
import { answerTo } from '../support/kit-judge.ts'
import { PYTHON } from '../support/python.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGE = join(ROOT, 'docs/spec/example.md')
const BUNDLE = readFileSync(join(ROOT, 'fixtures/bundles/minimal-1.0.0.agent.bundle'))
const folderFor = temporary('spec-example')

const hex = (bytes: Uint8Array, algorithm = 'sha256') => createHash(algorithm).update(bytes).digest('hex')

/** The blocks of the page by the words behind their fences, made without rlp. */
function blocks(): Readonly<Record<string, string>> {
  const seed = createHash('sha256').update('rlp conformance test key: 0').digest()
  const key = createPrivateKey(pemOf(seed))
  const point = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32)
  const keyid = `ed25519:${point.toString('base64')}`
  const manifest = filesIn(BUNDLE)['manifest.toml'] ?? Buffer.alloc(0)
  const blake3 = blake3Hex(manifest)
  const payload = Buffer.from(
    `{"_type":"https://in-toto.io/Statement/v1","subject":[{"name":"manifest.toml","digest":{"blake3":"${blake3}","sha256":"${hex(manifest)}"}}],"predicateType":"urn:runloop:agent-bundle:v1","predicate":{"agent":{"name":"minimal","version":"1.0.0"}}}`,
  )
  const message = Buffer.concat([
    Buffer.from(`DSSEv1 28 application/vnd.in-toto+json ${payload.length} `),
    payload,
  ])
  const signature = sign(null, message, key)
  const envelope = `{"payloadType":"application/vnd.in-toto+json","payload":"${payload.toString('base64')}","signatures":[{"keyid":"${keyid}","sig":"${signature.toString('base64')}"}]}`
  const signed = signedBundle(envelope)
  return {
    'text key': `seed    ${seed.toString('hex')}\npublic  ${point.toString('hex')}\nkeyid   ${keyid}\n`,
    'text manifest': `blake3  ${blake3}\nsha256  ${hex(manifest)}\n`,
    'text payload': `${payload}\n`,
    'text message': `${message}\n`,
    'text sizes': `payload  ${payload.length} bytes\nmessage  ${message.length} bytes, SHA-256 ${hex(message)}\nenvelope ${envelope.length} bytes, SHA-256 ${hex(Buffer.from(envelope))}\nbundle   ${signed.length} bytes, SHA-256 ${hex(signed)}\n`,
    'text signature': `R  ${signature.subarray(0, 32).toString('hex')}\nS  ${signature.subarray(32).toString('hex')}\n`,
    'text envelope': `${envelope}\n`,
    'toml policy': `[anchors]\nexample = "${keyid}"\n\n[rules]\nexample = {}\n`,
  }
}

function signedBundle(envelope: string): Buffer {
  return bundleOf({ ...filesIn(BUNDLE), 'SIGNATURES/manifest.sig': envelope })
}

test('each block of the page is what its words say', () => {
  let page = readFileSync(PAGE, 'utf8')
  for (const [info, text] of Object.entries(blocks())) {
    if (process.env['UPDATE_GOLDEN'] === '1')
      page = page.replace(
        new RegExp(`(\`\`\`${info}\n)(?:.*\n)*?(\`\`\`\n)`),
        (_, open, end) => open + text + end,
      )
    else assert.equal(codeBlock(page, info), text, info)
  }
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(PAGE, page)
})

test('both readers trust the bundle of the page, and neither one with another bit', async () => {
  const page = readFileSync(PAGE, 'utf8')
  const cwd = folderFor('verdict')
  const policy = join(cwd, 'policy.toml')
  writeFileSync(policy, codeBlock(page, 'toml policy'))
  const envelope = codeBlock(page, 'text envelope').trimEnd()
  const wrong = envelope.replace(/"sig":"(.)/, (_, first) => `"sig":"${first === 'A' ? 'B' : 'A'}`)
  for (const [name, text, verdict, code] of [
    ['minimal-1.0.0.agent.bundle', envelope, 'trusted', undefined],
    ['minimal-1.0.1.agent.bundle', envelope, 'untrusted', 'unexpected_agent'],
    ['wrong.agent.bundle', wrong, 'invalid', 'signature_invalid'],
  ] as const) {
    const path = join(cwd, name)
    writeFileSync(path, signedBundle(text))
    const given = {
      expect: null,
      dev: null,
      system: null,
      attestations: null,
      lock: null,
      clock: null,
      state: null,
    }
    const answer = await answerTo({ bundle: path, policy, ...given })
    assert.deepEqual([answer.verdict, answer.codes[0]], [verdict, code], name)
    const { stdout, status } = spawnSync(PYTHON, [join(ROOT, 'docs/spec/reader.py'), path, policy], {
      encoding: 'utf8',
    })
    if (status === 0)
      assert.deepEqual(JSON.parse(stdout), { verdict, codes: code === undefined ? [] : [code] }, name)
  }
})
