// Keys: made once and never over another, for their owner's eyes only, and the same to openssl in both directions. Fewer processes make
// keys at once than in `.ci/run`.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { loadSigner } from '../../src/sign/keys.ts'
import { encryptedPem, plainPem, readPem } from '../../src/signature/pem.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { missing } from '../support/needs.ts'
import { IS_ROOT, NOBODY, rlp } from '../support/run.ts'
import { upTo } from '../support/runs.ts'
import { KEYS, keyFile } from '../support/trust-world.ts'

const folderFor = temporary('keys')
const hasOpenssl = spawnSync('openssl', ['version']).status === 0
const skip = hasOpenssl ? false : 'openssl is not here'
const isPosix = process.getuid !== undefined
/** Of the key `mine`, with a letter that is not ASCII. */
const PASSPHRASE = 'correct horse ü'

/** `openssl`, which must succeed. */
function openssl(args: readonly string[], input?: string | Uint8Array): Buffer {
  const { status, stdout, stderr } = spawnSync('openssl', args, { input })
  assert.equal(status, 0, String(stderr))
  return stdout
}

let home = ''
let cwd = ''

before(() => {
  home = folderFor('home')
  cwd = folderFor('cwd')
  process.env['RUNLOOP_HOME'] = home
})

/** A command in process, with `--json`. */
async function json(args: readonly string[], env: Record<string, string> = {}) {
  const { exit, stdout } = await run([...args, '--json'], undefined, { cwd, env })
  return { exit, ...JSON.parse(stdout) }
}
const show = (which: string, env?: Record<string, string>) => json(['key', 'show', which], env)

describe('generate', () => {
  test('an encrypted key that only its owner can read, and its public half', async () => {
    const made = await json(['key', 'generate', 'mine'], { RLP_KEY_PASSPHRASE: PASSPHRASE })
    assert.equal(made.exit, 0)
    const { path, publicPath, anchor, encrypted } = made.result
    assert.deepEqual(
      [path, publicPath, encrypted],
      [join(home, 'keys/mine.pem'), join(home, 'keys/mine.pub'), true],
    )
    if (isPosix) {
      assert.equal(statSync(path).mode & 0o777, 0o600)
      assert.equal(statSync(join(home, 'keys')).mode & 0o777, 0o700)
    }
    const pem = readFileSync(path, 'utf8')
    assert.match(pem, /^-----BEGIN ENCRYPTED PRIVATE KEY-----\n/)
    const key = createPrivateKey({ key: pem, passphrase: PASSPHRASE })
    assert.equal(key.asymmetricKeyType, 'ed25519')
    const raw = createPublicKey(readFileSync(publicPath))
      .export({ format: 'der', type: 'spki' })
      .subarray(-32)
    assert.equal(anchor, `ed25519:${raw.toString('base64')}`)
    assert.deepEqual(readdirSync(join(home, 'keys')).sort(), ['mine.pem', 'mine.pub'])
  })

  test('modes do not depend on the umask', { skip: isPosix ? false : 'no modes here' }, async () => {
    for (const umask of [0o077, 0o000]) {
      const name = `umask-${umask.toString(8)}`
      const was = process.umask(umask)
      try {
        assert.equal((await json(['key', 'generate', name, '--no-passphrase'])).exit, 0)
      } finally {
        process.umask(was)
      }
      assert.equal(statSync(join(home, `keys/${name}.pem`)).mode & 0o777, 0o600)
      assert.equal(statSync(join(home, `keys/${name}.pub`)).mode & 0o777, 0o644)
    }
  })

  test('without a passphrase only when told so', async () => {
    const refused = await json(['key', 'generate', 'plain'])
    assert.deepEqual([refused.exit, refused.code], [2, 'NEEDS_ANSWER'])
    assert.equal((await json(['key', 'generate', 'plain'], { RLP_KEY_PASSPHRASE: '' })).code, 'NEEDS_ANSWER')
    assert.equal(existsSync(join(home, 'keys/plain.pem')), false)
    const { exit, stderr } = await run(['key', 'generate', 'plain', '--no-passphrase'], undefined, {
      env: { RUNLOOP_HOME: home },
    })
    assert.deepEqual(
      [exit, stderr],
      [0, 'The key is not encrypted: everybody who reads the file can sign as you\n'],
    )
    assert.match(readFileSync(join(home, 'keys/plain.pem'), 'utf8'), /^-----BEGIN PRIVATE KEY-----\n/)
  })

  test('never over something that is there', async () => {
    for (const half of ['pem', 'pub']) {
      const path = join(home, `keys/taken-${half}.${half}`)
      writeFileSync(path, 'mine', { mode: 0o600 })
      const { exit, code, message } = await json(['key', 'generate', `taken-${half}`, '--no-passphrase'])
      assert.deepEqual([exit, code], [2, 'EXISTS'])
      assert.match(message, new RegExp(`^Cannot generate the key "taken-${half}": .*\\.${half} is there$`))
      assert.equal(readFileSync(path, 'utf8'), 'mine')
      assert.equal(readdirSync(join(home, 'keys')).filter(name => name.startsWith(`taken-${half}`)).length, 1)
    }
    symlinkSync('/nowhere', join(home, 'keys/dangling.pem'))
    assert.equal((await json(['key', 'generate', 'dangling', '--no-passphrase'])).code, 'EXISTS')
  })

  test('not where a file is in place of the folder', async () => {
    const keys = join(home, 'keys')
    renameSync(keys, `${keys}.aside`)
    writeFileSync(keys, 'mine')
    try {
      const { exit, code, message, hint } = await json(['key', 'generate', 'below', '--no-passphrase'])
      assert.deepEqual([exit, code], [2, 'WRONG_FILE_TYPE'])
      assert.match(`${message} ${hint}`, /keys": a file is there Choose another place, or rename the file$/)
      assert.equal(readFileSync(keys, 'utf8'), 'mine')
    } finally {
      rmSync(keys)
      renameSync(`${keys}.aside`, keys)
    }
  })

  test('no name that leads elsewhere', async () => {
    for (const name of ['../x', 'a/b', 'a.b', '.x', '', 'ä', 'a b', `${'x'.repeat(65)}`])
      assert.deepEqual((await json(['key', 'generate', name, '--no-passphrase'])).exit, 2, name)
  })

  test('no passphrase that would not open it again', async () => {
    const { exit, code } = await json(['key', 'generate', 'long'], { RLP_KEY_PASSPHRASE: 'x'.repeat(5000) })
    assert.deepEqual([exit, code], [2, 'USAGE'])
    assert.equal(existsSync(join(home, 'keys/long.pem')), false)
  })

  test('half a key that a killed run left is gone with the next one; what a live run makes stays', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    const folder = join(home, 'keys')
    const dead = `.left.pem.rlp-${pid}-0123456789ab`
    const alive = `.left.pem.rlp-${process.pid}-0123456789ab`
    for (const name of [dead, alive]) writeFileSync(join(folder, name), 'half', { mode: 0o600 })
    assert.equal((await json(['key', 'generate', 'next', '--no-passphrase'])).exit, 0)
    assert.deepEqual(
      readdirSync(folder).filter(name => name.startsWith('.')),
      [alive],
    )
    rmSync(join(folder, alive))
  })

  test('the public half of a key whose private half was never put in place: the next run makes it anew', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    const folder = join(home, 'keys')
    // As a run leaves it that is killed between the two.
    const staged = join(folder, `.half.pub.rlp-${pid}-0123456789ab`)
    writeFileSync(staged, 'stale', { mode: 0o644 })
    linkSync(staged, join(folder, 'half.pub'))
    writeFileSync(join(folder, `.half.pem.rlp-${pid}-ba9876543210`), 'half', { mode: 0o600 })
    // A public key of another person is no such half.
    writeFileSync(join(folder, 'theirs.pub'), 'theirs')
    assert.equal((await json(['key', 'generate', 'theirs', '--no-passphrase'])).exit, 2)
    assert.equal((await json(['key', 'generate', 'half', '--no-passphrase'])).exit, 0)
    assert.match(readFileSync(join(folder, 'half.pub'), 'utf8'), /BEGIN PUBLIC KEY/)
    assert.equal(readFileSync(join(folder, 'theirs.pub'), 'utf8'), 'theirs')
    assert.deepEqual(
      readdirSync(folder).filter(name => name.startsWith('.')),
      [],
    )
  })

  test('many at once under one name: exactly one', { timeout: 120_000 }, async () => {
    const inProcess = await Promise.all(
      Array.from({ length: 42 }, () => json(['key', 'generate', 'race', '--no-passphrase'])),
    )
    const processes = await Promise.all(
      Array.from({ length: upTo(3, 8) }, () =>
        rlp(['key', 'generate', 'race', '--no-passphrase', '--json'], { cwd, env: { RUNLOOP_HOME: home } }),
      ),
    )
    const all = [...inProcess, ...processes.map(({ stdout, exit }) => ({ exit, ...JSON.parse(stdout) }))]
    const won = all.filter(({ exit }) => exit === 0)
    assert.equal(won.length, 1)
    assert.deepEqual([...new Set(all.filter(({ exit }) => exit !== 0).map(({ code }) => code))], ['EXISTS'])
    // Both halves are the winner's.
    const key = createPrivateKey(readFileSync(join(home, 'keys/race.pem')))
    const half = createPublicKey(key).export({ format: 'pem', type: 'spki' })
    assert.equal(readFileSync(join(home, 'keys/race.pub'), 'utf8'), half)
    assert.equal((await show('race')).result.anchor, won[0].result.anchor)
    assert.deepEqual(
      readdirSync(join(home, 'keys'))
        .filter(name => name.startsWith('race'))
        .sort(),
      ['race.pem', 'race.pub'],
    )
  })
})

describe('show', () => {
  const { anchor } = KEYS.release

  test('anchor string, fingerprint and PEM, from every kind of place', async () => {
    const pem = readFileSync(keyFile('release'), 'utf8')
    const file = join(cwd, 'release.pem')
    writeFileSync(file, pem, { mode: 0o600 })
    const places: [string, Record<string, string>?][] = [
      [keyFile('release', 'pub')],
      [file],
      ['./release.pem'],
      ['env:CI_KEY', { CI_KEY: pem }],
      ['env:CI_PUBLIC', { CI_PUBLIC: readFileSync(keyFile('release', 'pub'), 'utf8') }],
      [anchor],
      [`ed25519:${KEYS.release.raw.toString('hex')}`],
    ]
    for (const [which, env] of places) {
      const { exit, result } = await show(which, env)
      assert.deepEqual([exit, result.anchor], [0, anchor], which)
      assert.equal(result.pem, readFileSync(keyFile('release', 'pub'), 'utf8'))
    }
    const { stdout } = await run(['key', 'show', anchor], undefined, { cwd })
    assert.match(stdout, /^anchor {7}ed25519:\S+\nfingerprint {2}SHA256:[A-Za-z0-9+/]{43}\n-----BEGIN PUBLIC/)
  })

  test('the fingerprint is the one of ssh-keygen -l', { skip: missing('ssh-keygen') }, async () => {
    const parts = [Buffer.from('ssh-ed25519'), KEYS.release.raw].flatMap(part => {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(part.length)
      return [length, part]
    })
    const file = join(cwd, 'release.ssh.pub')
    writeFileSync(file, `ssh-ed25519 ${Buffer.concat(parts).toString('base64')} x\n`)
    const printed = spawnSync('ssh-keygen', ['-lf', file], { encoding: 'utf8' }).stdout
    const { result } = await show(anchor)
    assert.equal(result.sshFingerprint, printed.split(' ')[1])
  })

  test('an encrypted key without asking, by its public half', async () => {
    const { exit, result } = await show('mine')
    assert.equal(exit, 0)
    assert.match(result.anchor, /^ed25519:/)
  })

  const key = KEYS.release.private
  const bad: [what: string, content: string | Buffer, code: string, message: RegExp][] = [
    ['empty', '', 'WRONG_FILE_TYPE', /holds no key/],
    ['a text', 'hello', 'WRONG_FILE_TYPE', /holds no key/],
    ['DER', key.export({ format: 'der', type: 'pkcs8' }), 'WRONG_FILE_TYPE', /it is a key in DER/],
    ['damaged', plainPem(key).replace('MC4C', 'MC4D'), 'WRONG_FILE_TYPE', /it is PEM, but damaged/],
    ['two keys', plainPem(key) + plainPem(KEYS.dev.private), 'WRONG_FILE_TYPE', /more than one PEM/],
    [
      'a public and a private one',
      readFileSync(keyFile('dev', 'pub'), 'utf8') + plainPem(key),
      'WRONG_FILE_TYPE',
      /more than one PEM/,
    ],
    ['too large', Buffer.alloc(20_000, 32), 'WRONG_FILE_TYPE', /20000 bytes/],
    ['of small order', publicPemOf(Buffer.from([1, ...Array(31).fill(0)])), 'WRONG_FILE_TYPE', /small order/],
    ['no point', publicPemOf(Buffer.alloc(32, 0xab)), 'WRONG_FILE_TYPE', /canonical/],
  ]
  for (const [what, content, code, message] of bad) {
    test(`${what} is refused`, async () => {
      const file = join(cwd, 'bad.pem')
      writeFileSync(file, content, { mode: 0o600 })
      const shown = await show('./bad.pem')
      assert.deepEqual([shown.exit, shown.code], [2, code])
      assert.match(shown.message, message)
    })
  }

  test('what is not there, or no key', async () => {
    for (const which of ['none', './none', 'env:NONE', 'ed25519:AAAA', './'])
      assert.ok([2, 3].includes((await show(which)).exit), which)
    const { code, hint } = await show('none')
    assert.deepEqual([code, /^rlp key list shows .* \.\/none$/.test(hint)], ['NOT_FOUND', true])
    const query = { which: 'none', cwd, env: {}, ask: async () => '' }
    await assert.rejects(loadSigner(query), { hint: /rlp key generate none makes this one/ })
    assert.equal((await show('./none')).hint, 'Check the path')
    assert.equal((await show('env:NONE')).code, 'NOT_FOUND')
    assert.equal((await show('ed25519:AAAA')).code, 'USAGE')
  })

  test('a key of another algorithm', { skip }, async () => {
    // RSA of 1024 bits, because it is found sooner.
    for (const [algorithm = '', ...more] of [
      ['ed448'],
      ['x25519'],
      ['rsa', '-pkeyopt', 'rsa_keygen_bits:1024'],
    ]) {
      const file = join(cwd, `${algorithm}.pem`)
      writeFileSync(file, openssl(['genpkey', '-algorithm', algorithm, ...more]), { mode: 0o600 })
      const shown = await show(`./${algorithm}.pem`)
      assert.deepEqual([shown.exit, shown.code], [2, 'WRONG_FILE_TYPE'], algorithm)
      assert.match(shown.message, /not an Ed25519 key/)
    }
  })
})

describe('a key written out in place of its name', () => {
  const pem = readFileSync(keyFile('release'), 'utf8')
  const body = pem.split('\n')[1] ?? ''
  const told = 'Cannot use the key: it is written out in place of its name'
  for (const [what, text] of [
    ['its PEM', pem],
    ['on one line', pem.replaceAll('\n', ' ')],
    ['behind env:', `env:${pem}`],
    ['its middle', body],
  ] as const) {
    test(`${what}: is not said again`, async () => {
      for (const args of [
        ['key', 'show', text],
        ['key', 'generate', text, '--no-passphrase'],
        ['agent', 'sign', keyFile('release'), '--key', text],
        ['trust', 'add', 'x', text],
      ]) {
        const { exit, stdout, stderr } = await run(args, undefined, { cwd })
        assert.equal(exit, 2)
        const asJson = await json(args)
        assert.equal(asJson.exit, 2)
        // What begins with a dash is taken for an option before it is taken for a key.
        if (!text.startsWith('-')) {
          assert.ok(stderr.startsWith(`rlp: ${told}\nhint: Name it, its file, or env:VAR`), stderr)
          assert.equal(asJson.message, told)
        }
        for (const part of [body, body.slice(25)])
          assert.ok(!(stdout + stderr + JSON.stringify(asJson)).includes(part))
      }
    })
  }
})

describe('who else can read it', { skip: isPosix ? false : 'no modes here' }, () => {
  const modes: [mode: number, exit: number][] = [
    [0o600, 0],
    [0o400, 0],
    [0o640, 3],
    [0o604, 3],
    [0o660, 3],
    [0o666, 3],
    [0o644, 3],
    [0o601, 3],
  ]
  for (const [mode, exit] of modes) {
    test(`${mode.toString(8)}: ${exit === 0 ? 'used' : 'refused'}`, async () => {
      const file = join(cwd, 'mode.pem')
      writeFileSync(file, readFileSync(keyFile('release')))
      chmodSync(file, mode)
      const { exit: found, code } = await show('./mode.pem')
      assert.deepEqual([found, code], [exit, exit === 0 ? undefined : 'NO_PERMISSION'])
      symlinkSync('mode.pem', join(cwd, `link-${mode}`))
      assert.equal((await show(`./link-${mode}`)).exit, exit)
      chmodSync(file, 0o600)
    })
  }

  test('a public half that others may write is not believed', async () => {
    const half = join(home, 'keys/mine.pub')
    chmodSync(half, 0o666)
    assert.equal((await show('mine')).code, 'NO_PERMISSION')
    chmodSync(half, 0o644)
    assert.equal((await show('mine')).exit, 0)
  })

  test('a key of another user', { skip: IS_ROOT ? false : 'only root can be another user' }, async () => {
    const folder = folderFor('other')
    chmodSync(folder, 0o777)
    writeFileSync(join(folder, 'key.pem'), readFileSync(keyFile('release')), { mode: 0o600 })
    const ran = await rlp(['key', 'show', './key.pem', '--json'], { cwd: folder, uid: NOBODY })
    assert.deepEqual([ran.exit, JSON.parse(ran.stdout).code], [3, 'NO_PERMISSION'])
  })
})

describe('passphrases', () => {
  test('open a key, and only the right one does', async () => {
    // As OpenSSL encrypts it, with few rounds: ours are opened where they are made, and by openssl below.
    const sealed = { cipher: 'aes-256-cbc', passphrase: 'pass word ü' }
    const pem = KEYS.release.private.export({ type: 'pkcs8', format: 'pem', ...sealed })
    writeFileSync(join(cwd, 'enc.pem'), pem, { mode: 0o600 })
    const open = (passphrase?: string) =>
      show('./enc.pem', passphrase === undefined ? {} : { RLP_KEY_PASSPHRASE: passphrase })
    assert.equal((await open('pass word ü')).result.anchor, KEYS.release.anchor)
    const wrong = await open('pass word')
    assert.deepEqual([wrong.exit, wrong.code], [2, 'WRONG_FILE_TYPE'])
    assert.match(wrong.message, /the passphrase does not open it/)
    for (const none of [undefined, '']) assert.equal((await open(none)).code, 'NEEDS_ANSWER')
  })

  test('are stretched 600,000 times', () => {
    const der = derOf(readFileSync(join(home, 'keys/mine.pem'), 'utf8'))
    assert.ok(der.includes(Buffer.from([0x02, 0x03, 0x09, 0x27, 0xc0])), 'INTEGER 600000')
    assert.ok(der.includes(Buffer.from('2a864886f70d0209', 'hex')), 'HMAC with SHA-256')
    assert.ok(der.includes(Buffer.from('60864801650304012a', 'hex')), 'AES-256-CBC')
    // Each with its own salt.
    const pbkdf2 = Buffer.from('2a864886f70d01050c', 'hex')
    const saltOf = (der: Buffer) => der.subarray(der.indexOf(pbkdf2) + 13).subarray(0, 16)
    const other = derOf(encryptedPem(KEYS.release.private, PASSPHRASE))
    assert.ok(der.includes(pbkdf2) && other.includes(pbkdf2))
    assert.notDeepEqual(saltOf(other), saltOf(der))
  })
})

describe('openssl', { skip }, () => {
  test('reads our keys, encrypted and not, and signs with them what we verify', async () => {
    for (const [name, args] of [
      ['mine', ['-passin', `pass:${PASSPHRASE}`]],
      ['plain', []],
    ] as const) {
      const path = join(home, `keys/${name}.pem`)
      const message = join(cwd, 'message')
      writeFileSync(message, 'hello')
      const signature = openssl(['pkeyutl', '-sign', '-rawin', '-in', message, '-inkey', path, ...args])
      assert.ok(
        verify(
          null,
          Buffer.from('hello'),
          createPublicKey(readFileSync(join(home, `keys/${name}.pub`))),
          signature,
        ),
      )
    }
    // Of the one that opens at once.
    const half = openssl(['pkey', '-in', join(home, 'keys/plain.pem'), '-pubout'])
    assert.equal(String(half), readFileSync(join(home, 'keys/plain.pub'), 'utf8'))
    const text = String(openssl(['asn1parse', '-in', join(home, 'keys/mine.pem')]))
    assert.match(text, /PBKDF2[\s\S]*INTEGER +:0927C0[\s\S]*hmacWithSHA256[\s\S]*aes-256-cbc/)
  })

  const made: [what: string, args: readonly string[]][] = [
    ['genpkey', ['genpkey', '-algorithm', 'ed25519']],
    ['genpkey with AES', ['genpkey', '-algorithm', 'ed25519', '-aes256', '-pass', 'pass:correct horse']],
    [
      'pkcs8 with PBKDF2',
      ['pkcs8', '-topk8', '-v2', 'aes-256-cbc', '-iter', '20000', '-passout', 'pass:correct horse'],
    ],
    ['pkcs8 with scrypt', ['pkcs8', '-topk8', '-scrypt', '-passout', 'pass:correct horse']],
  ]
  for (const [what, args] of made) {
    test(`we read its keys: ${what}`, async () => {
      const input = args[0] === 'pkcs8' ? readFileSync(keyFile('second')) : undefined
      const pem = openssl(args, input)
      writeFileSync(join(cwd, 'theirs.pem'), pem, { mode: 0o600 })
      const { exit, result } = await show('./theirs.pem', { RLP_KEY_PASSPHRASE: 'correct horse' })
      assert.equal(exit, 0)
      const read = readPem(String(pem), 'correct horse')
      assert.ok(read.ok)
      const message = join(cwd, 'to-verify')
      writeFileSync(message, 'hello')
      writeFileSync(join(cwd, 'signature'), sign(null, Buffer.from('hello'), read.key))
      writeFileSync(join(cwd, 'theirs.pub'), result.pem)
      openssl([
        'pkeyutl',
        '-verify',
        '-rawin',
        '-in',
        message,
        '-pubin',
        '-inkey',
        join(cwd, 'theirs.pub'),
        '-sigfile',
        join(cwd, 'signature'),
      ])
      if (input !== undefined) assert.equal(result.anchor, KEYS.second.anchor)
    })
  }
})

test('there is no key folder before there is a key', async () => {
  const empty = folderFor('empty')
  const ran = await rlp(['key', 'generate', 'first', '--no-passphrase'], {
    cwd,
    env: { RUNLOOP_HOME: join(empty, 'a/b') },
  })
  assert.equal(ran.exit, 0)
  if (isPosix) assert.equal(statSync(join(empty, 'a/b/keys')).mode & 0o777, 0o700)
})

function derOf(pem: string): Buffer {
  return Buffer.from(pem.replace(/-----.*-----/g, ''), 'base64')
}

/** SPKI PEM of any 32 bytes. */
function publicPemOf(raw: Uint8Array): string {
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw])
  return `-----BEGIN PUBLIC KEY-----\n${der.toString('base64')}\n-----END PUBLIC KEY-----\n`
}
