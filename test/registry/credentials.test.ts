// Who we are to a registry, as the files and helpers of docker say it: what is taken whole, and what is refused.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Deadline } from '../../src/io/wait/deadline.ts'
import { credentialFiles, credentialsFor } from '../../src/registry/http/credentials.ts'
import { temporary } from '../support/folder.ts'

const folder = temporary('credentials')
const HOST = 'r.example'

/** What is found in one file, whose entry for the host is this. */
async function found(config: object, helper?: string) {
  const home = folder('home')
  const path = join(home, 'auth.json')
  writeFileSync(path, JSON.stringify(config))
  if (helper !== undefined)
    writeFileSync(join(home, 'docker-credential-fake'), `#!/bin/sh\n${helper}\n`, { mode: 0o755 })
  const env = { HOME: home, REGISTRY_AUTH_FILE: path, PATH: `${home}:/usr/bin:/bin` }
  return credentialsFor([HOST], { env }, new Deadline(new AbortController().signal))
}

const auth = (text: string) => ({ auths: { [HOST]: { auth: Buffer.from(text).toString('base64') } } })

test('an empty file holds no login, and one that is no JSON cannot be used', async () => {
  const home = folder('empty')
  const path = join(home, 'auth.json')
  const asked = (text: string) => {
    writeFileSync(path, text)
    const env = { HOME: home, REGISTRY_AUTH_FILE: path }
    return credentialsFor([HOST], { env }, new Deadline(new AbortController().signal))
  }
  assert.equal(await asked(''), undefined)
  assert.equal(await asked('{}'), undefined)
  await assert.rejects(asked(' '), { code: 'STORE', message: /it is not strict JSON/ })
  assert.equal(await asked('{}'.padEnd(1024 * 1024)), undefined)
  await assert.rejects(asked('{}'.padEnd(1024 * 1024 + 1)), {
    code: 'STORE',
    message: /it has more than 1048576 bytes/,
  })
})

describe('an entry', () => {
  test('is a name up to the first colon, and all that follows', async () => {
    assert.deepEqual(await found(auth('alice:pass')), { username: 'alice', password: 'pass' })
    assert.deepEqual(await found(auth('alice:pa:ss:')), { username: 'alice', password: 'pa:ss:' })
    assert.deepEqual(await found(auth('a:')), { username: 'a', password: '' })
    for (const text of ['alice', ':pass'])
      await assert.rejects(found(auth(text)), /not a name and a password in base64/, text)
  })

  test('holds no control character; NUL at its end is padding', async () => {
    for (const padding of ['', '\0', '\0\0', '\0\0\0'])
      assert.deepEqual(await found(auth(`alice:pass${padding}`)), { username: 'alice', password: 'pass' })
    assert.deepEqual(await found(auth('alice:~ é')), { username: 'alice', password: '~ é' })
    for (const text of ['al\0ice:pass', 'alice:pa\nss', 'alice:pass\r\nx: y', 'alice:\u001f', 'alice:\u007f'])
      await assert.rejects(found(auth(text)), /holds a control character/, JSON.stringify(text))
  })

  test('may be a token, which goes before a password', async () => {
    const both = (identitytoken: string) => ({
      auths: { [HOST]: { ...auth('alice:pass').auths[HOST], identitytoken } },
    })
    assert.deepEqual(await found(both('token')), { username: '', password: '', identityToken: 'token' })
    assert.equal((await found(both('')))?.username, 'alice')
    await assert.rejects(found(both('to\nken')), /holds a control character/)
  })
})

describe('a helper', () => {
  const config = { credHelpers: { [HOST]: 'fake' } }
  const says = (answer: object) => `cat >/dev/null; echo '${JSON.stringify(answer)}'`

  test('says a name and a password, or a token', async () => {
    assert.deepEqual(await found(config, says({ Username: 'alice', Secret: 'a:b' })), {
      username: 'alice',
      password: 'a:b',
    })
    assert.deepEqual(await found(config, says({ Username: '<token>', Secret: 'x' })), {
      username: '',
      password: '',
      identityToken: 'x',
    })
  })

  test('that is not there is said by its name, and a path is no name', async () => {
    for (const name of ['none', '../fake', 'a/b'])
      await assert.rejects(found({ credHelpers: { [HOST]: name } }, 'exit 1'), /there is no such program/)
  })

  test('that cannot be started is said to be so', async () => {
    const home = folder('not-started')
    writeFileSync(join(home, 'auth.json'), JSON.stringify(config))
    writeFileSync(join(home, 'docker-credential-fake'), '#!/bin/sh\n', { mode: 0o644 })
    const env = { HOME: home, REGISTRY_AUTH_FILE: join(home, 'auth.json'), PATH: home }
    const asking = credentialsFor([HOST], { env }, new Deadline(new AbortController().signal))
    await assert.rejects(asking, { code: 'STORE', message: /"fake": it cannot be started$/ })
  })

  test('that ends with 1 knows nothing: the entry counts; with any other code it has failed', async () => {
    const both = { ...config, ...auth('alice:pass') }
    assert.equal(await found(config, 'exit 1'), undefined)
    assert.equal((await found(both, 'exit 1'))?.username, 'alice')
    for (const code of [2, 127])
      await assert.rejects(
        found(both, `${says({ Username: 'eve', Secret: 'x' })}; exit ${code}`),
        /it failed/,
      )
  })

  test('that says anything else is not believed', async () => {
    for (const answer of [
      { Username: 'alice' },
      { Secret: 'x' },
      { Username: 'al\u0001ice', Secret: 'x' },
      { Username: 'alice', Secret: 'x\u007f' },
      { Username: 1, Secret: 'x' },
    ])
      await assert.rejects(
        found(config, says(answer)),
        /not one of a credential helper/,
        JSON.stringify(answer),
      )
  })
})

test('files of logins are asked in one order, and docker’s is first where it is named', () => {
  const own = { HOME: '/h' }
  assert.deepEqual(credentialFiles(own), ['/h/.config/containers/auth.json', '/h/.docker/config.json'])
  assert.deepEqual(
    credentialFiles({ ...own, DOCKER_CONFIG: '/d', REGISTRY_AUTH_FILE: '/p', XDG_RUNTIME_DIR: '/r' }),
    ['/d/config.json', '/p', '/r/containers/auth.json', '/h/.config/containers/auth.json'],
  )
})
