// Where secrets come from: each source finds what it should, and nothing that it should not.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { commandSecrets, passSecrets } from '../../src/call/secrets/command.ts'
import { environmentSecrets } from '../../src/call/secrets/environment.ts'
import { folderSecrets } from '../../src/call/secrets/folder.ts'
import { secretSource } from '../../src/call/secrets/given.ts'
import { resolveSecrets } from '../../src/call/secrets.ts'
import { Running } from '../../src/io/process/running.ts'
import { SECRET_ID, type SecretAnswer } from '../../src/model/secret.ts'
import { SecretMask } from '../../src/secret/secret-mask.ts'
import { temporary } from '../support/folder.ts'
import { execTool, PATH } from '../support/host.ts'
import { IS_ROOT } from '../support/run.ts'

const folder = temporary('secrets')
const GO = new AbortController().signal
const POSIX = process.platform === 'win32' ? 'modes and links of POSIX' : false

function found(answer: SecretAnswer): string {
  assert.ok(answer.ok, JSON.stringify(answer))
  return answer.value
}

function refused(answer: SecretAnswer): readonly [reason: string, problem: string] {
  assert.ok(!answer.ok, 'a secret was found')
  return [answer.reason, answer.problem]
}

describe('the environment', () => {
  const source = environmentSecrets({
    RUNLOOP_MAIL_SMTP_API_KEY: 'by its derived name',
    'runloop/mail/other': 'by its own name',
    MAIL_SMTP_KEY: 'dots too',
    EMPTY_ONE: '',
    HAS_NUL: 'abc\0def',
    SHORT_ONE: 'abc',
  })
  test('the derived name', async () => {
    assert.equal(found(await source('runloop/mail/smtp_api_key', GO)), 'by its derived name')
    assert.equal(found(await source('mail.smtp.key', GO)), 'dots too')
  })
  test('and no other', async () => {
    for (const id of ['runloop/mail/other', 'empty/one', 'absent', '__proto__', 'constructor'])
      assert.equal(refused(await source(id, GO))[0], 'secret_unknown')
  })
  test('what cannot be handed over, or not be kept out of logs', async () => {
    assert.deepEqual(refused(await source('has/nul', GO)), ['secret_unusable', 'holds NUL'])
    assert.match(refused(await source('short/one', GO))[1], /fewer than 4 characters/)
  })
})

describe('a folder', { skip: POSIX }, () => {
  const root = folder('store')
  const outside = folder('outside')
  const put = (place: string, content: string | Uint8Array, mode = 0o600) => {
    mkdirSync(join(place, '..'), { recursive: true })
    writeFileSync(place, content)
    chmodSync(place, mode)
  }
  put(join(root, 'runloop/mail/key'), 'the value\n')
  put(join(root, 'two_newlines'), 'the value\n\n')
  put(join(root, 'shared'), 'the value', 0o640)
  put(join(root, 'binary'), Uint8Array.of(0xff, 0xfe, 0xfd, 0xfc))
  put(join(root, 'large'), 'x'.repeat(64 * 1024 + 1))
  put(join(root, '..data/real'), 'rotated')
  put(join(outside, 'secret'), 'not yours')
  symlinkSync(join(root, '..data/real'), join(root, 'inside'))
  symlinkSync(join(outside, 'secret'), join(root, 'leaving'))
  symlinkSync(outside, join(root, 'door'))
  symlinkSync('nowhere', join(root, 'dangling'))
  const source = folderSecrets(root)

  test('one file each, below folders as the id says; its last newline is no part of it', async () => {
    assert.equal(found(await source('runloop/mail/key', GO)), 'the value')
    assert.equal(found(await source('two_newlines', GO)), 'the value\n')
    assert.equal(found(await source('inside', GO)), 'rotated', 'a link inside')
  })
  const no: readonly (readonly [id: string, reason: string, problem: RegExp])[] = [
    ['absent', 'secret_unknown', /is not there/],
    ['runloop/mail/key/below', 'secret_unknown', /is not there/],
    ['dangling', 'secret_unknown', /is not there/],
    ['leaving', 'secret_unusable', /leads out of the folder/],
    ['door/secret', 'secret_unusable', /leads out of the folder/],
    ['shared', 'secret_unusable', /others can use/],
    ['runloop', 'secret_unusable', /no regular file/],
    ['binary', 'secret_unusable', /not UTF-8/],
    ['large', 'secret_unusable', /longer than 65536 bytes/],
  ]
  for (const [id, reason, problem] of no) {
    test(`${id}: ${problem.source}`, async () => {
      const [given, said] = refused(await source(id, GO))
      assert.equal(given, reason)
      assert.match(said, problem)
    })
  }
  test('a folder that is not there, and one of another user', async () => {
    assert.equal(refused(await folderSecrets('/nowhere/at/all')('key', GO))[0], 'secret_unusable')
    if (IS_ROOT) {
      const { chownSync } = await import('node:fs')
      put(join(root, 'foreign'), 'the value')
      chownSync(join(root, 'foreign'), 12345, 12345)
      assert.match(refused(await source('foreign', GO))[1], /belongs to another user/)
    }
  })
})

describe('a program', { skip: POSIX }, () => {
  const bin = folder('bin')
  const script = (name: string, body: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`)
    chmodSync(join(bin, name), 0o755)
    return join(bin, name)
  }
  const about = { env: { PATH: `${bin}:${PATH}`, STORE: 'mine' }, cwd: bin, running: new Running() }
  const get = script(
    'get',
    'case "$2" in *known*) echo "$1 $2 $STORE";; *) echo "leak: hidden" >&2; exit 1;; esac',
  )

  test('gets the id as its last argument, and the environment of the operator', async () => {
    const source = commandSecrets({ ...about, command: get, args: ['--field'] })
    assert.equal(found(await source('known/key', GO)), '--field known/key mine')
  })
  test('its words on standard error are not passed on', async () => {
    const source = commandSecrets({ ...about, command: get, args: ['--field'] })
    const [reason, problem] = refused(await source('missing', GO))
    assert.equal(reason, 'secret_unknown')
    assert.doesNotMatch(problem, /hidden/)
  })
  test('pass: the first line counts, and the id is no option', async () => {
    script('pass', '[ "$1" = show ] && [ "$2" = -- ] && printf "first line\\nuser: me\\n"')
    assert.equal(found(await passSecrets(about)('mail/key', GO)), 'first line')
  })
  test('one that is not there, ends by a signal, floods, or prints no text', async () => {
    const problems = await Promise.all(
      [
        '/nowhere/get',
        script('dies', 'kill -9 $$'),
        script('floods', 'head -c 100000 /dev/zero'),
        script('bytes', 'printf "\\377\\376\\375\\374"'),
      ].map(async command => refused(await commandSecrets({ ...about, command, args: [] })('key', GO))[1]),
    )
    assert.match(problems[0] ?? '', /cannot be started \(ENOENT\)/)
    assert.match(problems[1] ?? '', /was ended by SIGKILL/)
    assert.match(problems[2] ?? '', /longer than 65536 bytes/)
    assert.match(problems[3] ?? '', /not UTF-8/)
  })
  test('one that others may write is not started, by whichever path it is named', async () => {
    const at = folder('loose')
    const [loose, started] = [join(at, 'get'), join(at, 'started')]
    writeFileSync(loose, `#!/bin/sh\necho x > ${started}\necho the value\n`, { mode: 0o755 })
    const sources = () =>
      [
        [loose, []],
        ['./get', []],
        ['/bin/sh', [loose]],
      ].map(([command, args]) =>
        commandSecrets({ ...about, cwd: at, command: command as string, args: args as string[] })('key', GO),
      )
    for (const answer of sources()) assert.equal(found(await answer), 'the value')
    rmSync(started)
    chmodSync(loose, 0o775)
    for (const answer of sources()) {
      const [reason, problem] = refused(await answer)
      assert.equal(reason, 'secret_unusable')
      assert.match(problem, /^cannot be looked up: Cannot rely on ".*\/get": others may write it$/)
    }
    assert.equal(existsSync(started), false, 'it was started')
  })
  test('one that never ends is ended with the call', async () => {
    const stop = new AbortController()
    const answer = commandSecrets({ ...about, command: script('hangs', 'sleep 60'), args: [] })(
      'key',
      stop.signal,
    )
    setTimeout(() => stop.abort(), 50)
    assert.equal(refused(await answer)[0], 'secret_unusable')
    assert.ok(about.running.isIdle)
  })
})

describe('ids', () => {
  const asked: string[] = []
  const source = async (id: string): Promise<SecretAnswer> => {
    asked.push(id)
    return { ok: true, value: 'the value' }
  }
  test('others than the usual ones are never looked up', async () => {
    const ids = [
      '../x',
      '/etc/passwd',
      'a//b',
      'a/../b',
      '-rf',
      'Mail/Key',
      'a b',
      'a\nb',
      'a\0',
      '',
      'a/',
      '.a',
      `a${'/a'.repeat(200)}`,
    ]
    for (const id of ids) {
      const tool = execTool('/bin/true', [], { secrets: [id] })
      const resolved = await resolveSecrets(tool, source, new SecretMask(), GO)
      assert.ok(!resolved.ok, id)
      const { kind, retryable, reason, target } = resolved.failure
      assert.deepEqual([kind, retryable, reason], ['unavailable', false, 'secret_unknown'])
      assert.match(String(target), /^secret#[0-9a-f]{64}$/)
    }
    assert.deepEqual(asked, [])
  })
  test('of the existing runtime’s audit: the same target', async () => {
    const tool = execTool('/bin/true', [], { secrets: ['runloop/mail/smtp_api_key'] })
    const resolved = await resolveSecrets(tool, environmentSecrets({}), new SecretMask(), GO)
    assert.ok(!resolved.ok)
    assert.equal(
      resolved.failure['target'],
      'secret#cc2074d8d3a6b700f10d50af423f85fc8c9c3d04b23fe69dd378181be8d22400',
    )
  })
  test('no id that is looked up leaves a folder or begins an option', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[-a-z0-9_./~]{1,20}$/), id => {
        if (!SECRET_ID.test(id)) return
        assert.ok(!id.startsWith('-') && !id.startsWith('/') && !id.split('/').includes('..'))
        assert.equal(join('/store', id), `/store/${id}`)
      }),
    )
  })
})

test('a function of a program that answers nothing is no secret', async () => {
  const source = secretSource((async () => undefined) as never, { env: {} })
  assert.deepEqual(refused(await source('key', GO)).slice(0, 2), ['secret_unusable', 'was not answered'])
})
