// Command transcripts: test/golden/*.txt hold commands, what they print and how they end; the command has to say the same. `[exit N]` is
// that of the last call of rlp in the line, whatever reads its output; of the shell, where the line has no such call.
// UPDATE_GOLDEN=1 npm run test:only -- test/product/golden.test.ts writes them anew and names the files it wrote.
//
// A process for each of some five hundred calls would take longer than all they do, so this process makes the calls: plain lines without
// a shell, and by day the others in a shell whose `rlp` asks this process. WHOLE transcripts, and all that are written anew, run the
// built program, as a person would; `.ci/run` does so for every line that takes a shell. What needs a registry, another time or an HTTP
// client runs only in `.ci/run`. So do terminals of other widths, and most of the long ones; the narrowest shows one transcript of eight in
// every run.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { REGISTRY } from '../../src/cli/commands.ts'
import type { Terminal } from '../../src/cli/main.ts'
import { width } from '../../src/cli/render/layout.ts'
import { builtProgram } from '../support/built.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { missing } from '../support/needs.ts'
import { passwordIn, type RealRegistry, realRegistry } from '../support/real-registry.ts'
import { type Call, commandsIn, type Mask, type Other } from '../support/rlp-line.ts'
import { IN_CI, slice } from '../support/runs.ts'
import { NO_SANDBOX_HERE } from '../support/sandbox-works.ts'
import { putRlpHere, shellHere } from '../support/shell-here.ts'

const ROOT = resolve('.')
const GOLDEN = resolve('test/golden')
const RLP = builtProgram()
const MOST_LINES = 60
/** The way from nothing to a verified bundle; in `.ci/run` also what goes wrong before any command runs, verdicts, and many programs together. */
const WHOLE = slice(['flow.txt', 'usage.txt', 'verify-invalid.txt', 'evidence-travel.txt'], 4)
/** Transcripts that take up to two seconds of processor time each, mostly with commands that others show as well. A part of them is shown in every run, and all of them in `.ci/run`. */
const LONG = [
  ...['author.txt', 'author-day.txt', 'agent-run.txt', 'recovery.txt', 'tool-sandbox.txt'],
  ...['channel-rotate.txt', 'channel-publish.txt', 'lock-deploy.txt', 'tool-life.txt'],
  ...['audit.txt', 'evidence-layout.txt', 'sign-elsewhere.txt', 'travel.txt'],
  ...['trust-follow.txt', 'trust-identity.txt', 'install-upgrade.txt', 'diff.txt', 'lock-prune.txt'],
]
const LATE = new Set(LONG.filter(name => !slice(LONG.slice(1), 8).includes(name)))
/** Programs that transcripts need, and that take seconds: hosts months later, clients of HTTP. Others show these commands by day. */
const IN_CI_ALONE = ['faketime', 'curl']
const update = process.env['UPDATE_GOLDEN'] === '1'
const transcripts = readdirSync(GOLDEN).filter(name => name.endsWith('.txt'))

interface Answer {
  /** One stream, as a person sees it. */
  readonly said: string
  readonly status: number | null
}

/** Through a shell because transcripts use pipes and variables. */
function inShell(line: string, folder: string): Answer {
  const ended = join(folder, '.path/status')
  rmSync(ended, { force: true })
  const { stdout, status } = spawnSync('sh', ['-c', `exec 2>&1\n${line}`], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: `${folder}/.path:${process.env['PATH']}`, HOME: folder, LC_ALL: 'C.UTF-8' },
  })
  return { said: stdout, status: existsSync(ended) ? Number(readFileSync(ended, 'utf8')) : status }
}

/** Through a shell in which calls of rlp are answered by this process. */
function here(line: string, folder: string): Promise<Answer> {
  const path = join(folder, '.path')
  const env = { PATH: `${path}:${process.env['PATH']}`, HOME: folder, LC_ALL: 'C.UTF-8' }
  return shellHere(line, path, { cwd: folder, env })
}

/** In this process, which becomes one in that folder: keys and trust are read below `$HOME`. */
async function inProcess(
  commands: readonly (Call | Other | Mask)[],
  folder: string,
  screen?: Pick<Terminal, 'columns' | 'isTTY'>,
): Promise<Answer> {
  process.chdir(folder)
  process.env['HOME'] = folder
  delete process.env['RUNLOOP_HOME']
  const env = { PATH: process.env['PATH'], HOME: folder, LC_ALL: 'C.UTF-8', ...(screen && { NO_COLOR: '1' }) }
  let said = ''
  let status: number | null = null
  const isCalled = commands.some(command => 'args' in command)
  const before = process.umask()
  try {
    for (const command of commands) {
      if ('umask' in command) {
        process.umask(command.umask)
        continue
      }
      if ('shell' in command) {
        const answer = inShell(command.shell, folder)
        said += answer.said
        if (!isCalled) status = answer.status
        continue
      }
      const { args, from, to, through } = command
      const input = from === undefined ? '' : inShell(from, folder).said
      let piped = ''
      if (typeof to === 'object') writeFileSync(join(folder, to.file), '')
      const terminal = {
        ...screen,
        stdout: (text: string | Uint8Array) => {
          const written = Buffer.from(text as string).toString()
          if (through !== undefined) piped += written
          else if (to === 'reader') said += written
          else if (typeof to === 'object') appendFileSync(join(folder, to.file), written)
        },
        stderr: (text: string) => {
          said += text
        },
      }
      status = (
        await run(args, undefined, { cwd: folder, env: { ...env, ...command.env }, input, ...terminal })
      ).exit
      if (through === undefined) continue
      said += spawnSync('sh', ['-c', `exec 2>&1\n${through}`], { input: piped, encoding: 'utf8' }).stdout
    }
  } finally {
    process.umask(before)
  }
  return { said, status }
}

/**
 * `# comment`, `copy: from -> to`, `needs: programs`, `registry: host`, `sigstore: folder`, `$ command`; everything else is output and is made anew. Each host
 * is a registry of Debian's, which runs on a free port while the transcript is made; `with a password`: `s3cret`, of `ci`.
 */
async function replay(transcript: string, folder: string, isWhole: boolean): Promise<string> {
  return withSigstore(transcript, folder, () =>
    withRegistries(transcript, folder, async (here, there) => there(await lines(here, folder, isWhole))),
  )
}

/** Runs the services of Sigstore where a transcript asks for them: their files are in the folder that it names. */
async function withSigstore<T>(transcript: string, folder: string, work: () => Promise<T>): Promise<T> {
  const named = /^sigstore: (\S+)$/m.exec(transcript)?.[1]
  if (named === undefined) return work()
  const place = join(folder, named)
  mkdirSync(place)
  const script = resolve(ROOT, 'test/support/sigstore-process.ts')
  const child = spawn(process.execPath, ['--import', 'tsx', script, place], { cwd: ROOT, stdio: 'inherit' })
  try {
    for (let tries = 0; !existsSync(join(place, 'ready')); tries++) {
      assert.ok(tries < 600 && child.exitCode === null, 'the services of Sigstore did not start')
      await wait(50)
    }
    return await work()
  } finally {
    child.kill('SIGKILL')
  }
}

/** Runs the registries that a transcript names. `work` is given it with where they are, and what writes their names again. */
async function withRegistries<T>(
  transcript: string,
  folder: string,
  work: (here: string, there: (text: string) => string) => Promise<T>,
): Promise<T> {
  const named = [...transcript.matchAll(/^registry: (\S+)( with a password)?$/gm)]
  const started: { readonly host: string; readonly registry: RealRegistry }[] = []
  try {
    for (const [, host = '', login] of named) {
      const place = mkdtempSync(join(folder, '.registry-'))
      const registry = await realRegistry(place, '', login === undefined ? '' : passwordIn(place))
      started.push({ host, registry })
    }
    const here = started.reduce(
      (text, { host, registry }) => text.replaceAll(host, registry.host),
      transcript,
    )
    return await work(here, text =>
      started.reduce((text, { host, registry }) => text.replaceAll(registry.host, host), text),
    )
  } finally {
    for (const { registry } of started) registry.stop()
  }
}

async function lines(transcript: string, folder: string, isWhole: boolean): Promise<string> {
  const out: string[] = []
  // What a command printed may look like a comment; in a new transcript nothing has been printed yet.
  const isNew = !/^\[exit /m.test(transcript)
  let isOutput = false
  for (const line of transcript.split('\n')) {
    if (line.startsWith('$ ')) isOutput = !isNew
    else if (line.startsWith('[exit ')) isOutput = false
    if (line.startsWith('# ') && !isOutput) out.push(line)
    if (/^(?:needs|registry|sigstore): /.test(line) && !isOutput) out.push(line)
    const copy = /^copy: (\S+) -> (\S+)$/.exec(line)
    if (copy?.[1] && copy[2]) {
      cpSync(resolve(ROOT, copy[1]), join(folder, copy[2]), { recursive: true })
      out.push(line)
    }
    if (!line.startsWith('$ ')) continue
    const command = line.slice(2)
    const commands = isWhole ? undefined : commandsIn(command)
    const { said, status } =
      commands !== undefined
        ? await inProcess(commands, folder)
        : isWhole || IN_CI
          ? inShell(command, folder)
          : await here(command, folder)
    out.push(line, said.trimEnd(), `[exit ${status}]`, '')
  }
  return `${out
    .filter((line, at) => line !== '' || out[at - 1] !== '')
    .join('\n')
    .trim()}\n`
}

/** Puts `rlp` on the PATH of a folder: the program, or what lets this process answer. */
function onPath(folder: string, isWhole: boolean): void {
  const path = join(folder, '.path')
  if (!isWhole && !IN_CI) {
    putRlpHere(path)
    return
  }
  cpSync(join(ROOT, 'test/support/rlp-on-path.sh'), join(path, 'rlp'))
  writeFileSync(join(path, 'target'), RLP)
}

/** Why a transcript cannot be made here. */
function lacking(name: string): string | false {
  const transcript = readFileSync(join(GOLDEN, name), 'utf8')
  if (!update && LATE.has(name)) return 'RLP_TEST_RUNS=ci shows the long ones'
  if (!IN_CI && !update && /^(?:registry|sigstore): /m.test(transcript))
    return 'RLP_TEST_RUNS=ci runs a registry'
  const needed = /^needs: (.+)$/m.exec(transcript)?.[1]
  const words = needed?.split(' ') ?? []
  const late = IN_CI || update ? undefined : words.find(word => IN_CI_ALONE.includes(word))
  if (late !== undefined) return `RLP_TEST_RUNS=ci runs ${late}`
  if (words.includes('sandbox') && NO_SANDBOX_HERE) return NO_SANDBOX_HERE
  if (words.includes('root') && process.getuid?.() !== 0) return 'it needs root'
  return missing(...words.filter(word => !['sandbox', 'root'].includes(word)))
}

describe('transcripts', () => {
  assert.ok(existsSync(RLP), 'run npm run build first')
  for (const name of transcripts) {
    test(name, { skip: lacking(name) }, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'rlp-golden-'))
      try {
        const file = join(GOLDEN, name)
        const expected = readFileSync(file, 'utf8')
        // A network namespace that root makes needs a program to be in it.
        const isWhole = update || WHOLE.includes(name) || /^needs: .*\broot\b/m.test(expected)
        onPath(folder, isWhole)
        const made = await replay(expected, folder, isWhole)
        if (update && made !== expected) {
          writeFileSync(file, made)
          process.stdout.write(`wrote ${file}\n`)
        } else assert.equal(made, expected)
        assert.ok(
          made.split('\n').length <= MOST_LINES,
          `${file} has more than ${MOST_LINES} lines: split it`,
        )
      } finally {
        process.chdir(ROOT)
        rmSync(folder, { recursive: true })
      }
    })
  }
})

/** What a terminal shows of each call that has text for people, and what the transcript says of it. */
async function shownAt(
  columns: number,
  transcript: string,
  folder: string,
): Promise<[line: string, said: string, there: string][]> {
  const isTTY = { stdin: false, stdout: true, stderr: true }
  const shown: [string, string, string][] = []
  for (const part of transcript.split(/^(?=\$ |copy: )/m)) {
    const copy = /^copy: (\S+) -> (\S+)$/m.exec(part)
    if (copy?.[1] && copy[2]) cpSync(resolve(ROOT, copy[1]), join(folder, copy[2]), { recursive: true })
    const [, line, there = ''] = /^\$ (.*)\n([\s\S]*)\[exit /.exec(part) ?? []
    if (line === undefined) continue
    const commands = commandsIn(line)
    if (commands === undefined) await here(line, folder)
    else if (!isForPeople(line)) await inProcess(commands, folder)
    else shown.push([line, (await inProcess(commands, folder, { columns, isTTY })).said, there])
  }
  return shown
}

/** Whether what a line says is shown in a terminal: through a shell it never is. */
function isForPeople(line: string): boolean {
  const isShown = commandsIn(line)?.every(one => 'args' in one && one.through === undefined)
  return isShown === true && !line.includes('--json')
}

const shownSomewhere = transcripts.filter(name =>
  [...readFileSync(join(GOLDEN, name), 'utf8').matchAll(/^\$ (.*)$/gm)].some(([, line = '']) =>
    isForPeople(line),
  ),
)

/** By day what needs a sandbox is shown once, as a transcript. */
function isNarrow(name: string): boolean {
  return IN_CI || !/^needs: .*\bsandbox\b/m.test(readFileSync(join(GOLDEN, name), 'utf8'))
}

/** The narrowest asks most of a text. `RLP_TRANSCRIPTS=DIR` keeps what was shown, to look at. */
const WIDTHS = slice([40, 80, 200], 3)
const kept = process.env['RLP_TRANSCRIPTS']

// Its transcript is the measure of what a terminal shows. Code frames are cut, and examples of help can be pasted.
for (const columns of WIDTHS) {
  describe(`on a terminal of ${columns} columns no line is wider, and no word is lost`, () => {
    const words = (text: string) => text.split(/\s+/).filter(Boolean)
    const unframed = (text: string) => text.replace(/^ +>? *\d* │.*$/gm, '')
    for (const name of slice(shownSomewhere.filter(isNarrow), 20)) {
      test(name, { skip: lacking(name) }, async () => {
        const folder = mkdtempSync(join(tmpdir(), 'rlp-narrow-'))
        try {
          putRlpHere(join(folder, '.path'))
          const transcript = readFileSync(join(GOLDEN, name), 'utf8')
          const shown = await withSigstore(transcript, folder, () =>
            withRegistries(transcript, folder, here => shownAt(columns, here, folder)),
          )
          if (kept !== undefined) {
            const text = shown.map(([line, said]) => `$ ${line}\n${said}\n`).join('')
            writeFileSync(join(kept, `${columns}-${name}`), text)
          }
          for (const [, said, there] of shown) {
            // A bar, which a slow machine shows, goes back to the start of its line.
            for (const line of said.split(/[\r\n]/)) {
              const isOne = words(line).length <= 1 || line.startsWith('  rlp ')
              assert.ok(width(line) <= columns || isOne, line)
            }
            const whole = new Set(words(said))
            const lost = words(unframed(there)).filter(word => word.length > 12 && !whole.has(word))
            assert.deepEqual(lost, [], said)
          }
        } finally {
          process.chdir(ROOT)
          rmSync(folder, { recursive: true })
        }
      })
    }
  })
}

test('a line without a shell is split as a shell does it', () => {
  const lines = transcripts.flatMap(name =>
    readFileSync(join(GOLDEN, name), 'utf8')
      .split('\n')
      .flatMap(line => (line.startsWith('$ ') ? [line.slice(2)] : [])),
  )
  const plain = lines.flatMap(line => {
    const commands = commandsIn(line)
    return commands?.every(command => 'args' in command) ? [{ line, commands }] : []
  })
  assert.ok(plain.length > lines.length / 2, `${plain.length} of ${lines.length}`)
  // The command as a function that says what it was given, on a stream that no line redirects.
  const script = plain.map(({ line }) => line).join('\n')
  const { stdout, status } = spawnSync(
    'sh',
    [
      '-c',
      `exec 3>&1 >/dev/null\nrlp() { for word; do printf '%s\\0' "$word" >&3; done; printf '\\1' >&3; }\n${script}`,
    ],
    { cwd: temporary('golden-words')('files'), encoding: 'utf8' },
  )
  assert.equal(status, 0)
  assert.deepEqual(
    stdout
      .split('\x01')
      .slice(0, -1)
      .map(call => call.split('\0').slice(0, -1)),
    plain.flatMap(({ commands }) => commands.map(({ args }) => args)),
  )
  const mixed = commandsIn(
    "echo 'a;b' >> c; rlp x 'y;z' >/dev/null; rlp t | sed -n '1p;$p' | tail -1; rlp u | head -1",
  )
  assert.deepEqual(mixed, [
    { shell: "echo 'a;b' >> c" },
    { args: ['x', 'y;z'], to: 'nobody' },
    { args: ['t'], to: 'reader', through: "sed -n '1p;$p' | tail -1" },
    { args: ['u'], to: 'reader', through: 'head -1' },
  ])
  assert.deepEqual(commandsIn("printf 'a|b\\n' | rlp c; A=1 B='x y' rlp d > e.json; umask 077; rlp f"), [
    { args: ['c'], to: 'reader', from: "printf 'a|b\\n'" },
    { args: ['d'], to: { file: 'e.json' }, env: { A: '1', B: 'x y' } },
    { umask: 0o77 },
    { args: ['f'], to: 'reader' },
  ])
  const others = ['rlp a >> file', 'rlp a > $x', 'rlp $HOME', 'A=$B rlp a', 'rlp "a`b`"', 'rlp a & rlp b']
  const piped = ['rlp a | jq .', 'rlp a | head -1 | rlp b', 'rlp a | sed "s/$b//"', 'rlp a | grep b > c']
  for (const line of [...others, ...piped, 'rlp a; echo $?', 'rlp *', 'rlp a\\ b', 'cd a; rlp b'])
    assert.equal(commandsIn(line), undefined, line)
})

test('every command has a transcript', () => {
  const all = transcripts.map(name => readFileSync(join(GOLDEN, name), 'utf8')).join('\n')
  for (const { name } of REGISTRY.commands) {
    const isThere = all.includes(`$ rlp ${name}`) || all.includes(`| rlp ${name}`)
    assert.ok(isThere, `no transcript in ${GOLDEN} runs rlp ${name}`)
  }
})
