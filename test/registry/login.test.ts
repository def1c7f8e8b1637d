// rlp login and logout: what a registry has taken is kept where docker keeps it, and nothing else; a name and a password are told to one
// registry.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { FakeRegistry, say } from '../support/oci-registry.ts'
import { authFile } from '../support/registry-access.ts'

const folder = temporary('login')
const HELPER = `#!/bin/sh
cat > "$LOG.$1"
[ "$1" = get ] && { [ -f "$LOG.store" ] || exit 1; echo '{"Username":"ci","Secret":"s3cret"}'; }
exit 0
`

let registry: FakeRegistry
let open: FakeRegistry
before(async () => {
  registry = await new FakeRegistry({ login: 'ci:s3cret' }).start()
  open = await new FakeRegistry().start()
})
after(async () => {
  await registry.stop()
  await open.stop()
})

let home = ''
let env: Record<string, string> = {}
beforeEach(() => {
  home = folder('home')
  mkdirSync(home, { recursive: true })
  env = { HOME: home, PATH: `${home}:/usr/bin:/bin`, LOG: join(home, 'log') }
})

const config = () => join(home, '.docker/config.json')
const kept = () => JSON.parse(readFileSync(config(), 'utf8'))
const keep = (value: object) => {
  mkdirSync(join(home, '.docker'), { recursive: true })
  writeFileSync(config(), JSON.stringify(value))
}
const auth = (text: string) => Buffer.from(text).toString('base64')

async function rlp(args: readonly string[], input = '') {
  return run(args, undefined, { cwd: home, env, input })
}
const logIn = (host = registry.host, password = 's3cret') =>
  rlp(['login', host, '--username', 'ci', '--password-stdin', '--json'], `${password}\n`)

describe('rlp login', () => {
  test('keeps what the registry takes, for its user alone, and every command finds it', async () => {
    const { exit, stdout } = await logIn()
    assert.equal(exit, 0)
    const { result } = JSON.parse(stdout)
    assert.deepEqual(result, {
      registry: registry.host,
      username: 'ci',
      changed: true,
      checked: true,
      file: config(),
    })
    assert.equal(JSON.parse((await logIn()).stdout).result.changed, false, 'the same login is kept already')
    assert.deepEqual(kept(), { auths: { [registry.host]: { auth: auth('ci:s3cret') } } })
    assert.equal(statSync(config()).mode & 0o777, 0o600)
    assert.equal(statSync(join(home, '.docker')).mode & 0o777, 0o700)
    registry.asked.length = 0
    assert.equal((await rlp(['agent', 'list', `oci://${registry.host}/agents/mini`])).exit, 0)
    assert.ok(registry.asked.some(({ authorization }) => authorization === `Basic ${auth('ci:s3cret')}`))
  })

  test('says where it is kept, and whether it can be read there', async () => {
    const shown = async () => {
      const line = ['login', registry.host, '--username', 'ci', '--password-stdin']
      return (await rlp(line, 's3cret\n')).stdout
    }
    assert.match(await shown(), /\n {2}kept in .*config\.json, as it is: the password is readable there\n$/)
    writeFileSync(join(home, 'docker-credential-fake'), HELPER, { mode: 0o755 })
    keep({ credsStore: 'fake' })
    assert.match(await shown(), /\n {2}kept by the credential helper fake\n$/)
  })

  test('keeps nothing that the registry refuses, and says nothing of the password', async () => {
    keep({ auths: { 'other.example': { auth: 'x' } } })
    const before = readFileSync(config())
    const { exit, stdout, stderr } = await logIn(registry.host, 'wr0ng')
    assert.equal(exit, 3)
    assert.match(stdout, /refused this name and password/)
    assert.doesNotMatch(stdout + stderr, /wr0ng/)
    assert.deepEqual(readFileSync(config()), before)
  })

  test('keeps nothing where the registry answers something else than whether it takes it', async () => {
    for (const [status, exit] of [
      [404, 3],
      [403, 3],
    ] as const) {
      open.meddle = (_, response) => say(response, status, '{}')
      try {
        const answered = await logIn(open.host)
        assert.equal(answered.exit, exit, answered.stdout)
        assert.match(answered.stdout, /Cannot log in at /)
        assert.equal(existsSync(config()), false)
      } finally {
        open.meddle = undefined
      }
    }
  })

  test('changes its own entry and nothing else; a file that a link leads to stays where it is', async () => {
    const elsewhere = join(home, 'dotfiles.json')
    const others = { 'other.example': { auth: 'eA==' } }
    writeFileSync(
      elsewhere,
      JSON.stringify({ auths: { ...others, [registry.host]: { identitytoken: 'old' } }, psFormat: 'x' }),
      { mode: 0o644 },
    )
    mkdirSync(join(home, '.docker'))
    symlinkSync(elsewhere, config())
    assert.equal((await logIn()).exit, 0)
    assert.deepEqual(JSON.parse(readFileSync(elsewhere, 'utf8')), {
      auths: { ...others, [registry.host]: { auth: auth('ci:s3cret') } },
      psFormat: 'x',
    })
    assert.equal(statSync(elsewhere).mode & 0o777, 0o600)
  })

  test('leaves a file alone that it cannot read', async () => {
    for (const text of ['{', '[]', '{"auths":{},"auths":{}}']) {
      mkdirSync(join(home, '.docker'), { recursive: true })
      writeFileSync(config(), text)
      const { exit, stdout } = await logIn()
      assert.equal(exit, 3)
      assert.match(stdout, /strict JSON/)
      assert.equal(readFileSync(config(), 'utf8'), text)
    }
  })

  test('gives it to the credential helper that docker’s file names, and not to the file', async () => {
    writeFileSync(join(home, 'docker-credential-fake'), HELPER, { mode: 0o755 })
    for (const named of [{ credsStore: 'fake' }, { credHelpers: { [registry.host]: 'fake' } }]) {
      keep(named)
      const { exit, stdout } = await logIn()
      assert.equal(exit, 0, stdout)
      assert.equal(JSON.parse(stdout).result.helper, 'fake')
      assert.deepEqual(kept(), named)
      assert.deepEqual(JSON.parse(readFileSync(join(home, 'log.store'), 'utf8')), {
        ServerURL: registry.host,
        Username: 'ci',
        Secret: 's3cret',
      })
      assert.equal((await rlp(['logout', registry.host])).exit, 0)
      assert.equal(readFileSync(join(home, 'log.erase'), 'utf8'), registry.host)
    }
  })

  test('says where a helper fails, and keeps nothing', async () => {
    writeFileSync(join(home, 'docker-credential-fake'), '#!/bin/sh\nexit 2\n', { mode: 0o755 })
    keep({ credsStore: 'fake' })
    const { exit, stdout } = await logIn()
    assert.equal(exit, 3)
    assert.match(stdout, /did not take the password/)
    assert.deepEqual(kept(), { credsStore: 'fake' })
  })

  test('says of a registry that did not ask that nothing was checked', async () => {
    open.asked.length = 0
    const { exit, stdout } = await logIn(open.host)
    assert.equal(exit, 0)
    assert.equal(JSON.parse(stdout).result.checked, false)
    assert.ok(open.asked.every(({ authorization }) => authorization === undefined))
    const said = await rlp(['login', open.host, '--username', 'ci', '--password-stdin'], 'x\n')
    assert.match(said.stderr, /did not ask who you are/)
  })

  test('says which file goes before the one that it has written', async () => {
    mkdirSync(join(home, '.config/containers'), { recursive: true })
    const other = join(home, '.config/containers/auth.json')
    const hidden = async (login: string) => {
      writeFileSync(other, JSON.stringify({ auths: { [registry.host]: { auth: auth(login) } } }))
      return JSON.parse((await logIn()).stdout).result.hiddenBy
    }
    assert.equal(await hidden('ci:s3cret'), undefined, 'it is the same')
    for (const login of ['ci:old', 'other:s3cret', 'old:x']) assert.equal(await hidden(login), other, login)
    const out = await rlp(['logout', registry.host, '--json'])
    assert.equal(JSON.parse(out.stdout).result.leftIn, other)
    assert.ok(existsSync(other))
  })

  for (const [args, says] of [
    [['login'], /<host> is missing/],
    [['login', 'https://r.example/v2'], /Name the host alone: r\.example\n/],
    [['login', 'oci://r.example:5000/agents/mini:1'], /Name the host alone: r\.example:5000\n/],
    [['login', 'r example'], /Name a host/],
    [['login', 'r.example', '--username', 'a'], /no person can be asked for the password/],
    [['login', 'r.example'], /no person can be asked for the name and password/],
    [['login', 'r.example', '--password-stdin'], /Say with --username who logs in/],
    [['login', 'r.example', '--username', 'a:b', '--password-stdin'], /a name with a colon/],
    [['login', 'r.example', '--username', 'a', '--password-stdin'], /the password is empty/],
  ] as const) {
    test(`refuses ${args.join(' ')}`, async () => {
      const { exit, stderr } = await rlp(args, args.some(word => word === 'a:b') ? 'x' : '')
      assert.equal(exit, 2)
      assert.match(stderr, says)
      assert.equal(existsSync(config()), false)
    })
  }
})

describe('rlp logout', () => {
  test('takes the entry away and nothing else', async () => {
    const others = { 'other.example': { auth: 'eA==' } }
    keep({ auths: { ...others, [registry.host]: { auth: auth('ci:s3cret') } }, psFormat: 'x' })
    const { exit, stdout } = await rlp(['logout', registry.host])
    assert.equal(exit, 0)
    assert.equal(stdout, `✓ logged out of ${registry.host}\n`)
    assert.deepEqual(kept(), { auths: others, psFormat: 'x' })
    const again = await rlp(['logout', registry.host])
    assert.equal(again.exit, 0)
    assert.match(again.stdout, /no login for/)
  })

  test('says where a helper does not forget it', async () => {
    writeFileSync(join(home, 'docker-credential-fake'), '#!/bin/sh\n[ "$1" = erase ] && exit 2\nexit 0\n', {
      mode: 0o755,
    })
    keep({ credsStore: 'fake' })
    const { exit, stderr } = await rlp(['logout', registry.host])
    assert.equal(exit, 3)
    assert.match(stderr, /"fake": it did not forget the password\n/)
  })

  test('says which other file still has a login, and nothing where none has', async () => {
    const entry = { auths: { [registry.host]: { auth: auth('ci:s3cret') } } }
    keep(entry)
    env = { ...env, XDG_RUNTIME_DIR: home }
    mkdirSync(join(home, 'containers'))
    writeFileSync(join(home, 'containers/auth.json'), JSON.stringify(entry))
    const left = await rlp(['logout', registry.host])
    assert.match(
      left.stderr,
      /containers\/auth\.json still has a login for .*: podman logout .* takes it away\n$/,
    )
    writeFileSync(join(home, 'containers/auth.json'), '{}')
    assert.equal((await rlp(['logout', registry.host])).stderr, '')
  })

  test('of Docker Hub takes all its names', async () => {
    keep({
      auths: { 'https://index.docker.io/v1/': { auth: auth('a:b') }, 'docker.io': { auth: auth('a:b') } },
    })
    assert.equal((await rlp(['logout', 'docker.io'])).exit, 0)
    assert.deepEqual(kept(), { auths: {} })
  })
})

test('a login is sent to its own registry alone; each other one has its own', async () => {
  const other = await new FakeRegistry({ login: 'bob:other' }).start()
  try {
    const verify = () => {
      const bundles = [registry, other].map(({ host }) => `oci://${host}/agents/mini:1`)
      return rlp(['agent', 'verify', ...bundles, '--expect', 'any'])
    }
    const told = (one: FakeRegistry) => new Set(one.asked.map(({ authorization }) => authorization))
    registry.asked.length = 0
    env = { ...env, ...authFile(home, { [registry.host]: 'ci:s3cret' }) }
    await verify()
    assert.ok(told(registry).has(`Basic ${auth('ci:s3cret')}`))
    assert.ok(!told(other).has(`Basic ${auth('ci:s3cret')}`))
    other.asked.length = 0
    authFile(home, { [registry.host]: 'ci:s3cret', [other.host]: 'bob:other' })
    await verify()
    assert.ok(told(other).has(`Basic ${auth('bob:other')}`))
    assert.ok(!told(other).has(`Basic ${auth('ci:s3cret')}`))
  } finally {
    await other.stop()
  }
})
