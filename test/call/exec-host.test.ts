// Exec tools as real programs: what they get, how they end, and that nothing of them is left.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { before, describe, test } from 'node:test'
import { Running } from '../../src/io/process/running.ts'
import type { RunOutcome } from '../../src/model/run.ts'
import { temporary } from '../support/folder.ts'
import { execTool, hasWritten, isGone, NO_PYTHON, program, runTool, until } from '../support/host.ts'

const folder = temporary('exec-host')
// Programs of other tests have their private folders elsewhere.
before(() => {
  process.env['TMPDIR'] = folder('tmp')
})
const POSIX = process.platform === 'win32' ? 'programs are run on POSIX systems only' : false

function answered(outcome: RunOutcome): Extract<RunOutcome, { status: 'answered' }> {
  assert.equal(outcome.status, 'answered', JSON.stringify(outcome).slice(0, 500))
  return outcome as Extract<RunOutcome, { status: 'answered' }>
}

function failed(outcome: RunOutcome): Extract<RunOutcome, { status: 'failed' }> {
  assert.equal(outcome.status, 'failed', JSON.stringify(outcome).slice(0, 500))
  return outcome as Extract<RunOutcome, { status: 'failed' }>
}

/** Kind and words of a failure, and what is said beside them. */
function words(outcome: RunOutcome) {
  const { kind, message, extra } = failed(outcome)
  return [kind, message, extra]
}

const seenBy = (outcome: RunOutcome) => JSON.parse(answered(outcome).output)

/** A tool that is a line of shell: it starts much sooner than Node or Python. */
const shell = (script: string, args: readonly string[] = [], more: Parameters<typeof execTool>[2] = {}) =>
  execTool('/bin/sh', ['-c', script, 'sh', ...args], { ...more, rlp: { stdin: true, ...more.rlp } })

/** The arguments that a tool gets, printed one in a line. */
const argvOf = async (args: readonly string[], input: Readonly<Record<string, unknown>> = {}) =>
  answered(await runTool(shell('printf "%s\\n" "$@"', args), { input }))
    .output.split('\n')
    .slice(0, -1)

describe('exec tools', { skip: POSIX, concurrency: 4 }, () => {
  describe('what a program gets', () => {
    test('a private file with the arguments first, then its own, each one element', async () => {
      const tool = execTool('print-argv.mjs', ['-c', '{{input.to}}', 'x {{input.to}} y', '{{input.n}}'])
      const input = { to: 'a b; $(id) "q"\n', n: 3 }
      const outcome = answered(await runTool(tool, { input }))
      const seen = seenBy(outcome)
      assert.deepEqual(seen.argv.slice(1), ['-c', input.to, `x ${input.to} y`, '3'])
      assert.deepEqual([seen.file, seen.fileMode, seen.folderMode], [JSON.stringify(input), '600', '700'])
      assert.deepEqual(outcome.facts.argv, [program('print-argv.mjs'), ...seen.argv])
      assert.equal(existsSync(dirname(seen.argv[0])), false, 'the folder is still there')
    })

    test('numbers as JSON has them, below zero too: digits are no name of an option', async () => {
      const argv = await argvOf(['{{input.a}}', '{{input.b}}', '{{input.c}}'], { a: -5, b: -0.25, c: 1e21 })
      assert.deepEqual(argv, ['-5', '-0.25', '1e+21'])
    })

    test('the arguments on standard input where the tool says so, and no file', async () => {
      const text = `{"text":"${'ü'.repeat(500_000)}"}`
      const outcome = answered(
        await runTool(shell('cat; echo " $# $1"', ['only']), { text, outputBytes: 2_000_000 }),
      )
      assert.ok(outcome.output === `${text} 1 only\n`)
    })

    test('PATH, HOME, the variables that it lists and its secrets, and nothing else', async () => {
      const tool = execTool('/usr/bin/env', [], {
        secrets: ['runloop/mail/key'],
        rlp: { env: ['TZ', 'LANG', 'ABSENT'], stdin: true },
      })
      const env = {
        TZ: 'Europe/Helsinki',
        LANG: '',
        AWS_SECRET_ACCESS_KEY: 'x',
        NODE_OPTIONS: '--bad',
        LD_PRELOAD: 'x',
      }
      const outcome = await runTool(tool, { env, secrets: { 'runloop/mail/key': 's3cret-value' } })
      const lines = answered(outcome).output.trimEnd().split('\n')
      const { PATH: path, HOME, ...rest } = Object.fromEntries(lines.map(line => line.split('=')))
      assert.ok(path && HOME === '/nowhere')
      assert.deepEqual(rest, { TZ: 'Europe/Helsinki', LANG: '', RUNLOOP_MAIL_KEY: 's3cret-value' })
    })

    test('an empty folder of its own, or the one that the operator names', async () => {
      const tool = shell('pwd; ls -A')
      const [fresh = '', ...empty] = answered(await runTool(tool)).output.split('\n')
      assert.deepEqual(empty, [''])
      assert.match(fresh, /^\//)
      assert.equal(existsSync(fresh), false)
      const named = folder('cwd')
      writeFileSync(join(named, 'mine'), '')
      assert.equal(answered(await runTool(tool, { cwd: named })).output, `${named}\nmine\n`)
    })

    test('what it leaves in its folder goes with it, locked folders too', async () => {
      const script = 'mkdir -p a/b; touch a/b/c; ln -s / out; chmod 000 a/b a; pwd'
      const outcome = answered(await runTool(execTool('/bin/sh', ['-c', script], { rlp: { stdin: true } })))
      assert.equal(existsSync(outcome.output.trim()), false)
      assert.deepEqual(outcome.facts.notices, [])
    })
  })

  describe('values that do not go into a command line', () => {
    const cases: readonly (readonly [
      what: string,
      args: string[],
      input: Record<string, unknown>,
      field: string,
      says: RegExp,
    ])[] = [
      ['NUL', ['{{input.a}}'], { a: 'x\0y' }, 'a', /must not hold NUL/],
      ['an option', ['{{input.a}}'], { a: '--output=/etc/passwd' }, 'a', /must not begin with "-"/],
      ['a negative number as text', ['{{input.a}}'], { a: '-1' }, 'a', /must not begin with "-"/],
      ['a number with a letter', ['{{input.a}}'], { a: -1e21 }, 'a', /must not begin with "-"/],
      ['a number before something else', ['{{input.a}}e'], { a: -1 }, 'a', /must not begin with "-"/],
      [
        'a number before a value',
        ['{{input.a}}{{input.b}}'],
        { a: -1, b: 'ef' },
        'a',
        /must not begin with "-"/,
      ],
      [
        'an option behind an empty value',
        ['{{input.a}}{{input.b}}'],
        { a: '', b: '-x' },
        'a',
        /must not begin with "-"/,
      ],
      ['an option before --', ['{{input.a}}', '--'], { a: '-x' }, 'a', /must not begin with "-"/],
      ['a value that is not there', ['{{input.a.b}}'], { a: {} }, 'a.b', /Missing required property: a\.b/],
      [
        'what every object inherits',
        ['{{input.constructor}}'],
        {},
        'constructor',
        /Missing required property/,
      ],
      ['an object', ['{{input.a}}'], { a: {} }, 'a', /must be a string, a number or a boolean/],
    ]
    for (const [what, args, input, field, says] of cases) {
      test(what, async () => {
        const outcome = failed(await runTool(execTool('print-argv.mjs', args), { input }))
        assert.deepEqual([outcome.kind, outcome.field, outcome.facts.started], ['invalid_args', field, false])
        assert.match(outcome.message, says)
      })
    }

    test('a dash is an operand after the author’s own --, and text behind his words', async () => {
      const argv = await argvOf(['--name={{input.a}}', '--', '{{input.a}}'], { a: '-x' })
      assert.deepEqual(argv, ['--name=-x', '--', '-x'])
    })

    test('a secret never, and nothing that is no placeholder', async () => {
      for (const arg of ['--key={{secret:runloop/mail/key}}', '{{input}}', '{{nothing}}']) {
        const tool = execTool('print-argv.mjs', [arg], { secrets: ['runloop/mail/key'] })
        const outcome = failed(await runTool(tool, { secrets: { 'runloop/mail/key': 's3cret-value' } }))
        assert.equal(outcome.kind, 'rejected')
        assert.doesNotMatch(JSON.stringify(outcome), /s3cret/)
      }
    })

    test('more than the system passes on', async () => {
      const input = { a: 'x'.repeat(3_000_000) }
      const outcome = failed(await runTool(execTool('print-argv.mjs', ['{{input.a}}']), { input }))
      assert.deepEqual([outcome.kind, outcome.extra?.['errno']], ['invalid_args', 'E2BIG'])
    })
  })

  describe('variables that a tool must not have', () => {
    const refused: readonly (readonly [
      what: string,
      tool: Parameters<typeof execTool>[2],
      reason: string,
    ])[] = [
      ['one that loads code', { rlp: { env: ['LD_PRELOAD'] } }, 'env_not_permitted'],
      ['a secret in the place of PATH', { secrets: ['path'] }, 'secret_not_permitted'],
      ['a secret in the place of HOME', { secrets: ['home'] }, 'secret_not_permitted'],
      ['a secret that loads code', { secrets: ['ld/preload'] }, 'secret_not_permitted'],
      ['two secrets in one', { secrets: ['a/b', 'a.b'] }, 'secret_not_permitted'],
      [
        'a secret in the place of a variable',
        { secrets: ['tz'], rlp: { env: ['TZ'] } },
        'secret_not_permitted',
      ],
    ]
    for (const [what, more, reason] of refused) {
      test(what, async () => {
        const secrets = Object.fromEntries((more?.secrets ?? []).map(id => [id, 'value']))
        const outcome = failed(await runTool(execTool('print-argv.mjs', [], more), { secrets }))
        assert.deepEqual(
          [outcome.kind, outcome.extra?.['reason'], outcome.facts.started],
          ['rejected', reason, false],
        )
      })
    }
  })

  describe('programs that cannot be started', () => {
    const here = folder('start')
    const put = (name: string, content: string, mode: number) => {
      writeFileSync(join(here, name), content)
      chmodSync(join(here, name), mode)
      return join(here, name)
    }
    const cases: readonly (readonly [what: string, command: string, why: string, errno: string])[] = [
      ['nothing there', '/nowhere/tool', 'there is no such program', 'ENOENT'],
      ['a folder', here, 'it is a folder', 'EACCES'],
      ['no execute bit', put('data', '#!/bin/sh\n', 0o644), 'it may not be executed', 'EACCES'],
      [
        'no interpreter',
        put('orphan', '#!/nowhere/python\n', 0o755),
        'the interpreter that its first line names is not there',
        'ENOENT',
      ],
      [
        'a text without #!, which a shell would run',
        put('text', 'echo hi\n', 0o755),
        'it is a text whose first line does not begin with #!',
        'ENOEXEC',
      ],
      [
        'an empty file',
        put('empty', '', 0o755),
        'it is a text whose first line does not begin with #!',
        'ENOEXEC',
      ],
    ]
    for (const [what, command, why, errno] of cases) {
      test(what, async () => {
        const outcome = await runTool(execTool(command))
        const message = `Cannot start ${JSON.stringify(command)}: ${why}`
        assert.deepEqual(words(outcome), ['unavailable', message, { reason: 'not_started', errno }])
        assert.deepEqual(
          [failed(outcome).retryable, outcome.facts.started, outcome.facts.exit],
          [false, false, -1],
        )
      })
    }

    test('a path that is not absolute is invalid', async () => {
      const tool = {
        ...execTool('/bin/true'),
        transport: { kind: 'exec', command: 'true', args: [] },
      } as const
      assert.equal(failed(await runTool(tool)).kind, 'rejected')
    })
  })

  describe('how a program ends', () => {
    const run = (name: string, ...args: string[]) => runTool(execTool(name, args, { rlp: { stdin: true } }))

    test('with a status: standard error speaks, or the status does', async () => {
      assert.deepEqual(words(await run('fail.sh', '3', 'no such\nmailbox ')), [
        'execution_error',
        'no such\nmailbox',
        { exit: 3 },
      ])
      assert.deepEqual(words(await run('fail.sh', '7', '')), [
        'execution_error',
        'exit status 7',
        { exit: 7 },
      ])
      assert.deepEqual(words(await run('fail.sh', '1', '{"error":"one line"}')), [
        'execution_error',
        'one line',
        { exit: 1 },
      ])
      assert.equal((await run('fail.sh', '7', '')).facts.exit, 7)
    })

    test('by a signal', async () => {
      assert.deepEqual(words(await run('end-by-signal.sh', 'SEGV')), [
        'execution_error',
        'signal: segmentation fault',
        { signal: 'SIGSEGV' },
      ])
      assert.deepEqual(words(await run('end-by-signal.sh', 'KILL')), [
        'execution_error',
        'signal: killed',
        { signal: 'SIGKILL' },
      ])
      assert.equal((await run('end-by-signal.sh', 'TERM')).facts.exit, -1)
    })

    test('with a failure of the contract on standard output, whatever the status', async () => {
      const outcome = answered(await runTool(shell(`echo '{"ok":false,"kind":"not_found"}'; exit 4`)))
      assert.match(outcome.output, /"not_found"/)
      assert.equal(outcome.facts.exit, 4)
    })

    test('with 0: what it wrote to standard error is beside the answer', async () => {
      const outcome = answered(
        await runTool(execTool('/bin/sh', ['-c', 'echo yes; echo why >&2'], { rlp: { stdin: true } })),
      )
      assert.deepEqual([outcome.output, outcome.remarks], ['yes\n', 'why\n'])
      assert.deepEqual([outcome.facts.outputBytes, outcome.facts.errorBytes], [4, 4])
    })
  })

  describe('streams', () => {
    test('both are read to the end, 2 MB each, and a part is kept', async () => {
      const tool = execTool('flood.mjs', ['2000000'], { rlp: { stdin: true } })
      const { output, remarks, facts } = answered(await runTool(tool, { outputBytes: 1000, errorBytes: 500 }))
      assert.deepEqual([facts.outputBytes, facts.errorBytes, facts.truncated], [2_000_000, 2_000_000, true])
      assert.deepEqual([output, remarks], ['x'.repeat(1000), 'x'.repeat(500)])
      assert.match(facts.notices[0] ?? '', /printed 2000000 bytes, of which the first 1000/)
    })

    test('a standard input that is closed early is no error', async () => {
      const tool = shell('exec 0<&-; echo closed; sleep 0.2')
      const { output } = answered(await runTool(tool, { text: `"${'x'.repeat(2_000_000)}"` }))
      assert.equal(output, 'closed\n')
    })

    test('half a character is replaced, and that is said', async () => {
      const { output, facts } = answered(await runTool(shell("printf 'caf\\303'")))
      assert.equal(output, 'caf\u{fffd}')
      assert.match(facts.notices.join(), /not UTF-8/)
    })

    test('a character that our own limit cuts is left out, and the tool is not blamed', async () => {
      const tool = execTool('/bin/sh', ['-c', 'printf aüüü'], { rlp: { stdin: true } })
      for (const [bytes, text] of [
        [2, 'a'],
        [3, 'aü'],
        [4, 'aü'],
      ] as const) {
        const { output, facts } = answered(await runTool(tool, { outputBytes: bytes }))
        assert.equal(output, text)
        assert.doesNotMatch(facts.notices.join(), /UTF-8/)
      }
    })
  })

  describe('nothing is left', () => {
    const pidsIn = (file: string) => readFileSync(file, 'utf8').trim().split(' ').map(Number)

    test('of a program that ignores SIGTERM when its time is over', async () => {
      const file = join(folder('term'), 'pid')
      const outcome = await runTool(execTool('ignore-term.sh', [file], { rlp: { stdin: true } }), {
        timeoutMs: 300,
      })
      assert.deepEqual(words(outcome), [
        'timeout',
        "Tool 'test.tool' exceeded the 0.3s execution budget.",
        undefined,
      ])
      assert.ok(pidsIn(file).every(isGone))
      assert.deepEqual(outcome.facts.notices, [], 'it was given up')
    })

    test('which has stopped itself: it is woken to tidy up', async () => {
      const file = join(folder('stopped'), 'pid')
      const stop = new AbortController()
      const run = runTool(execTool('stop-itself.sh', [file], { rlp: { stdin: true } }), {
        signal: stop.signal,
        graceMs: 10_000,
      })
      const isStopped = () => {
        const [pid] = hasWritten(file) ? pidsIn(file) : []
        const stat = `/proc/${pid}/stat`
        return (
          pid !== undefined && (!existsSync('/proc/self/stat') || / T /.test(readFileSync(stat, 'latin1')))
        )
      }
      await until('it has stopped', isStopped)
      stop.abort()
      assert.match(failed(await run).message, /was cancelled/)
      assert.equal(readFileSync(`${file}.tidy`, 'utf8'), 'tidy\n')
    })

    test('of its children, which ignore it too', { skip: NO_PYTHON }, async () => {
      const file = join(folder('fork'), 'pids')
      const stop = new AbortController()
      const run = runTool(execTool('fork-children.py', [file], { rlp: { stdin: true } }), {
        signal: stop.signal,
      })
      await until('the children are there', () => hasWritten(file))
      stop.abort()
      const outcome = failed(await run)
      assert.deepEqual(
        [outcome.kind, outcome.message, outcome.retryable],
        ['execution_error', "Tool 'test.tool' was cancelled.", false],
      )
      assert.equal(pidsIn(file).length, 6)
      await until('all of them are gone', () => pidsIn(file).every(isGone))
    })

    for (const name of ['leave-behind.sh', 'leave-quietly.sh']) {
      test(`of what a program leaves in the background (${name})`, async () => {
        const file = join(folder('left'), 'pid')
        const outcome = await runTool(execTool(name, [file], { rlp: { stdin: true } }))
        assert.equal(answered(outcome).output, '{"left": true}\n')
        await until('it is gone', () => pidsIn(file).every(isGone))
      })
    }

    test('and no call waits for a process that left the group and holds a pipe', {
      skip: existsSync('/usr/bin/setsid') ? false : 'there is no setsid',
    }, async () => {
      const file = join(folder('session'), 'pid')
      const script = `setsid sh -c 'echo $$ > ${file}; exec sleep 60' & echo done`
      const outcome = await runTool(execTool('/bin/sh', ['-c', script], { rlp: { stdin: true } }))
      assert.equal(answered(outcome).output, 'done\n')
      await until('it has said who it is', () => hasWritten(file))
      for (const pid of pidsIn(file)) process.kill(pid, 'SIGKILL')
    })

    test('and says who ended it, where there was something to end', async () => {
      const file = join(folder('killed'), 'pid')
      const stop = new AbortController()
      const run = runTool(execTool('wait.sh', [file], { rlp: { stdin: true } }), { signal: stop.signal })
      await until('it runs', () => hasWritten(file))
      stop.abort()
      assert.deepEqual(failed(await run).extra, { killed_by: 'user' })
      const never = runTool(execTool('wait.sh', [file], { rlp: { stdin: true } }), {
        signal: AbortSignal.abort(),
      })
      assert.equal(failed(await never).extra, undefined)
      const late = runTool(execTool('wait.sh', [file], { rlp: { stdin: true } }), { timeoutMs: 50 })
      assert.equal(failed(await late).extra, undefined)
    })

    test('when it is silent for too long, and not while it speaks', async () => {
      const speak = (times: number, end: string) => {
        const script = `i=0; while [ $i -lt ${times} ]; do echo x >&2; sleep 0.1; i=$((i+1)); done; ${end}`
        return runTool(execTool('/bin/sh', ['-c', script], { rlp: { stdin: true } }), { idleMs: 700 })
      }
      assert.equal(answered(await speak(12, 'echo done')).output, 'done\n')
      const silent = failed(await speak(1, 'sleep 60'))
      assert.deepEqual([silent.kind, silent.retryable, silent.extra], ['timeout', true, undefined])
      assert.match(silent.message, /^Command killed by the idle timeout/)
    })

    test('when the call is given up before it begins', async () => {
      const file = join(folder('never'), 'file')
      const tool = execTool('/usr/bin/touch', [file], { rlp: { stdin: true } })
      const outcome = await runTool(tool, { signal: AbortSignal.abort() })
      assert.match(failed(outcome).message, /was cancelled/)
      assert.deepEqual([outcome.facts.started, existsSync(file)], [false, false])
    })

    test('when the process ends in the middle of a call', async () => {
      const file = join(folder('exit'), 'pid')
      const running = new Running()
      const run = runTool(execTool('ignore-term.sh', [file], { rlp: { stdin: true } }), { running })
      await until('it runs', () => hasWritten(file))
      assert.equal(running.isIdle, false)
      running.end()
      assert.match(failed(await run).message, /signal: killed/)
      assert.ok(pidsIn(file).every(isGone))
      assert.ok(running.isIdle)
    })

    test('of folders of processes that were killed; those of others, and young ones, stay', async () => {
      const old = join(tmpdir(), 'rlp-call-AbCdEf')
      const young = join(tmpdir(), 'rlp-call-GhIjKl')
      for (const path of [old, young]) {
        mkdirSync(path, { recursive: true })
        writeFileSync(join(path, 'arguments.json'), '{}')
      }
      const long = new Date(Date.now() - 3 * 60 * 60 * 1000)
      utimesSync(old, long, long)
      await runTool(execTool('/bin/true'))
      assert.deepEqual([existsSync(old), existsSync(young)], [false, true])
      rmSync(young, { recursive: true })
    })
  })
})
