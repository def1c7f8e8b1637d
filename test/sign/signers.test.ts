// Signers that are other programs: what they answer is checked before anything is written, and whatever they do, the bundle stays.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createPublicKey, generateKeyPairSync, sign as signWith } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { outline } from '../../src/agent/read-in-turns.ts'
import { execEnvironment } from '../../src/call/exec/plan.ts'
import { commandSecrets } from '../../src/call/secrets/command.ts'
import { grantedVariables } from '../../src/call/secrets.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import { Running } from '../../src/io/process/running.ts'
import { withoutKeys } from '../../src/io/process/without-keys.ts'
import { Deadline } from '../../src/io/wait/deadline.ts'
import { sign } from '../../src/library/generated/index.ts'
import type { ErrorCode } from '../../src/model/error.ts'
import type { Signer } from '../../src/model/signer.ts'
import type { Tool } from '../../src/model/tools.ts'
import { systemLookup } from '../../src/net/internet.ts'
import { askHelper } from '../../src/registry/http/credentials.ts'
import { signBytes } from '../../src/sign/sign.ts'
import { keySpellings } from '../../src/sign/signers/index.ts'
import { PROGRAM_MS, programSigner } from '../../src/sign/signers/program.ts'
import { agentSigner } from '../../src/sign/signers/ssh-agent.ts'
import { verify } from '../../src/verify/verify.ts'
import { bundleOf } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { snapshot, temporary } from '../support/folder.ts'
import { ROOT } from '../support/lint-fixtures.ts'
import { missing } from '../support/needs.ts'
import { IS_ROOT, NOBODY } from '../support/run.ts'
import { framed, playedAgent, type RealAgent, realAgent, sized } from '../support/ssh-agent.ts'
import { ASKING, KEYS, keyFile, preAuth, signed, type TestKey } from '../support/trust-world.ts'

const folder = temporary('signers')
const CANARY = 'canary-of-a-secret'
const UNSIGNED = bundleOf(ASKING)

/** The bytes that a signer of the bundle is asked to sign. */
const MESSAGE = (() => {
  const envelope = JSON.parse(String(signed(ASKING, ['release'])['SIGNATURES/manifest.sig'])) as {
    payload: string
  }
  return preAuth(Buffer.from(envelope.payload, 'base64'))
})()

const by = (key: TestKey, message: Uint8Array) => signWith(null, message, key.private)
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** A program that answers the two questions with the lines given. */
function programOf(key: string, sig: string): string {
  const path = join(folder('program'), 'signer')
  writeFileSync(
    path,
    `#!/bin/sh\nread question\ncase "$question" in\n*public-key*) ${key} ;;\n*) ${sig} ;;\nesac\n`,
  )
  chmodSync(path, 0o755)
  return path
}

const say = (line: string) => `printf '%s\\n' '${line}'`
const KEY = say(`{"key":"${KEYS.release.anchor}"}`)
const SIG = say(`{"sig":"${base64(by(KEYS.release, MESSAGE))}"}`)

function bundleIn(place: string): string {
  const path = join(place, 'mini.bundle')
  writeFileSync(path, UNSIGNED)
  return path
}

const ENV = { PATH: process.env['PATH'], RLP_KEY_PASSPHRASE: CANARY }

/** Signs, and expects a refusal that leaves everything as it was and says nothing secret. */
async function refusedBy(
  key: string | Signer,
  code: ErrorCode,
  message: RegExp,
  env: object = ENV,
): Promise<void> {
  const place = folder('bundle')
  const bundle = bundleIn(place)
  const before = snapshot(place)
  await assert.rejects(
    sign(bundle, { cwd: place, key, env: env as Record<string, string> }),
    (error: Error & { code?: string; hint?: string }) => {
      assert.match(error.message, message)
      assert.equal(error.code, code)
      assert.ok(error.hint)
      assert.doesNotMatch(`${error.message} ${error.hint}`, new RegExp(CANARY))
      return true
    },
  )
  assert.deepEqual(snapshot(place), before)
}

const queryOf = (which: string, env: Readonly<Record<string, string | undefined>> = ENV) => ({
  which,
  cwd: '/',
  env,
  ask: () => Promise.reject(new Error('not asked')),
})

describe('a program', () => {
  test('signs what is asked of it', async () => {
    const bundle = bundleIn(folder('signs'))
    const { signer } = await sign(bundle, { key: `command:${programOf(KEY, SIG)}`, env: ENV })
    assert.equal(signer, KEYS.release.anchor)
    assert.deepEqual(readFileSync(bundle), Buffer.from(bundleOf(signed(ASKING, ['release']))))
  })

  const wrong: [name: string, key: string, sig: string, code: ErrorCode, message: RegExp][] = [
    [
      'another key signs',
      KEY,
      say(`{"sig":"${base64(by(KEYS.second, MESSAGE))}"}`),
      'NOT_VERIFIED',
      /is no signature of ed25519:/,
    ],
    [
      'other bytes are signed',
      KEY,
      say(`{"sig":"${base64(by(KEYS.release, Buffer.from('x')))}"}`),
      'NOT_VERIFIED',
      /over these bytes$/,
    ],
    [
      'the raw bytes of no point',
      say(`{"key":"ed25519:${'A'.repeat(43)}="}`),
      SIG,
      'SIGNER',
      /the key in its answer is of small order/,
    ],
    ['an exit code after the answer', KEY, `${SIG}; exit 7`, 'SIGNER', /it ended with exit code 7$/],
    ['a signal', 'kill -KILL $$', SIG, 'SIGNER', /it was ended by SIGKILL$/],
    [
      'its own word',
      KEY,
      say('{"error":"the token is not plugged in"}'),
      'SIGNER',
      /it says "the token is not plugged in"$/,
    ],
    [
      'its own word and an exit code',
      `${say('{"error":"no slot"}')}; exit 1`,
      SIG,
      'SIGNER',
      /it says "no slot/,
    ],
    [
      'a secret in its own word',
      KEY,
      `printf '{"error":"ghp_%s"}' ${'a'.repeat(36)}`,
      'SIGNER',
      /it says "(?!.*aaaa)/,
    ],
    ['nothing', KEY, 'true', 'SIGNER', /it answered nothing$/],
    ['no JSON', KEY, say(CANARY), 'SIGNER', /its answer is not one line with an object in JSON$/],
    ['two lines', KEY, `${SIG}; ${SIG}`, 'SIGNER', /its answer is not one line/],
    ['a member twice', KEY, say('{"sig":"","sig":""}'), 'SIGNER', /its answer is not one line/],
    [
      'another member beside',
      KEY,
      say(`{"sig":"","pin":"${CANARY}"}`),
      'SIGNER',
      /its answer has other members/,
    ],
    ['another answer', KEY, KEY, 'SIGNER', /its answer has other members than one text, "sig" or "error"$/],
    ['a number', KEY, say('{"sig":64}'), 'SIGNER', /its answer has other members/],
    [
      'a signature of 63 bytes',
      KEY,
      say(`{"sig":"${base64(Buffer.alloc(63))}"}`),
      'SIGNER',
      /not 64 bytes in padded base64$/,
    ],
    ['too long a line', KEY, 'head -c 20000 /dev/zero', 'SIGNER', /it answered with more than 16 KiB$/],
    ['bytes that are no text', KEY, "printf '\\377'", 'SIGNER', /its answer is not UTF-8$/],
    ['words on standard error', KEY, `echo ${CANARY} >&2; exit 1`, 'SIGNER', /it ended with exit code 1$/],
  ]
  for (const [name, key, sig, code, message] of wrong) {
    test(name, () => refusedBy(`command:${programOf(key, sig)}`, code, message))
  }

  test('is ended with everything that it started when its time is over', async () => {
    const place = folder('hangs')
    const path = programOf(KEY, `(sleep 0.6; echo late > ${join(place, 'late')}) & sleep 60`)
    const signer = await programSigner(queryOf(`command:${path}`), 5000)
    const short = { key: signer.key, sign: (await programSigner(queryOf(`command:${path}`), 300)).sign }
    await refusedBy(short, 'SIGNER', /it did not answer and end within 0.3 s$/)
    await wait(700)
    assert.equal(existsSync(join(place, 'late')), false)
  })

  test('gets the question, and neither a passphrase nor a key', async () => {
    const place = folder('environment')
    const path = programOf(
      `env > ${join(place, 'env')}; ${KEY}`,
      `printf '%s\\n' "$question" > ${join(place, 'asked')}; ${SIG}`,
    )
    const pem = readFileSync(keyFile('second'), 'utf8')
    const env = {
      ...ENV,
      HSM_PIN: '1234',
      RELEASE: pem,
      FLAT: pem.replaceAll('\n', '\\n'),
      CODED: base64(Buffer.from(pem)),
      SEALED: '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n',
      PUBLIC: createPublicKey(KEYS.second.private).export({ type: 'spki', format: 'pem' }).toString(),
    }
    await sign(bundleIn(place), { key: `command:${path}`, env })
    const passed = readFileSync(join(place, 'env'), 'utf8')
    assert.deepEqual(
      ['HSM_PIN', 'PUBLIC', 'PATH', 'RELEASE', 'FLAT', 'CODED', 'SEALED', 'RLP_KEY_PASSPHRASE'].filter(name =>
        new RegExp(`^${name}=`, 'm').test(passed),
      ),
      ['HSM_PIN', 'PUBLIC', 'PATH'],
    )
    assert.doesNotMatch(passed, new RegExp(`PRIVATE KEY|${CANARY}`))
    assert.deepEqual(JSON.parse(readFileSync(join(place, 'asked'), 'utf8')), {
      rlp: 1,
      do: 'sign',
      payload: base64(MESSAGE),
    })
  })

  test('is named by its whole path, and is no text for a shell', async () => {
    const text = join(folder('text'), 'signer')
    writeFileSync(text, KEY, { mode: 0o755 })
    await refusedBy('command:signer', 'USAGE', /what follows command: is no absolute path$/)
    await refusedBy('command:/nowhere/signer', 'NOT_FOUND', /there is no such program$/)
    await refusedBy(`command:${text}`, 'SIGNER', /whose first line does not begin with #!$/)
  })

  describe('others may write', () => {
    /** A signer that leaves a mark, its interpreter, a script in its arguments, and the folder of all of them. */
    function place(name: string) {
      const at = folder(name)
      const [interpreter, script, started] = ['sh', 'script', 'started'].map(one => join(at, one)) as [
        string,
        string,
        string,
      ]
      writeFileSync(interpreter, readFileSync('/bin/sh'), { mode: 0o755 })
      const text = `echo x > ${started}\nread question\ncase "$question" in\n*public-key*) ${KEY} ;;\n*) ${SIG} ;;\nesac\n`
      const program = join(at, 'signer')
      writeFileSync(program, `#!${interpreter}\n${text}`, { mode: 0o755 })
      writeFileSync(script, text, { mode: 0o644 })
      const link = join(at, 'link')
      symlinkSync(program, link)
      return { at, interpreter, program, script, started, link }
    }
    type Made = ReturnType<typeof place>
    const list = (...words: string[]) => `command:${JSON.stringify(words)}`
    const cases: readonly [
      what: string,
      which: (made: Made) => string,
      loose: (made: Made) => string,
      mode?: number,
    ][] = [
      ['the program, by its group', ({ program }) => `command:${program}`, made => made.program, 0o775],
      [
        'the program, all of them',
        ({ program }) => list(program, '--slot', '1'),
        made => made.program,
        0o757,
      ],
      ['what a link leads to', ({ link }) => `command:${link}`, made => made.program, 0o775],
      ['its folder', ({ program }) => `command:${program}`, made => made.at, 0o775],
      ['its interpreter', ({ program }) => `command:${program}`, made => made.interpreter, 0o775],
      ['a script in its arguments', ({ script }) => list('/bin/sh', script), made => made.script, 0o666],
      ['the folder of that script', ({ script }) => list('/bin/sh', script), made => made.at, 0o777],
    ]
    for (const [what, which, loose, mode = 0o775] of cases)
      test(what, async () => {
        const made = place('loose')
        const key = which(made)
        const bundle = bundleIn(folder('loose-bundle'))
        assert.equal((await sign(bundle, { key, env: ENV })).signer, KEYS.release.anchor)
        assert.ok(existsSync(made.started))
        rmSync(made.started)
        chmodSync(loose(made), mode)
        await refusedBy(key, 'NO_PERMISSION', /^Cannot rely on ".*": others may write it$/)
        assert.equal(existsSync(made.started), false, 'it was started')
        // Everybody may add files to such a folder, and replace those of others only with the right to.
        if (loose(made) === made.at) {
          chmodSync(made.at, 0o1777)
          assert.equal(
            (await sign(bundleIn(folder('sticky')), { key, env: ENV })).signer,
            KEYS.release.anchor,
          )
        }
      })

    test('what belongs to another user', {
      skip: IS_ROOT ? false : 'only root can give files away',
    }, async () => {
      for (const which of ['program', 'interpreter', 'at', 'link'] as const) {
        const made = place('foreign')
        lchownSync(made[which], NOBODY, NOBODY)
        await refusedBy(
          `command:${which === 'link' ? made.link : made.program}`,
          'NO_PERMISSION',
          /^Cannot rely on ".*": it (?:belongs to|is a link of) another user$/,
        )
        assert.equal(existsSync(made.started), false, 'it was started')
      }
    })

    test('what it asks for the public key alone is refused as well', async () => {
      const { program } = place('public')
      assert.equal((await run(['key', 'show', `command:${program}`], undefined, { env: {} })).exit, 0)
      chmodSync(program, 0o777)
      const { exit, stdout } = await run(['key', 'show', `command:${program}`, '--json'], undefined, {
        env: {},
      })
      const { code, hint } = JSON.parse(stdout)
      assert.deepEqual([exit, code, hint], [3, 'NO_PERMISSION', `Run chmod go-w ${program}`])
    })
  })

  test('gets the arguments that are fixed with it, each as it is written', async () => {
    const place = folder('fixed')
    const path = programOf(`for word; do echo "$word" >> '${place}/words'; done; ${KEY}`, SIG)
    const which = `command:${JSON.stringify([path, '--slot', 'a b', '$HOME', ''])}`
    await sign(bundleIn(place), { key: which, env: ENV })
    assert.equal(readFileSync(join(place, 'words'), 'utf8'), '--slot\na b\n$HOME\n\n')
    for (const [text, seen] of [
      ['[', /no list of texts in JSON/],
      ['[]', /no list of texts in JSON/],
      ['["/a",1]', /no list of texts in JSON/],
      ['["/a","\\u0000"]', /no list of texts in JSON/],
      [JSON.stringify(Array.from({ length: 65 }, () => '/a')), /no list of texts in JSON/],
      ['["signer"]', /no absolute path/],
    ] as const)
      await refusedBy(`command:${text}`, 'USAGE', seen)
  })

  test('is what a key of a service or a module needs', async () => {
    for (const which of [
      'awskms:///alias/x',
      'gcpkms://p',
      'hashivault://k',
      'azurekms://v/k',
      'k8s://n/s',
      'pkcs11:token=x',
    ]) {
      const { exit, stdout } = await run(['key', 'show', which, '--json'], undefined, { env: {} })
      assert.equal(exit, 2)
      assert.match(JSON.parse(stdout).hint, /A key is a name, a PEM file, .*command:PROGRAM/)
    }
  })

  test('is a key wherever a public key is asked for, and cannot be kept elsewhere', async () => {
    const which = `command:${programOf(KEY, SIG)}`
    const shown = await run(['key', 'show', which, '--json'], undefined, { env: {} })
    assert.equal(JSON.parse(shown.stdout).result.anchor, KEYS.release.anchor)
    const kept = await run(['key', 'import', 'x', which, '--json'], undefined, { env: {} })
    assert.deepEqual([kept.exit, JSON.parse(kept.stdout).code], [2, 'USAGE'])
  })
})

describe('a played agent', () => {
  const text = (key: Uint8Array) => Buffer.concat([sized('ssh-ed25519'), sized(key)])
  const keys = (...listed: readonly [blob: Uint8Array, comment: string][]) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(listed.length)
    return framed(
      Buffer.from([12]),
      count,
      ...listed.flatMap(([blob, comment]) => [sized(blob), sized(comment)]),
    )
  }
  const RELEASE = text(KEYS.release.raw)
  const LIST = keys([RELEASE, 'ours'])
  const signature = (bytes: Uint8Array, type = 'ssh-ed25519') =>
    framed(Buffer.from([14]), sized(Buffer.concat([sized(type), sized(bytes)])))
  const SIGNED = signature(by(KEYS.release, MESSAGE))
  const FAILURE = framed(Buffer.from([5]))

  async function envOf(...answers: readonly (Uint8Array | 'close')[]) {
    const path = join(folder('played'), 's')
    await playedAgent(path, answers)
    return { SSH_AUTH_SOCK: path, RLP_KEY_PASSPHRASE: CANARY }
  }

  test('signs what is asked of it', async () => {
    const bundle = bundleIn(folder('signs'))
    const { signer } = await sign(bundle, { key: 'ssh-agent:ours', env: await envOf(LIST, SIGNED) })
    assert.equal(signer, KEYS.release.anchor)
    assert.deepEqual(readFileSync(bundle), Buffer.from(bundleOf(signed(ASKING, ['release']))))
  })

  test('lists a certificate beside its key, which is no other key', async () => {
    const bundle = bundleIn(folder('certificate'))
    const certificate = (type: string): [Uint8Array, string] => [
      Buffer.concat([sized(type), sized('anything')]),
      'ours',
    ]
    const list = keys(
      certificate('ssh-ed25519-cert-v01@openssh.com'),
      [RELEASE, 'ours'],
      certificate('ssh-rsa-cert-v02@openssh.com'),
    )
    const { signer } = await sign(bundle, { key: 'ssh-agent:ours', env: await envOf(list, SIGNED) })
    assert.equal(signer, KEYS.release.anchor)
    // The control: a key of another type under the same comment is one more key.
    const two = keys([RELEASE, 'ours'], certificate('ssh-rsa'))
    await refusedBy('ssh-agent:ours', 'USAGE', /2 keys of the agent have this comment$/, await envOf(two))
  })

  const long = Buffer.alloc(8)
  long.writeUInt32BE(256 * 1024 + 1)
  const wrong: [name: string, answers: (Uint8Array | 'close')[], code: ErrorCode, message: RegExp][] = [
    ['another key signs', [LIST, signature(by(KEYS.second, MESSAGE))], 'NOT_VERIFIED', /is no signature of/],
    [
      'other bytes are signed',
      [LIST, signature(by(KEYS.release, Buffer.from('x')))],
      'NOT_VERIFIED',
      /is no signature of/,
    ],
    [
      'a signature of another kind',
      [LIST, signature(by(KEYS.release, MESSAGE), 'ssh-ed448')],
      'SIGNER',
      /does not answer as an ssh agent$/,
    ],
    ['a short signature', [LIST, signature(Buffer.alloc(63))], 'SIGNER', /does not answer as an ssh agent$/],
    ['a byte too many', [LIST, framed(SIGNED.subarray(4), Buffer.from([0]))], 'SIGNER', /does not answer as/],
    ['two answers', [Buffer.concat([LIST, LIST])], 'SIGNER', /does not answer as/],
    ['too long an answer', [long], 'SIGNER', /does not answer as/],
    ['half a list', [framed(LIST.subarray(4, -2))], 'SIGNER', /does not answer as/],
    [
      'a list that says it is longer',
      [framed(Buffer.from([12, 255, 255, 255, 255]))],
      'SIGNER',
      /does not answer as/,
    ],
    ['no list', ['close'], 'SIGNER', /does not answer as/],
    ['half an answer', [LIST, 'close'], 'SIGNER', /does not answer as/],
    ['words', [Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')], 'SIGNER', /does not answer as/],
    ['an empty answer', [framed()], 'SIGNER', /does not answer as/],
    ['a refused list', [FAILURE], 'SIGNER', /refuses to list its keys$/],
    [
      'a key that is removed',
      [LIST, FAILURE, keys([text(KEYS.dev.raw), 'dev'])],
      'SIGNER',
      /the key was removed meanwhile$/,
    ],
    ['a lock that comes between', [LIST, FAILURE, keys()], 'SIGNER', /because it is locked now$/],
    ['a key of 31 bytes', [keys([text(Buffer.alloc(31)), 'ours'])], 'WRONG_FILE_TYPE', /its key is damaged$/],
    ['a key of small order', [keys([text(Buffer.alloc(32)), 'ours'])], 'NOT_VERIFIED', /is of small order/],
    [
      'one comment for two keys',
      [keys([RELEASE, 'ours'], [text(KEYS.dev.raw), 'ours'])],
      'USAGE',
      /2 keys of the agent have this comment$/,
    ],
  ]
  for (const [name, answers, code, message] of wrong) {
    test(name, async () => refusedBy('ssh-agent:ours', code, message, await envOf(...answers)))
  }

  test('is given up when its time is over', async () => {
    const query = queryOf('ssh-agent:ours', await envOf(LIST))
    await refusedBy(
      await agentSigner(query, { listMs: 5000, signMs: 200 }),
      'SIGNER',
      /did not answer within 0.2 s$/,
    )
  })

  test('ends with the caller’s patience, as a program does', async () => {
    const hanging = [
      { key: 'ssh-agent:ours', env: await envOf(LIST) },
      { key: `command:${programOf(KEY, 'sleep 60')}`, env: ENV },
    ]
    for (const { key, env } of hanging) {
      const place = folder('cancelled')
      const bundle = bundleIn(place)
      const before = snapshot(place)
      const stop = new AbortController()
      const signing = sign(bundle, { key, env, signal: stop.signal })
      setTimeout(() => stop.abort(), 150)
      await assert.rejects(signing, { code: 'CANCELLED' })
      assert.deepEqual(snapshot(place), before)
    }
  })

  test('a comment never passes for a fingerprint', async () => {
    const print = 'SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
    await refusedBy(
      `ssh-agent:${print}`,
      'NOT_FOUND',
      /has no such key$/,
      await envOf(keys([RELEASE, print])),
    )
  })

  test('that another user keeps to itself', {
    skip: IS_ROOT ? false : 'only root can be another user',
  }, async () => {
    const env = await envOf(LIST)
    chmodSync(env.SSH_AUTH_SOCK, 0o600)
    process.seteuid?.(NOBODY)
    try {
      await assert.rejects(agentSigner(queryOf('ssh-agent:ours', env)), {
        code: 'NO_PERMISSION',
        message: /: this user may not reach the agent at "/,
      })
    } finally {
      process.seteuid?.(0)
    }
  })

  test('that is not there', async () => {
    await refusedBy('ssh-agent:x', 'NOT_FOUND', /SSH_AUTH_SOCK is not set$/, {})
    await refusedBy('ssh-agent:x', 'UNREACHABLE', /no agent answers at "\/nowhere" \(ENOENT\)$/, {
      SSH_AUTH_SOCK: '/nowhere',
    })
  })
})

describe('the agent of OpenSSH', { skip: missing('ssh-agent', 'ssh-add') }, () => {
  let place = ''
  let agent: RealAgent
  let confirming: RealAgent
  before(async () => {
    place = folder('agent')
    // What asks for passphrases and confirmations: it gives the passphrase, and confirms what the file beside it says.
    const ask = join(place, 'passphrase')
    writeFileSync(
      ask,
      `#!/bin/sh\n[ -n "$PASSPHRASE" ] && echo "$PASSPHRASE" && exit 0\n[ -e ${place}/yes ]\n`,
      { mode: 0o755 },
    )
    agent = await realAgent(place)
    const other = folder('confirming')
    confirming = await realAgent(other, { SSH_ASKPASS: ask, SSH_ASKPASS_REQUIRE: 'force', DISPLAY: 'none' })
    const make = (file: string, ...args: string[]) =>
      execFileSync('ssh-keygen', ['-q', '-N', '', '-f', join(place, file), ...args])
    make('ours', '-t', 'ed25519', '-C', 'ours')
    make('ec', '-t', 'ecdsa', '-C', 'ec')
    make('rsa', '-t', 'rsa', '-b', '2048', '-C', 'rsa')
    make('twin', '-t', 'ecdsa', '-C', 'both')
    make('both', '-t', 'ed25519', '-C', 'both')
    agent.add(['-q', ...['ours', 'ec', 'rsa', 'twin', 'both'].map(file => join(place, file))])
    confirming.add(['-q', '-c', join(place, 'ours')])
  })
  after(() => {
    agent.stop()
    confirming.stop()
  })
  const anchorIn = (file: string) =>
    `ed25519:${Buffer.from(readFileSync(join(place, `${file}.pub`), 'utf8').split(' ')[1] ?? '', 'base64')
      .subarray(-32)
      .toString('base64')}`
  const env = () => ({ SSH_AUTH_SOCK: agent.socket })

  test('signs, by comment and by fingerprint, beside keys of other kinds', async () => {
    const print = agent
      .add(['-l'])
      .split('\n')
      .find(line => line.includes(' ours '))
      ?.split(' ')[1]
    for (const key of ['ssh-agent:ours', `ssh-agent:${print}`]) {
      const { signer } = await sign(bundleIn(folder('real')), { key, env: env() })
      assert.equal(signer, anchorIn('ours'))
    }
    await refusedBy('ssh-agent:rsa', 'WRONG_FILE_TYPE', /it is a key of the type "ssh-rsa"$/, env())
    await refusedBy('ssh-agent:ec', 'WRONG_FILE_TYPE', /the type "ecdsa-sha2-nistp256"$/, env())
    await refusedBy('ssh-agent:both', 'USAGE', /2 keys of the agent have this comment$/, env())
    await refusedBy('ssh-agent:OURS', 'NOT_FOUND', /has no such key$/, env())
  })

  test('asks a person, and signs only what is confirmed', async () => {
    const asking = { SSH_AUTH_SOCK: confirming.socket }
    await refusedBy(
      'ssh-agent:ours',
      'SIGNER',
      /a person did not confirm the signature, or could not be asked$/,
      asking,
    )
    writeFileSync(join(place, 'yes'), '')
    const { signer } = await sign(bundleIn(folder('confirmed')), { key: 'ssh-agent:ours', env: asking })
    assert.equal(signer, anchorIn('ours'))
  })

  test('shows and signs nothing while it is locked', async () => {
    agent.add(['-x'], 'pass')
    await refusedBy('ssh-agent:ours', 'NOT_FOUND', /shows no keys: it is locked, or it has none$/, env())
    agent.add(['-X'], 'pass')
    await sign(bundleIn(folder('unlocked')), { key: 'ssh-agent:ours', env: env() })
  })
})

describe('no program that rlp starts gets a key', () => {
  const pem = readFileSync(keyFile('second'), 'utf8')
  const HELD = {
    PATH: process.env['PATH'],
    HOME: '/',
    RLP_KEY_PASSPHRASE: CANARY,
    SIGNING_KEY: pem,
    OTHER: 'other',
  }

  test('a credential helper, a secret source, a tool and the lookup of names', async () => {
    const bin = folder('bin')
    const out = join(bin, 'env')
    const helper = join(bin, 'docker-credential-test')
    writeFileSync(helper, `#!/bin/sh\nenv > ${out}\nexit 1\n`, { mode: 0o755 })
    const env = { ...HELD, PATH: `${bin}:${HELD.PATH}` }
    const { signal } = new AbortController()
    const running = new Running()
    const seen = () => {
      const text = readFileSync(out, 'utf8')
      rmSync(out)
      assert.match(text, /^OTHER=other$/m)
      assert.doesNotMatch(text, new RegExp(`${CANARY}|PRIVATE KEY|SIGNING_KEY`))
    }
    await askHelper('test', 'registry.example', env, new Deadline(signal))
    seen()
    await commandSecrets({ command: helper, args: [], env, cwd: '/', running })('a/b', signal)
    seen()
    await assert.rejects(systemLookup({ env, running, command: [helper] })('a.example', signal))
    seen()
    const tool = {
      id: 'a.b',
      secrets: ['a/key'],
      rlp: { env: ['OTHER', 'SIGNING_KEY', 'RLP_KEY_PASSPHRASE'] },
      transport: { kind: 'exec', command: '/bin/x', args: [] },
    }
    // A secret is handed over whatever it is: the operator has said so.
    const variables = grantedVariables(tool as unknown as Tool, { env: withoutKeys(env), handsOver: 'all' })
    const handed = { variables: variables.values, secrets: new Map([['a/key', pem]]) }
    const made = execEnvironment(tool as unknown as Tool, env, handed)
    assert.deepEqual(Object.keys(made.env).sort(), ['A_KEY', 'HOME', 'OTHER', 'PATH'])
  })

  test('a key of another kind stays: it signs no bundle', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const env = {
      EC: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
      LONG: 'A'.repeat(100_000),
      NONE: undefined,
    }
    assert.deepEqual(Object.keys(withoutKeys(env)), ['EC', 'LONG'])
  })
})

describe('the page of keys', () => {
  const PAGE = readFileSync(join(ROOT, 'docs/keys.md'), 'utf8')

  test('names every place where a key may be, as help does', () => {
    const {
      '- for standard input': _stdin,
      'a name, a PEM file': _file,
      ...spelled
    } = Object.fromEntries(
      keySpellings()
        .split(/, (?!a PEM)| or /)
        .map(text => [text, PAGE.includes(`| \`${text}\` |`)]),
    )
    assert.deepEqual(spelled, { 'env:VAR': true, 'ssh-agent:KEY': true, 'command:PROGRAM': true })
    assert.equal(
      keySpellings('that leave their place'),
      'a name, a PEM file, env:VAR or - for standard input',
    )
  })

  test('says how long a program may take', () => {
    assert.ok(PAGE.includes(`It has ${PROGRAM_MS / 1000} seconds.`))
  })

  const skip = missing('softhsm2-util', 'pkcs11-tool', 'openssl')
  test('has a program that signs with a hardware module', { skip }, async () => {
    const [, steps = ''] = PAGE.split('## A hardware module, step by step')
    const [make = '', script = ''] = [...steps.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
      ([, text = '']) => text,
    )
    assert.match(script, /^#!\/bin\/sh\n/)
    const place = folder('module')
    const configuration = join(place, 'softhsm2.conf')
    mkdirSync(join(place, 'tokens'))
    writeFileSync(configuration, `directories.tokendir = ${join(place, 'tokens')}\nlog.level = ERROR\n`)
    const env = { PATH: process.env['PATH'], SOFTHSM2_CONF: configuration, RELEASE_PIN: '1234' }
    execFileSync('sh', ['-ec', make], { env, stdio: 'pipe' })
    const path = join(place, 'release-signer')
    writeFileSync(path, script, { mode: 0o755 })
    const bundle = bundleIn(folder('signs'))
    const { signer } = await sign(bundle, { key: `command:${path}`, env })
    const read = await readBundle(readFileSync(bundle), { keep: 'parsed' })
    const { report } = await verify(await outline(read), { expect: 'any' })
    assert.deepEqual(report.signatures, [{ keyid: signer, result: 'valid' }])
    const wrong = { ...env, RELEASE_PIN: '4321' }
    await refusedBy(
      `command:${path}`,
      'SIGNER',
      /it says "the token did not sign: is RELEASE_PIN right\?"$/,
      wrong,
    )
    const empty = { ...env, SOFTHSM2_CONF: '/nowhere' }
    await refusedBy(`command:${path}`, 'SIGNER', /it says "the token has no such key"$/, empty)
  })
})

test('a signer that changes what it was given changes nothing that is checked', async () => {
  const key = { kind: 'ed25519', bytes: new Uint8Array(KEYS.release.raw) } as const
  const signer = (sign: Signer['sign']): Signer => ({ key, sign })
  const honest = signer(async message => by(KEYS.release, message))
  assert.deepEqual(Buffer.from(await signBytes(MESSAGE, honest, 'sign')), by(KEYS.release, MESSAGE))
  const sly = signer(async message => {
    message.fill(0)
    return by(KEYS.release, message)
  })
  await assert.rejects(signBytes(MESSAGE, sly, 'sign'), { code: 'NOT_VERIFIED' })
  const mute = signer(async () => undefined as unknown as Uint8Array)
  await assert.rejects(signBytes(MESSAGE, mute, 'sign'), { code: 'NOT_VERIFIED' })
})
