// The real process: streams, pipes, signals and the exit code.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { compiled } from '../support/compile.ts'
import { temporary } from '../support/folder.ts'
import { PROGRAM } from '../support/run.ts'

const folderFor = temporary('process')
let compiledAt: string

before(async () => {
  const source = `
    export { runProcess } from './src/cli/process.ts'
    export { RlpError } from './src/model/error.ts'`
  compiledAt = pathToFileURL(await compiled(source, folderFor('compiled'))).href
})

/** A program that runs one command, `x`, whose body is `body`, with the real streams. */
function program(body: string): string[] {
  const script = `
    import { RlpError, runProcess } from ${JSON.stringify(compiledAt)}
    const command = { name: 'x', summary: '', options: {}, examples: [], async run(args, io) { ${body} } }
    process.argv.splice(1, process.argv.length, 'rlp', 'x')
    await runProcess({ groups: [], commands: [{ name: 'x', summary: '', load: async () => ({ command }) }] })`
  return ['--input-type=module', '--eval', script]
}

const SHELL = { skip: !existsSync('/bin/sh') && 'needs a POSIX shell' }

/** Runs `node …` followed by shell plumbing. */
async function shell(
  args: readonly string[],
  plumbing = '',
): Promise<{ exit: number | null; stdout: string; stderr: string }> {
  const child = spawn('/bin/sh', ['-c', `"$@" ${plumbing}`, 'sh', process.execPath, ...args])
  return collect(child)
}

function collect(
  child: ReturnType<typeof spawn>,
): Promise<{ exit: number | null; stdout: string; stderr: string }> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', chunk => (stdout += chunk))
  child.stderr?.on('data', chunk => (stderr += chunk))
  return new Promise(done => child.on('close', exit => done({ exit, stdout, stderr })))
}

test('the program itself', SHELL, async () => {
  assert.match((await shell([...PROGRAM, '--version'])).stdout, /^\d+\.\d+\.\d+\n$/)
  assert.equal((await shell([...PROGRAM, 'nonsense'])).exit, 2)
})

test('a large result reaches a slow pipe whole', SHELL, async () => {
  const ran = await shell(program(`io.stdout('x'.repeat(5_000_000)); return 1`), '| (sleep 0.3; wc -c)')
  assert.equal(ran.stdout.trim(), '5000000')
  assert.equal(ran.stderr, '')
})

test('a reader that goes away is no error', SHELL, async () => {
  const body = `for (let i = 0; i < 200; i++) { io.stdout('y\\n'.repeat(10_000)); await new Promise(r => setTimeout(r)) } return 1`
  const line = `(${quote([process.execPath, ...program(body)])}; echo "exit $?" >&2) | head -n 1`
  const child = spawn('/bin/sh', ['-c', line])
  assert.deepEqual(await collect(child), { exit: 0, stdout: 'y\n', stderr: 'exit 1\n' })
})

test('a full disk is said, and is not a success', {
  skip: !existsSync('/dev/full') && 'needs /dev/full',
}, async () => {
  // Once, however much was to be written.
  const ran = await shell(
    program(`for (let n = 0; n < 50; n++) { io.stdout('x'); await new Promise(setImmediate) } return 0`),
    '> /dev/full',
  )
  assert.deepEqual(ran, { exit: 3, stdout: '', stderr: 'rlp: Cannot write to standard output: ENOSPC\n' })
})

test('standard input is read where it is asked for, and the exit code is the command’s', SHELL, async () => {
  const body = `let text = ''; for await (const chunk of io.stdin()) text += chunk; io.stdout(text); return 4`
  assert.deepEqual(await shell(program(body), '<<X\nhello\nX'), { exit: 4, stdout: 'hello\n', stderr: '' })
})

test('a promise without a listener is our bug, not a verdict', SHELL, async () => {
  const ran = await shell(
    program(`Promise.reject(new Error('lost')); await new Promise(r => setTimeout(r, 50)); return 0`),
  )
  assert.equal(ran.exit, 70)
  assert.match(ran.stderr, /^rlp: Internal error outside a command, please report it\nError: lost\n/)
})

test('a command that never ends is no success', SHELL, async () => {
  assert.notEqual((await shell(program('await new Promise(() => {})'))).exit, 0)
})

const SIGNALS = { skip: process.platform === 'win32' && 'Windows has no signals' }

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} asks the command to stop`, SIGNALS, async () => {
    const body = `
      const busy = setInterval(() => {}, 1000)
      io.signal.addEventListener('abort', () => clearInterval(busy))
      io.stdout('ready')
      await new Promise((_, stop) => io.signal.addEventListener('abort', () => stop(io.signal.reason)))`
    const ran = await interrupt(body, [signal])
    assert.deepEqual(ran, {
      exit: 130,
      stdout: 'ready',
      stderr: 'rlp: Cannot finish "rlp x": it was interrupted\n',
    })
  })
}

test('the second signal ends a command that does not stop', SIGNALS, async () => {
  const body = `setInterval(() => {}, 1000); io.signal.addEventListener('abort', () => io.stdout('again')); io.stdout('ready'); await new Promise(() => {})`
  assert.deepEqual(await interrupt(body, ['SIGINT', 'SIGINT']), {
    exit: 130,
    stdout: 'readyagain',
    stderr: '',
  })
})

test(
  'an input that stays open holds up neither a command that is interrupted nor one that has ended',
  SIGNALS,
  async () => {
    const reading = interrupt(`io.stdout('ready'); for await (const _ of io.stdin()) {}`, ['SIGINT'])
    const ended = interrupt('io.stdin()[Symbol.asyncIterator]().next().catch(() => {}); return 4', [])
    const interrupted = 'rlp: Cannot finish "rlp x": it was interrupted\n'
    assert.deepEqual(await reading, { exit: 130, stdout: 'ready', stderr: interrupted })
    assert.deepEqual(await ended, { exit: 4, stdout: '', stderr: '' })
  },
)

/** Sends one signal after each piece of output. */
function interrupt(body: string, signals: NodeJS.Signals[]) {
  const child = spawn(process.execPath, program(body))
  child.stdout.on('data', () => {
    const signal = signals.shift()
    if (signal !== undefined) child.kill(signal)
  })
  return collect(child)
}

function quote(words: readonly string[]): string {
  return words.map(word => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
}
