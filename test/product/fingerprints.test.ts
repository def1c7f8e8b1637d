// The fingerprint of a key is the one that ssh-keygen -l prints, wherever a key is shown to people.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fingerprintOfAnchor } from '../../src/signature/ssh.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, STRANGER, world } from '../support/install-world.ts'
import { missing } from '../support/needs.ts'
import { signer, type TestSigner } from '../support/signed.ts'

const folder = temporary('fingerprints')
const SECOND = signer(61)
const KEYS = { release: RELEASE, second: SECOND, stranger: STRANGER }
type Name = keyof typeof KEYS

/** What ssh-keygen prints of a key that is written as RFC 4253 and RFC 8709 say. */
function byKeygen(where: string, name: Name): string {
  const parts = [Buffer.from('ssh-ed25519'), KEYS[name].key.bytes].flatMap(part => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(part.length)
    return [length, part]
  })
  const file = join(where, `${name}.pub`)
  writeFileSync(file, `ssh-ed25519 ${Buffer.concat(parts).toString('base64')} ${name}\n`)
  return execFileSync('ssh-keygen', ['-l', '-f', file], { encoding: 'utf8' }).split(' ')[1] ?? ''
}

describe('fingerprints', { skip: missing('ssh-keygen') }, () => {
  const here = world(folder('shown'))
  const printed = (name: Name) => byKeygen(here.cwd, name)
  const policy = `[anchors]
acme = { keys = ["${RELEASE.anchor}", "${SECOND.anchor}"] }
`
  writeFileSync(join(here.cwd, 'policy.toml'), policy)
  chmodSync(join(here.cwd, 'policy.toml'), 0o644)
  const under = ['--trust-policy', 'policy.toml']
  here.put('one', made({}, RELEASE, STRANGER))
  here.put('both', made({}, RELEASE, SECOND))

  test('key show', async () => {
    for (const [name, { anchor }] of Object.entries(KEYS) as [Name, TestSigner][]) {
      const { envelope } = await here.rlp('key', 'show', anchor)
      assert.equal(envelope.result?.['sshFingerprint'], printed(name))
      assert.ok((await here.say('key', 'show', anchor)).stdout.includes(`fingerprint  ${printed(name)}\n`))
    }
  })

  test('trust list', async () => {
    const { envelope } = await here.rlp('trust', 'list', ...under)
    const [listed] = (envelope.result?.['policies'] ?? []) as {
      policy: { anchors: Record<string, unknown>[] }
    }[]
    assert.deepEqual(
      listed?.policy.anchors.map(({ keys, sshFingerprints }) => [keys, sshFingerprints]),
      [
        [
          [RELEASE.anchor, SECOND.anchor],
          [printed('release'), printed('second')],
        ],
      ],
    )
    const { stdout } = await here.say('trust', 'list', ...under)
    const lines = stdout.split('\n').filter(line => line.includes('SHA256:'))
    assert.deepEqual(
      lines.map(line => line.trim()),
      [printed('release'), printed('second')],
    )
  })

  test('agent inspect, in each of its formats', async () => {
    const { envelope } = await here.rlp('agent', 'inspect', 'one', ...under)
    const signers = (envelope.result?.['signers'] ?? []) as { keyid: string; sshFingerprint: string }[]
    assert.deepEqual(
      new Map(signers.map(({ keyid, sshFingerprint }) => [keyid, sshFingerprint])),
      new Map(
        [
          [RELEASE.anchor, printed('release')],
          [STRANGER.anchor, printed('stranger')],
        ].sort() as [string, string][],
      ),
    )
    for (const format of ['text', 'markdown', 'html'])
      for (const [bundle, names] of [
        ['one', ['release', 'stranger']],
        ['both', ['release', 'second']],
      ] as const) {
        const { stdout } = await here.say('agent', 'inspect', bundle, '--format', format, ...under)
        const plain = stdout.replaceAll('\\', '')
        for (const name of names)
          assert.ok(plain.includes(printed(name)), `${format} ${bundle} ${name}\n${stdout}`)
      }
  })
})

test('an identity, and what is no key, have no fingerprint', () => {
  assert.match(fingerprintOfAnchor(RELEASE.anchor) ?? '', /^SHA256:[A-Za-z0-9+/]{43}$/)
  for (const text of ['oidc:https://issuer.example?email=a%40b', 'ed25519:AAAA', 'rsa:x', ''])
    assert.equal(fingerprintOfAnchor(text), null, text)
})
