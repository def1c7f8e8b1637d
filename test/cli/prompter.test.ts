// Both ways to ask: frames on a terminal, and plain lines where the cursor cannot move.
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { openTerminal, saysYes, type TakenAsYes } from '../../src/cli/interactive.ts'
import { parse } from '../../src/cli/parse.ts'
import { createPrompter } from '../../src/cli/prompt.ts'
import { YES_NO } from '../../src/cli/wizard/question.ts'
import { command } from '../../src/scaffold/verbs/scaffold.ts'
import { fakeTerminal, typedAfterwards } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'

const folder = temporary('prompter')

test('thirty questions leave no listener behind, and a stop ends the one that is open', async () => {
  const stop = new AbortController()
  const input = new PassThrough()
  const output = Object.assign(new PassThrough(), { columns: 80, rows: 24 })
  output.resume()
  const streams = { input, output }
  const prompter = createPrompter({ doing: 'test', signal: stop.signal, color: false, streams })
  const listeners = () => getEventListeners(stop.signal, 'abort').length
  const before = listeners()
  for (let at = 0; at < 30; at++) {
    const question = { message: 'Well?', fallback: 'yes', example: undefined }
    const asked =
      at % 2 === 0
        ? prompter.text({ ...question, check: () => undefined })
        : prompter.choose({ ...question, choices: YES_NO })
    // While it is open it listens.
    assert.equal(listeners(), before + 1)
    setImmediate(() => input.write('\r'))
    assert.equal(await asked, at % 2 === 0 ? '' : 'yes')
    assert.equal(listeners(), before)
  }
  const open = prompter.choose({ message: 'Well?', choices: YES_NO, fallback: 'no' })
  setImmediate(() => stop.abort())
  await assert.rejects(open, { code: 'CANCELLED' })
  await assert.rejects(prompter.choose({ message: 'Well?', choices: YES_NO, fallback: 'no' }), {
    code: 'CANCELLED',
  })
})

test('a terminal of 0 × 0 is one of 80 columns; another size stays', async () => {
  const seen = async (size: { columns: number; rows: number }) => {
    const input = new PassThrough()
    const output = Object.assign(new PassThrough(), size)
    const chunks: string[] = []
    output.on('data', chunk => chunks.push(String(chunk)))
    const { signal } = new AbortController()
    const prompter = createPrompter({ doing: 'test', signal, color: false, streams: { input, output } })
    const asked = prompter.choose({ message: 'Transport kind', choices: YES_NO, fallback: 'yes' })
    setImmediate(() => input.write('\r'))
    await asked
    return { text: chunks.join(''), columns: output.columns, rows: output.rows }
  }
  const none = await seen({ columns: 0, rows: 0 })
  assert.match(none.text, /Transport kind\n/)
  assert.deepEqual([none.columns, none.rows], [80, 24])
  const small = await seen({ columns: 12, rows: 30 })
  assert.doesNotMatch(small.text, /Transport kind\n/)
  assert.deepEqual([small.columns, small.rows], [12, 30])
})

const TTY = { stdin: true, stdout: true, stderr: true }

test('TERM=dumb: plain lines, without a single control character', async () => {
  const cwd = folder('dumb')
  const env = { TERM: 'dumb' }
  const { terminal, written } = fakeTerminal({
    cwd,
    env,
    isTTY: TTY,
    columns: 60,
    input: 'Demo\ndemo\r\n\n<\nSends mails\n\nmaybe\nN\n\ny\n',
  })
  assert.equal(await command.run(parse(command, []), { ...terminal, color: false }, openTerminal), 0)
  assert.match(readFileSync(join(cwd, 'agents/demo/README.md'), 'utf8'), /\nSends mails\n/)
  assert.doesNotMatch(written.stdout, /[\x00-\x09\x0b-\x1f\x7f-\x9f]/)
  for (const line of written.stdout.split(/\n|: /)) assert.ok(line.length < 62, line)
  assert.match(
    written.stdout,
    /^A new agent\nName \(lowercase letters, digits and underscores\) \(for\nexample mailer\): /,
  )
  assert.match(written.stdout, /Write one of yes, no, <\n/)
  assert.match(written.stdout, /Write this\? yes\/no\/< \[yes\]: Writing\n✓ agents\/demo\n/)
})

test('TERM=dumb: the end of the input stops, and nothing was written', async () => {
  const cwd = folder('dumb-end')
  const { terminal } = fakeTerminal({ cwd, env: { TERM: 'dumb' }, isTTY: TTY, input: 'demo\n\n' })
  const done = command.run(parse(command, []), { ...terminal, color: false }, openTerminal)
  await assert.rejects(done, { code: 'CANCELLED', message: /^Cannot scaffold an agent: it was cancelled/ })
})

/** Whether `typed` is a yes on each kind of terminal, and what is then said about it. */
async function answers(typed: string, taken: TakenAsYes, ahead = ''): Promise<Record<string, unknown>> {
  const output = Object.assign(new PassThrough(), { columns: 80, rows: 24 })
  const { signal } = new AbortController()
  const { terminal, written } = fakeTerminal({ stdin: () => typedAfterwards(typed, ahead) })
  const io = { ...terminal, env: { TERM: 'dumb' }, color: false }
  const streams = { input: typedAfterwards(typed, ahead), output }
  const frames = createPrompter({ doing: 'test', signal, color: false, streams })
  const asked = [saysYes(frames, 'Well?', taken), saysYes(await openTerminal('test', io), 'Well?', taken)]
  const [frame, line] = await Promise.all(asked)
  const says = /is not yes/
  return { frame, line, says: says.test(written.stdout) && says.test(String(output.read())) }
}

const both = (is: boolean, says: boolean) => ({ frame: is, line: is, says })
const NO = ['', 'n', 'no', ' NO ']
const OTHER = [
  ...['nah', 'later', 'cancel', 'sudo rm -rf x', 'yeah', 'ye', 'yess', 'yy', 'y.', 'y y', 'yes no', 'jk'],
  ...['true', '1', 'ok', 'ｙｅｓ', '\u001b[Ay', 'h', 'j', 'k', 'l', '<', '-', 'none'],
]

test('a line is yes only if it is y or yes, on each kind of terminal; of another word this is said', async () => {
  const cases = [
    ...['y', 'Y', 'yes', 'YES', ' yEs\t'].map(typed => [typed, both(true, false)] as const),
    ...NO.map(typed => [typed, both(false, false)] as const),
    ...OTHER.map(typed => [typed, both(false, true)] as const),
  ]
  const found = await Promise.all(
    cases.map(async ([typed]) => [typed, await answers(`${typed}\n`, 'y or yes')]),
  )
  assert.deepEqual(found, cases)
})

test('where yes alone is yes, y is not', async () => {
  const cases = [
    ...['yes', ' YES '].map(typed => [typed, both(true, false)] as const),
    ...NO.map(typed => [typed, both(false, false)] as const),
    ...['y', 'Y', ...OTHER].map(typed => [typed, both(false, true)] as const),
  ]
  const found = await Promise.all(
    cases.map(async ([typed]) => [typed, await answers(`${typed}\n`, 'yes alone')]),
  )
  assert.deepEqual(found, cases)
})

test('a line that came before the question is no answer, and the end of the input is no', async () => {
  assert.deepEqual(await answers('y\n', 'y or yes', 'no\n'), both(true, false))
  assert.deepEqual(await answers('\n', 'y or yes', 'y\n'), both(false, false))
  assert.deepEqual(await answers('s\n', 'y or yes', 'ye'), both(false, true))
  assert.deepEqual(await answers('', 'y or yes'), both(false, false))
  assert.deepEqual(await answers('y', 'y or yes'), both(false, false))
})

test('letters do not move the cursor of a choice', async () => {
  const choosing = async (keys: string) => {
    const input = new PassThrough()
    const output = Object.assign(new PassThrough(), { columns: 80, rows: 24 })
    const { signal } = new AbortController()
    const prompter = createPrompter({ doing: 'test', signal, color: false, streams: { input, output } })
    const chosen = prompter.choose({ message: 'Well?', choices: YES_NO, fallback: 'no' })
    setImmediate(() => input.write(keys))
    return chosen
  }
  assert.equal(await choosing('\u001b[A\r'), 'yes')
  for (const keys of ['h\r', 'j\r', 'k\r', 'l\r', 'y\r', 'yes\r', 'nah\r'])
    assert.equal(await choosing(keys), 'no')
})
