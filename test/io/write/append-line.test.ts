// The end of a log that many processes write: only a file of its own, a line in one write, and on a line of its own after a torn one.
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { appendLine, tryLog } from '../../../src/io/write/append-log.ts'
import { RlpError } from '../../../src/model/error.ts'
import { compiled } from '../../support/compile.ts'
import { temporary } from '../../support/folder.ts'

const folder = temporary('append-line')
const isRoot = process.getuid?.() === 0

/** Code and message of the refusal. */
function refused(work: () => void): string {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof RlpError, String(error))
    return `${error.code} ${error.message}`
  }
  return 'taken'
}

test('a missing log is made for its owner alone, and a line is added to what is there', () => {
  const path = join(folder('new'), 'log')
  appendLine(path, 'log', 'one\n')
  assert.equal((statSync(path).mode & 0o777).toString(8), '600')
  appendLine(path, 'log', 'two\n')
  assert.equal(readFileSync(path, 'utf8'), 'one\ntwo\n')
  // One that is there keeps its mode.
  chmodSync(path, 0o640)
  tryLog(path, 'log')
  assert.equal((statSync(path).mode & 0o777).toString(8), '640')
  assert.equal(readFileSync(path, 'utf8'), 'one\ntwo\n')
})

test('a line that another process did not finish stays, and the next one begins on its own', () => {
  const path = join(folder('torn'), 'log')
  appendLine(path, 'log', 'one\n')
  appendFileSync(path, '{"half')
  appendLine(path, 'log', 'two\n')
  appendLine(path, 'log', 'three\n')
  assert.equal(readFileSync(path, 'utf8'), 'one\n{"half\ntwo\nthree\n')
})

test('a log that is renamed between two lines is made anew, and loses none', () => {
  const path = join(folder('rotated'), 'log')
  appendLine(path, 'log', 'one\n')
  renameSync(path, `${path}.1`)
  appendLine(path, 'log', 'two\n')
  assert.deepEqual(
    [`${path}.1`, path].map(name => readFileSync(name, 'utf8')),
    ['one\n', 'two\n'],
  )
})

describe('refused, and nothing is written', () => {
  const put = (name: string, make: (path: string, here: string) => void) => {
    const here = folder(name)
    const path = join(here, 'log')
    make(path, here)
    return path
  }
  const cases: Readonly<Record<string, readonly [make: (path: string, here: string) => void, says: RegExp]>> =
    {
      link: [
        (path, here) => {
          writeFileSync(join(here, 'theirs'), 'theirs\n')
          symlinkSync('theirs', path)
        },
        /^WRONG_FILE_TYPE Cannot write to "log": it is a symbolic link$/,
      ],
      'link to nothing': [
        path => symlinkSync('nothing', path),
        /^WRONG_FILE_TYPE Cannot write to "log": it is a symbolic link$/,
      ],
      'second name': [
        (path, here) => {
          writeFileSync(join(here, 'theirs'), 'theirs\n', { mode: 0o600 })
          linkSync(join(here, 'theirs'), path)
        },
        /^WRONG_FILE_TYPE .*another name, by a hard link$/,
      ],
      pipe: [path => execFileSync('mkfifo', [path]), /^WRONG_FILE_TYPE .*not a regular file$/],
      folder: [path => mkdirSync(path), /^WRONG_FILE_TYPE .*not a regular file$/],
      'writable by others': [
        path => {
          writeFileSync(path, '', { mode: 0o600 })
          chmodSync(path, 0o620)
        },
        /^NO_PERMISSION .*others may write it$/,
      ],
      'folder writable by others': [
        (_, here) => chmodSync(here, 0o777),
        /^NO_PERMISSION .*others may write its folder, and replace it$/,
      ],
      'nothing, of a folder of its own': [(_, here) => chmodSync(here, 0o700), /^taken$/],
    }
  for (const [name, [make, says]] of Object.entries(cases))
    test(name, () => {
      const path = put(name, make)
      assert.match(
        refused(() => appendLine(path, 'log', 'x\n')),
        says,
      )
      const theirs = join(path, '..', 'theirs')
      if (existsSync(theirs)) assert.equal(readFileSync(theirs, 'utf8'), 'theirs\n')
      assert.ok(!existsSync(join(path, '..', 'nothing')))
      if (!says.test('taken'))
        assert.match(
          refused(() => tryLog(path, 'log')),
          says,
        )
    })

  test('a device, a folder that is missing, and a file of another user', {
    skip: !isRoot && 'needs root',
  }, () => {
    assert.match(
      refused(() => appendLine('/dev/full', 'log', 'x\n')),
      /^WRONG_FILE_TYPE .*not a regular file$/,
    )
    assert.match(
      refused(() => appendLine(join(folder('gone'), 'no', 'log'), 'log', 'x\n')),
      /^NOT_FOUND /,
    )
    const path = join(folder('foreign'), 'log')
    writeFileSync(path, '', { mode: 0o600 })
    chownSync(path, 65_534, 65_534)
    assert.match(
      refused(() => appendLine(path, 'log', 'x\n')),
      /^NO_PERMISSION .*belongs to another user$/,
    )
  })
})

/** A process that appends lines, each of its number repeated. */
const WRITER = `
import { appendLine } from './src/io/write/append-log.ts'
const [path, number, count] = process.argv.slice(-3)
for (let index = 0; index < Number(count); index++)
  appendLine(path, 'log', JSON.stringify({ number, index, text: number.repeat(3000) }) + '\\n')
`

const compiledWriter = await compiled(WRITER, folder('writer'))

function writer(path: string, number: string, count: number, ...before: string[]) {
  const [program = process.execPath, ...args] = [...before, process.execPath]
  return [program, [...args, compiledWriter, path, number, String(count)]] as const
}

test('lines of many processes do not mix, while the log is rotated', async () => {
  const path = join(folder('many'), 'log')
  const all = Array.from({ length: 6 }, (_, number) => {
    const [program, args] = writer(path, String(number), 40)
    return new Promise<number | null>(done => spawn(program, args, { stdio: 'inherit' }).on('exit', done))
  })
  let isOver = false
  let rotated = 0
  const rotating = (async () => {
    while (!isOver) {
      await new Promise(go => setTimeout(go, 100))
      if (existsSync(path)) renameSync(path, `${path}.${++rotated}`)
    }
  })()
  assert.deepEqual(await Promise.all(all), [0, 0, 0, 0, 0, 0])
  isOver = true
  await rotating
  const names = [path, ...Array.from({ length: rotated }, (_, at) => `${path}.${at + 1}`)].filter(existsSync)
  const lines = names
    .flatMap(name => readFileSync(name, 'utf8').split('\n'))
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as { number: string; index: number; text: string })
  assert.equal(lines.length, 240)
  assert.equal(new Set(lines.map(({ number, index }) => `${number} ${index}`)).size, 240)
  for (const { number, text } of lines) assert.equal(text, number.repeat(3000))
  assert.ok(rotated > 0)
})

test('a line for which there is no room is refused, and the next one begins on its own', () => {
  const path = join(folder('full'), 'log')
  appendLine(path, 'log', 'one\n')
  // A limit on the size of a file ends a write as a full disk does, after some of its bytes.
  const [program, args] = writer(path, '7', 1, 'prlimit', '--fsize=1000')
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  assert.notEqual(status, 0)
  assert.match(stderr, /only 996 of \d+ bytes were taken/)
  assert.equal(readFileSync(path, 'utf8').length, 1000)
  const after = spawnSync(program, args, { encoding: 'utf8' })
  assert.match(after.stderr, /NO_SPACE|larger than the file system allows/)
  appendLine(path, 'log', 'two\n')
  assert.equal(readFileSync(path, 'utf8').split('\n').at(-2), 'two')
})
