// Keys in the forms in which people carry them: each is taken, or called what it is.
import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { sign } from '../../src/library/generated/index.ts'
import { askPassphrase, newPassphrase } from '../../src/sign/ask-key.ts'
import { loadSigner } from '../../src/sign/keys.ts'
import { asPem, privateKeyIn } from '../../src/sign/signers/pem.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { signer } from '../support/signed.ts'

const folder = temporary('key-forms')
const { anchor, key } = signer(7)
const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 7)])
const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const PUBLIC = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString()

let home = ''
const before = process.env['RUNLOOP_HOME']
beforeEach(() => {
  home = folder('home')
  process.env['RUNLOOP_HOME'] = home
})
afterEach(() => {
  if (before === undefined) delete process.env['RUNLOOP_HOME']
  else process.env['RUNLOOP_HOME'] = before
})

async function json(args: readonly string[], env: Record<string, string> = {}, input = '') {
  const ran = await run([...args, '--json'], undefined, { cwd: home, env, input })
  return { exit: ran.exit, ...JSON.parse(ran.stdout) }
}

const show = (text: string) => json(['key', 'show', 'env:K'], { K: text })

describe('taken', () => {
  const ssh = Buffer.concat([
    Buffer.from('0000000b', 'hex'),
    Buffer.from('ssh-ed25519'),
    Buffer.from('00000020', 'hex'),
    key.bytes,
  ]).toString('base64')
  const forms: [name: string, text: string][] = [
    ['PEM', PEM],
    ['PEM with a mark and Windows line ends', `\ufeff${PEM.replaceAll('\n', '\r\n')}`],
    ['PEM with backslash and n for line ends', PEM.replaceAll('\n', '\\n')],
    ['PEM in base64', Buffer.from(PEM).toString('base64')],
    ['PEM in base64 on several lines', Buffer.from(PEM).toString('base64').replace(/.{40}/g, '$&\n')],
    ['PEM with backslashes in base64', Buffer.from(PEM.replaceAll('\n', '\\n')).toString('base64')],
    ['public PEM with backslash and n', PUBLIC.replaceAll('\n', '\\n')],
    ['a public key of OpenSSH', `ssh-ed25519 ${ssh} me@host`],
  ]
  for (const [name, text] of forms) {
    test(name, async () => {
      const shown = await show(text)
      assert.deepEqual([shown.exit, shown.result?.anchor], [0, anchor], shown.message)
    })
  }
  test('on standard input, for showing and for signing', async () => {
    assert.equal((await json(['key', 'show', '-'], {}, PEM)).result.anchor, anchor)
    const stdin = async function* () {
      yield Buffer.from(PEM.slice(0, 20))
      yield Buffer.from(PEM.slice(20))
    }
    const ask = () => Promise.reject(new Error('not asked'))
    const opened = await loadSigner({ which: '-', cwd: home, env: {}, ask, stdin })
    assert.deepEqual(opened.key, key)
    for (const [input, message] of [
      ['', /on standard input: it is empty/],
      ['x'.repeat(20_000), /on standard input: it has more than 16 KiB/],
      ['x', /"standard input": it holds no key in PEM/],
    ] as const) {
      const refused = await json(['key', 'show', '-'], {}, input)
      assert.deepEqual([refused.exit, refused.ok], [2, false])
      assert.match(refused.message, message)
    }
  })
})

describe('called what it is', () => {
  const pem = (name: string) => `-----BEGIN ${name}-----\nAAAA\n-----END ${name}-----\n`
  const made = {
    ec: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    k1: generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
    rsa: generateKeyPairSync('rsa', { modulusLength: 1024 }),
    ed448: generateKeyPairSync('ed448'),
    x25519: generateKeyPairSync('x25519'),
  }
  type Made = (typeof made)[keyof typeof made]
  const pkcs8 = ({ privateKey }: Made, passphrase?: string) =>
    privateKey
      .export({ type: 'pkcs8', format: 'pem', ...(passphrase && { cipher: 'aes-256-cbc', passphrase }) })
      .toString()
  const spki = ({ publicKey }: Made) => publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const old = (of: Made, type: 'sec1' | 'pkcs1', rest = {}) =>
    of.privateKey.export({ type, format: 'pem', ...rest } as never).toString()
  const text = (of: string | Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(of.length)
    return Buffer.concat([length, Buffer.from(of)])
  }
  const ssh = (kind: string, cipher = 'none') => {
    const one = Buffer.from([0, 0, 0, 1])
    const whole = ['openssh-key-v1\0', text(cipher), text('none'), text(''), one, text(text(kind))]
    const body = Buffer.concat(whole.map(part => Buffer.from(part))).toString('base64')
    return `-----BEGIN OPENSSH PRIVATE KEY-----\n${body}\n-----END OPENSSH PRIVATE KEY-----\n`
  }
  const forms: [text: string, message: RegExp][] = [
    [old(made.ec, 'sec1'), /it is an EC P-256 key$/],
    [old(made.ec, 'sec1', { cipher: 'aes-128-cbc', passphrase: 'x' }), /it is an EC key$/],
    [`${pem('EC PARAMETERS')}${old(made.ec, 'sec1')}`, /it is an EC P-256 key$/],
    [old(made.rsa, 'pkcs1'), /it is an RSA key$/],
    [pkcs8(made.ec), /it is an EC P-256 key, not an Ed25519 key$/],
    [pkcs8(made.ec, 'long enough'), /it is an EC P-256 key, not an Ed25519 key$/],
    [pkcs8(made.ec).replaceAll('\n', '\\n'), /it is an EC P-256 key, not an Ed25519 key$/],
    [Buffer.from(pkcs8(made.rsa)).toString('base64'), /it is an RSA key, not an Ed25519 key$/],
    [pkcs8(made.rsa), /it is an RSA key, not an Ed25519 key$/],
    [pkcs8(made.k1), /it is an EC secp256k1 key, not an Ed25519 key$/],
    [pkcs8(made.ed448), /it is an Ed448 key, not an Ed25519 key$/],
    [pkcs8(made.x25519), /it is an X25519 key, not an Ed25519 key$/],
    [spki(made.ec), /it is an EC P-256 key, not an Ed25519 key$/],
    [spki(made.rsa), /it is an RSA key, not an Ed25519 key$/],
    [spki(made.ed448), /it is an Ed448 key, not an Ed25519 key$/],
    [spki(made.x25519).replaceAll('\n', '\\n'), /it is an X25519 key, not an Ed25519 key$/],
    [made.rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString(), /it is an RSA key$/],
    [pem('OPENSSH PRIVATE KEY'), /it is a private key in the format of OpenSSH, which is its own$/],
    [ssh('ssh-ed25519'), /it is an Ed25519 private key in the format of OpenSSH, which is its own$/],
    [ssh('ssh-rsa', 'aes256-ctr'), /it is an encrypted RSA private key in the format of OpenSSH/],
    ['ssh-rsa AAAAB3 me', /it is an RSA public key of OpenSSH$/],
    ['ecdsa-sha2-nistp256 AAAA me', /it is an EC P-256 public key of OpenSSH$/],
    ['sk-ssh-ed25519@openssh.com AAAA me', /it is an Ed25519 security public key of OpenSSH$/],
    [pem('CERTIFICATE'), /it is a certificate$/],
    [pem('PGP PRIVATE KEY BLOCK'), /it is a key of OpenPGP$/],
    ['PuTTY-User-Key-File-3: ssh-ed25519', /it is a key of PuTTY$/],
    [pem('ENCRYPTED SIGSTORE PRIVATE KEY'), /it is a key of cosign$/],
    ['untrusted comment: minisign', /it is a key of minisign$/],
    ['{"kty":"OKP","crv":"Ed25519"}', /it is a key in JSON \(JWK\)$/],
    [pem('PRIVATE KEY'), /it is PEM, but damaged: no key can be read from it$/],
    [pem('PUBLIC KEY'), /it is PEM, but damaged: no key can be read from it$/],
    ['ssh-ed25519 AAAA', /it holds no key in PEM$/],
    [Buffer.from('nothing').toString('base64'), /it holds no key in PEM$/],
  ]
  for (const [form, message] of forms) {
    test(`${form.slice(0, 40).split('\n')[0]} ${message}`, async () => {
      for (const env of [{ K: form }, { K: '-' }]) {
        const isInput = env.K === '-'
        const given = { ...env, RLP_KEY_PASSPHRASE: 'long enough' }
        const refused = await json(['key', 'show', isInput ? '-' : 'env:K'], given, isInput ? form : '')
        assert.equal(refused.exit, 2)
        assert.match(refused.message, message)
        assert.ok(refused.hint)
      }
    })
  }
  test('bytes of DER, and a public key where a private one signs', async () => {
    const der = privateKey.export({ type: 'pkcs8', format: 'der' })
    writeFileSync(join(home, 'key.der'), der, { mode: 0o600 })
    const refused = await json(['key', 'show', './key.der'])
    assert.match(refused.message, /it is a key in DER, or another file in DER$/)
    assert.match(refused.hint, /openssl pkey -inform DER/)
    const half = await json(['key', 'import', 'x', '-', '--no-passphrase'], {}, PUBLIC)
    assert.match(half.message, /it is the public half of a key$/)
  })
  test('other text stays as it is', () => {
    for (const text of ['', 'x', 'LS0tLS1CRUdJTi', '-----BEGIN', 'ssh-ed25519 x'])
      assert.equal(asPem(text), text)
  })
})

test('import and list', async () => {
  const file = join(home, 'ci.pem')
  writeFileSync(file, PEM)
  chmodSync(file, 0o600)
  assert.deepEqual((await json(['key', 'list'])).result, { keys: [] })
  const kept = await json(['key', 'import', 'ci', './ci.pem', '--no-passphrase'])
  assert.deepEqual([kept.exit, kept.result.anchor, kept.result.encrypted], [0, anchor, false])
  const env = { SIGNING: PEM.replaceAll('\n', '\\n'), RLP_KEY_PASSPHRASE: 'long enough' }
  assert.equal((await json(['key', 'import', 'sealed', 'env:SIGNING'], env)).result.anchor, anchor)
  assert.match(readFileSync(join(home, 'keys/sealed.pem'), 'utf8'), /ENCRYPTED PRIVATE KEY/)
  assert.equal((await json(['key', 'import', 'ci', '-', '--no-passphrase'], {}, PEM)).code, 'EXISTS')
  assert.equal((await json(['key', 'import', 'pub', '-', '--no-passphrase'], {}, PUBLIC)).exit, 2)
  assert.deepEqual((await json(['key', 'list'])).result.keys, [
    { name: 'ci', anchor, encrypted: false, problem: null },
    { name: 'sealed', anchor, encrypted: true, problem: null },
  ])
})

test('a list for people: each name, whether it is encrypted, and its public half', async () => {
  const list = async (...args: string[]) =>
    (await run(['key', 'list', ...args], undefined, { cwd: home })).stdout
  assert.equal(await list(), 'No keys; rlp key generate NAME makes one\n')
  assert.equal(await list('--quiet'), '')
  assert.equal((await json(['key', 'import', 'ci', '-', '--no-passphrase'], {}, PEM)).exit, 0)
  assert.equal(await list(), `ci  not encrypted\n  ${anchor}\n`)
  assert.equal(await list('--quiet'), 'ci\n')
  const env = { SIGNING: PEM, RLP_KEY_PASSPHRASE: 'long enough' }
  assert.equal((await json(['key', 'import', 'sealed', 'env:SIGNING'], env)).exit, 0)
  writeFileSync(join(home, 'keys/wrong.pem'), 'no key', { mode: 0o600 })
  const problem = 'Cannot use the key "wrong": it holds no key in PEM'
  assert.equal(
    await list(),
    `ci  not encrypted\n  ${anchor}\nsealed  encrypted\n  ${anchor}\nwrong\n  ${problem}\n`,
  )
})

describe('passphrases', () => {
  test('one that opens a key which is of no use is asked for once, and a wrong one three times', async () => {
    const { privateKey: rsa } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const sealed = {
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'the right one',
    } as const
    const asked = async (pem: string, answer: string) => {
      let count = 0
      const ask = async () => {
        count++
        return answer
      }
      await assert.rejects(privateKeyIn(pem, { which: 'k', cwd: '.', env: {}, ask }), {
        code: 'WRONG_FILE_TYPE',
      })
      return count
    }
    assert.equal(await asked(`${rsa.export(sealed)}`, 'the right one'), 1)
    assert.equal(await asked(`${privateKey.export(sealed)}`, 'a wrong one'), 3)
  })
  test('the library asks its caller, who need not know one', async () => {
    const path = join(home, 'mini-1.0.0.agent.bundle')
    writeFileSync(path, bundleOf(agentTree()))
    const sealed = { cipher: 'aes-256-cbc', passphrase: 'the right one' }
    const key = join(home, 'k.pem')
    writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem', ...sealed }), { mode: 0o600 })
    await assert.rejects(sign(path, { key }), { code: 'NEEDS_ANSWER' })
    const asked: string[] = []
    const passphrase = async (what: string) => {
      asked.push(what)
      return 'the right one'
    }
    await sign(path, { key, passphrase })
    assert.deepEqual(asked, [key])
  })
  test('one from the environment has the length of a typed one', async () => {
    const short = await json(['key', 'generate', 'a'], { RLP_KEY_PASSPHRASE: '1234567' })
    assert.deepEqual([short.exit, short.code], [2, 'USAGE'])
    assert.match(short.hint, /^At least 8 characters/)
    assert.equal(existsSync(join(home, 'keys/a.pem')), false)
    const io = { env: { RLP_KEY_PASSPHRASE: '12345678' } } as unknown as Parameters<typeof newPassphrase>[0]
    assert.equal(await newPassphrase(io, 'a', 'generate'), '12345678')
  })
  test('what is refused is called what was asked for', async () => {
    const short = (...words: string[]) => json(words, { RLP_KEY_PASSPHRASE: '1' }, PEM)
    assert.match((await short('key', 'generate', 'z')).message, /^Cannot generate the key "z"/)
    assert.match((await short('key', 'import', 'z', '-')).message, /^Cannot import the key "z"/)
  })
  test('a mistyped one may be typed again, three times in all', async () => {
    // As OpenSSL encrypts it, with few iterations: seven guesses at one of ours take three seconds.
    const sealed = { cipher: 'aes-256-cbc', passphrase: 'the right one' }
    mkdirSync(join(home, 'keys'), { mode: 0o700 })
    writeFileSync(join(home, 'keys/b.pem'), privateKey.export({ type: 'pkcs8', format: 'pem', ...sealed }), {
      mode: 0o600,
    })
    const asked: string[] = []
    const open = (typed: readonly string[]) => {
      const left = [...typed]
      const ask = async (what: string) => {
        asked.push(what)
        return left.shift() ?? ''
      }
      return loadSigner({ which: 'b', cwd: home, env: {}, ask })
    }
    assert.ok(await open(['wrong', 'wrong too', 'the right one']))
    assert.deepEqual(asked, ['b', 'b (try again)', 'b (try again)'])
    await assert.rejects(open(['1', '2', '3', 'the right one']), { code: 'WRONG_FILE_TYPE' })
  })
  test('both questions need a terminal', async () => {
    const io = { env: {}, isTTY: { stdin: false, stderr: true } } as unknown as Parameters<
      typeof askPassphrase
    >[0]
    await assert.rejects(askPassphrase(io)('x'), { code: 'NEEDS_ANSWER' })
    await assert.rejects(newPassphrase(io, 'x', 'generate'), { code: 'NEEDS_ANSWER' })
  })
})
