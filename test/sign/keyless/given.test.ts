// What a caller of the library says of signing with an identity: what is no text, no config or no option is refused before a service is asked.
import assert from 'node:assert/strict'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { PARSE_LIMITS } from '../../../src/model/limits.ts'
import { type KeylessGiven, keylessQuery, openKeyless } from '../../../src/sign/keyless/keyless.ts'
import { temporary } from '../../support/folder.ts'
import { signingWorld } from '../../support/signing-world.ts'

const world = signingWorld('keyless-given')
const folder = temporary('keyless-given-configs')

const given = async (keyless: unknown, cwd = '/') => {
  const io = { cwd, env: {}, signal: new AbortController().signal } as Parameters<typeof openKeyless>[1]
  return openKeyless(await keylessQuery(keyless as KeylessGiven, io), io)
}

describe('an identity token', () => {
  test('is a text, which is looked at when it is used', async () => {
    const keyless = await given({
      identityToken: world.services.token({ iss: 'https://i.example', sub: 'me' }),
    })
    assert.equal((await keyless.claimed('sign "b"')).subject, 'me')
    await assert.rejects((await given({ identityToken: '' })).claimed('sign "b"'), {
      code: 'WRONG_FILE_TYPE',
      message: /the identity token that was given is not used: it is empty/,
    })
  })

  test('may be left out: then the environment has to have one', async () => {
    const keyless = await given({})
    await assert.rejects(keyless.claimed('sign "b"'), { code: 'NOT_FOUND' })
  })

  test('is nothing else', async () => {
    for (const identityToken of [7, null, {}, Buffer.from('x')])
      await assert.rejects(given({ identityToken }), { code: 'USAGE', field: 'keyless' })
  })
})

describe('a signing config', () => {
  test('is a file, its address, or bytes', async () => {
    const cwd = folder('config')
    const text = JSON.stringify(world.services.signingConfig())
    writeFileSync(join(cwd, 'signing.json'), text)
    for (const signingConfig of ['signing.json', new URL(`file://${cwd}/signing.json`), Buffer.from(text)])
      assert.ok(await given({ signingConfig }, cwd))
    await assert.rejects(given({ signingConfig: 'none.json' }, cwd), { code: 'NOT_FOUND' })
    await assert.rejects(given({ signingConfig: Buffer.from('{}') }, cwd), {
      code: 'WRONG_FILE_TYPE',
      message: /^Cannot use the signing config "<signing config>": /,
    })
    for (const signingConfig of [7, null, ''])
      await assert.rejects(given({ signingConfig }, cwd), { code: 'USAGE' })
  })

  test('that is larger than any text is not read', async () => {
    const cwd = folder('large')
    writeFileSync(join(cwd, 'large.json'), '{')
    truncateSync(join(cwd, 'large.json'), PARSE_LIMITS.textBytes + 1)
    await assert.rejects(given({ signingConfig: 'large.json' }, cwd), { code: 'LIMIT_EXCEEDED' })
  })
})

test('an option that is misspelt is refused', async () => {
  await assert.rejects(given({ identitytoken: 'x' }), { code: 'USAGE' })
})
