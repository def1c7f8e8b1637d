// What the library says of a key that it made or kept, and of what cannot be a passphrase.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { keyGenerate, keyImport, keyList } from '../../src/library/generated/trust.ts'
import { generateKey } from '../../src/sign/new-key.ts'
import { temporary } from '../support/folder.ts'

const folder = temporary('key-verbs')

describe('a key that is made', () => {
  test('says whether it is encrypted, and is so on the disk', async () => {
    const home = folder('made')
    for (const [name, passphrase] of [
      ['sealed', 'long enough'],
      ['plain', false],
    ] as const) {
      const isEncrypted = passphrase !== false
      const made = await keyGenerate(name, { home, passphrase })
      assert.equal(made.encrypted, isEncrypted)
      assert.match(made.anchor, /^ed25519:/)
      const text = readFileSync(made.path, 'utf8')
      assert.equal(text.includes('ENCRYPTED PRIVATE KEY'), isEncrypted)
      const kept = await keyImport(`${name}-kept`, name, {
        home,
        passphrase: false,
        oldPassphrase: () => 'long enough',
      })
      assert.deepEqual([kept.encrypted, kept.anchor], [false, made.anchor])
    }
    assert.deepEqual(
      (await keyList({ home })).keys.map(({ name, encrypted }) => [name, encrypted]),
      [
        ['plain', false],
        ['plain-kept', false],
        ['sealed', true],
        ['sealed-kept', false],
      ],
    )
  })

  test('that has a passphrase is kept elsewhere only with it', async () => {
    const home = folder('unknown')
    await keyGenerate('sealed', { home, passphrase: 'long enough' })
    await assert.rejects(keyImport('kept', 'sealed', { home, passphrase: false, env: {} }), {
      code: 'NEEDS_ANSWER',
      hint: 'Give it in oldPassphrase, or set RLP_KEY_PASSPHRASE',
    })
  })

  test('is not there if the caller gives up before it is put in place', async () => {
    const home = folder('given up')
    await assert.rejects(generateKey('a', undefined, { home, signal: AbortSignal.abort() }), {
      code: 'CANCELLED',
    })
    assert.deepEqual(readdirSync(join(home, 'keys')), [])
    await generateKey('a', undefined, { home, signal: new AbortController().signal })
    assert.deepEqual(readdirSync(join(home, 'keys')).sort(), ['a.pem', 'a.pub'])
  })
})
