// How large a key may be in each of its places, and what is said of a file that holds none.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { loadPublicKey, loadSigner } from '../../src/sign/keys.ts'
import { listKeys } from '../../src/sign/named-keys.ts'
import { encryptedPem } from '../../src/signature/pem.ts'
import { temporary } from '../support/folder.ts'
import { KEYS, keyFile } from '../support/trust-world.ts'

const folder = temporary('key-places')
const MOST = 16 * 1024
const PEM = readFileSync(keyFile('release'), 'utf8')
const longer = (text: string, size: number) => text.padEnd(size, '\n')
const query = (which: string, cwd: string) => ({ which, cwd, home: cwd, env: {}, ask: async () => '' })

describe('a key of 16 KiB is the largest', () => {
  test('in a file', async () => {
    const cwd = folder('file')
    writeFileSync(join(cwd, 'k'), longer(PEM, MOST), { mode: 0o600 })
    assert.deepEqual(Buffer.from((await loadSigner(query('./k', cwd))).key.bytes), KEYS.release.raw)
    writeFileSync(join(cwd, 'k'), longer(PEM, MOST + 1), { mode: 0o600 })
    const refusal = { code: 'WRONG_FILE_TYPE', message: 'Cannot use "k" as a key: it has 16385 bytes' }
    await assert.rejects(loadSigner(query('./k', cwd)), refusal)
    await assert.rejects(loadPublicKey(query('./k', cwd)), refusal)
  })

  test('on standard input', async () => {
    const from = (size: number) => ({
      ...query('-', '/'),
      stdin: async function* () {
        yield Buffer.from(longer(PEM, size))
      },
    })
    assert.deepEqual(Buffer.from((await loadSigner(from(MOST))).key.bytes), KEYS.release.raw)
    await assert.rejects(loadSigner(from(MOST + 1)), { code: 'WRONG_FILE_TYPE', message: /more than 16 KiB/ })
  })

  test('on standard input, which not every caller has', async () => {
    const refusal = { code: 'WRONG_FILE_TYPE', message: /on standard input: this call reads none$/ }
    await assert.rejects(loadSigner(query('-', '/')), refusal)
  })

  test('in the list of keys', async () => {
    const home = folder('list')
    mkdirSync(join(home, 'keys'), { mode: 0o700 })
    const text = longer(encryptedPem(KEYS.release.private, 'long enough'), MOST)
    writeFileSync(join(home, 'keys/large.pem'), text, { mode: 0o600 })
    writeFileSync(join(home, 'keys/large.pub'), readFileSync(keyFile('release', 'pub')))
    const { anchor } = KEYS.release
    const { keys } = await listKeys(home)
    assert.deepEqual(keys, [{ name: 'large', anchor, encrypted: true, problem: null }])
    writeFileSync(join(home, 'keys/large.pem'), `${text}\n`, { mode: 0o600 })
    const [larger] = (await listKeys(home)).keys
    assert.deepEqual([larger?.anchor, larger?.encrypted], [null, null])
    assert.match(larger?.problem ?? '', /^Cannot use ".*large\.pem" as a key: it has 16385 bytes$/)
  })
})

describe('what a name leads to', () => {
  test('is listed with what is wrong with it', async () => {
    const home = folder('problems')
    mkdirSync(join(home, 'keys/folder.pem'), { recursive: true, mode: 0o700 })
    const text = encryptedPem(KEYS.release.private, 'long enough')
    writeFileSync(join(home, 'keys/half.pem'), text, { mode: 0o600 })
    writeFileSync(join(home, 'keys/not.a.name.pem'), text, { mode: 0o600 })
    writeFileSync(join(home, 'keys/other.txt'), text, { mode: 0o600 })
    const [first, second, ...others] = (await listKeys(home)).keys
    assert.deepEqual(others, [])
    assert.deepEqual([first?.name, first?.anchor, first?.encrypted], ['folder', null, null])
    assert.match(first?.problem ?? '', /folder/)
    assert.deepEqual(second, {
      name: 'half',
      anchor: null,
      encrypted: true,
      problem: 'its public half is missing, and it is encrypted',
    })
  })

  test('is called what it is, and only a missing one gets the hint about names', async () => {
    const home = folder('hints')
    mkdirSync(join(home, 'keys/folder.pem'), { recursive: true, mode: 0o700 })
    const hintOf = async (which: string) => {
      const error = await loadSigner(query(which, home)).catch((error: unknown) => error)
      return (error as { readonly hint: string }).hint
    }
    assert.match(await hintOf('none'), /^rlp key list shows .* rlp key generate none makes this one/)
    assert.doesNotMatch(await hintOf('folder'), /rlp key list/)
  })

  test('has to be closed to others where it signs, whatever is in it', async () => {
    const cwd = folder('open')
    writeFileSync(join(cwd, 'open.pub'), readFileSync(keyFile('release', 'pub')), { mode: 0o644 })
    const skipped = process.getuid === undefined
    if (!skipped) await assert.rejects(loadSigner(query('./open.pub', cwd)), { code: 'NO_PERMISSION' })
    assert.ok(await loadPublicKey(query('./open.pub', cwd)))
  })
})
