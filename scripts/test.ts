// Runs the tests: compiles test/**/*.test.ts at once, and starts `node --test` on every core. Read through tsx, each test file would compile
// the sources for itself: half a second of processor time a file. `node --import tsx --test test/x.test.ts` runs one file in that way.
// Thirty files share a process, because starting one and loading the sources takes 1.3 s of processor time.
// Usage: node --import tsx scripts/test.ts [flag of node --test | test/x.test.ts]…
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { isBuilt } from '../test/support/built.ts'
import { COMPILED, whereItStands } from '../test/support/compile.ts'
import { IN_CI } from '../test/support/runs.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const compiled = join(root, '.tests')
/** The most files that share a process. More of them save less, and a failure that ends the process hides more. */
const TOGETHER = 30
const IN_MEMORY = '/dev/shm'
/** A file that counts steps has V8 count everything that its process runs. Such files share a process with each other. */
const COUNTS_STEPS = /support\/steps\.ts/
/** Files that make all vectors of the conformance kit, which takes three seconds, share a process that makes them once. */
const MAKES_VECTORS =
  /conformance\/kit\.ts|support\/kept-judged\.ts|support\/kit-identity\.ts|support\/kit-shard\.ts/
/** Changes that `inTurn` cannot undo: listeners of the process, or the choice of BLAKE3. A file that makes one has a process of its own. */
const CHANGES_PROCESS =
  /^\s*process\.on\(|\bdefineProperty\((?:process|global|Object\.prototype)|support\/taplo\.ts|--without-native/m
/** Rooms whose files take longest come first, so that no long file begins when the others are done. */
const LONGEST = ['product', 'sandbox', 'call']
/** The largest share of the time of all files that one file may take: otherwise one core works while the others wait. */
const MOST_OF_ALL = 1 / 10

/**
 * Most functions of a test run a few times. Compiled to plain machine code at once, and with a young generation that twice as much fits
 * into, all tests together take about a twentieth less processor time.
 */
const QUICK = ['--always-sparkplug', '--max-semi-space-size=32']

const ENTRY = 'entry:'
/** Tests that need the built program import this. */
const STARTS_PROGRAM = 'test/support/built.ts'
const SHOWN = '--test-reporter='
const REPORTER = new URL('test-times.mjs', import.meta.url).href

const flags = process.argv.slice(2).filter(arg => arg.startsWith('-'))
const named = process.argv.slice(2).filter(arg => !arg.startsWith('-'))

removeLeftovers()
// Named after this process, so that two runs in one checkout do not remove each other's files.
const folder = join(compiled, String(process.pid))
const temporary = folderInMemory()
try {
  process.exitCode = named.length > 0 ? await runNamed() : await runAll()
} finally {
  rmSync(folder, { recursive: true, force: true })
  if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true })
}

async function runNamed(): Promise<number> {
  const files = await compile(apart(named.map(file => resolve(file))))
  return start(files, ['--enable-source-maps'])
}

/** Runs the failed files again, each alone and with source maps: a run with these takes longer, and most runs have no use for them. */
async function runAll(): Promise<number> {
  const status = start(await compile(together(allTests())))
  const ran = times()
  const isEven = showSlowest(ran)
  const failed = ran.filter(({ failed }) => failed).map(({ file }) => file)
  if (failed.length > 0) {
    console.log(`\nFailed, and run again with the lines of their sources:\n${failed.join('\n')}\n`)
    start(await compile(apart(failed.map(file => resolve(root, file)))), ['--enable-source-maps'])
  }
  return status !== 0 ? status : Number(!isEven)
}

/** @returns the exit code */
function start(files: readonly string[], more: readonly string[] = []): number {
  // By itself Node leaves one core for the runner, which has nothing to do. One more than there are cores, because some tests wait for a
  // clock or a lock: a twelfth less in all on two cores.
  const concurrency = Math.max(2, availableParallelism()) + 1
  // The spec reporter names all failures at its end, also where the output is no terminal: of a long output people read the end.
  const shown = flags.find(flag => flag.startsWith(SHOWN)) ?? `${SHOWN}spec`
  const node = [
    ...QUICK,
    ...more,
    '--test',
    `--test-concurrency=${concurrency}`,
    shown,
    '--test-reporter-destination=stdout',
    `--test-reporter=${REPORTER}`,
    `--test-reporter-destination=${join(folder, 'times')}`,
    ...flags.filter(flag => flag !== shown),
    ...files,
  ]
  // Node 20 reads further certificates at each start: 40 ms, for hundreds of processes that connect to nothing but this machine.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  if (temporary !== undefined) env['TMPDIR'] = temporary
  return spawnSync(process.execPath, node, { cwd: root, env, stdio: 'inherit' }).status ?? 1
}

/** One line of {@link REPORTER}. */
interface FileRan {
  /** Below the root. */
  readonly file: string
  /** From its first test to its last. */
  readonly seconds: number
  readonly failed: boolean
}

/** Reads the lines of the reporter. A process that crashed wrote none for the file that it ran. */
function times(): FileRan[] {
  const text = readFileSync(join(folder, 'times'), 'utf8')
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as FileRan)
    .filter(({ file }) => file.endsWith('.test.ts'))
}

/** Prints the slowest files. @returns whether none of them takes more than its share, which is asked by day alone: at night a campaign is long */
function showSlowest(ran: readonly FileRan[]): boolean {
  const all = ran.reduce((sum, { seconds }) => sum + seconds, 0)
  const slowest = [...ran].sort((one, other) => other.seconds - one.seconds).slice(0, 10)
  console.log(`\nThe slowest of ${ran.length} files, which took ${all.toFixed(0)} s one after the other:`)
  for (const { file, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`)
  const tooLong = IN_CI ? [] : slowest.filter(({ seconds }) => seconds > all * MOST_OF_ALL)
  for (const { file } of tooLong)
    console.log(`${file} takes more than a tenth of that: do less in it, or divide it by subject`)
  return tooLong.length === 0
}

function allTests(): string[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.test.ts'))
    .map(name => join(root, 'test', name))
}

/** What is compiled, by its path below the folder without `.js`. */
type Entries = Record<string, readonly string[]>

function apart(tests: readonly string[]): Entries {
  return Object.fromEntries(tests.map(path => [nameOf(path), [path]]))
}

/** Files of a room share a process, because they need the same sources, and so do the last ones of a room with the first of the next. */
function together(tests: readonly string[]): Entries {
  const textOf = new Map(tests.map(path => [path, readFileSync(path, 'utf8')]))
  const is = (path: string, pattern: RegExp) => pattern.test(textOf.get(path) ?? '')
  const alone = tests.filter(path => is(path, CHANGES_PROCESS))
  const counting = tests.filter(path => !alone.includes(path) && is(path, COUNTS_STEPS))
  const vectors = tests.filter(path => is(path, MAKES_VECTORS))
  const others = tests.filter(path => ![...alone, ...counting, ...vectors].includes(path)).sort(byRoom)
  const entries: Record<string, readonly string[]> = {
    ...apart(alone),
    'counting.test': counting,
    'kit.test': vectors,
  }
  const groups = Math.ceil(others.length / TOGETHER)
  for (let group = 0; group < groups; group++) {
    const part = [group, group + 1].map(at => Math.round((at * others.length) / groups))
    entries[`together/${String(group).padStart(2, '0')}.test`] = others.slice(...part)
  }
  return entries
}

function byRoom(one: string, other: string): number {
  const rank = (path: string) => {
    const at = LONGEST.indexOf(nameOf(path).split('/')[0] ?? '')
    return at === -1 ? LONGEST.length : at
  }
  return rank(one) - rank(other) || (one < other ? -1 : 1)
}

function nameOf(path: string): string {
  return relative(join(root, 'test'), path).replace(/\.ts$/, '')
}

/** One file for each entry, and one for each set of sources that some of them share. */
async function compile(entries: Entries): Promise<string[]> {
  const { metafile } = await build({
    ...COMPILED,
    metafile: true,
    entryPoints: Object.keys(entries).map(name => ({ in: `${ENTRY}${name}`, out: name })),
    outdir: folder,
    splitting: true,
    packages: 'external',
    inject: [join(root, 'test/support/seed.ts')],
    plugins: [importing(entries), whereItStands()],
  })
  if (STARTS_PROGRAM in metafile.inputs && !isBuilt()) buildProgram()
  return Object.keys(entries).map(name => join(folder, `${name}.js`))
}

/** Not for tests that start no program: it takes longer than most of them. */
function buildProgram(): void {
  process.stderr.write('dist/ is older than src/: building\n')
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error('Cannot run the tests: the build failed')
}

/** An entry runs its test files, one after the other. */
function importing(entries: Entries): Plugin {
  return {
    name: 'importing',
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${ENTRY}`) }, ({ path }) => ({ path, namespace: 'entry' }))
      build.onLoad({ filter: /./, namespace: 'entry' }, ({ path }) => ({
        contents: entry(entries[path.slice(ENTRY.length)] ?? []),
        resolveDir: root,
      }))
    },
  }
}

function entry(files: readonly string[]): string {
  const calls = files.map(
    file => `await inTurn(${JSON.stringify(relative(root, file))}, () => import(${JSON.stringify(file)}))\n`,
  )
  return `import { inTurn } from './test/support/in-turn.ts'\n${calls.join('')}`
}

/**
 * Where tests write thousands of small files: in memory the system takes a quarter less time for them than on a disk. On the disk where
 * TMPDIR is set, as `.ci/run` does, and where memory is short or holds no programs.
 */
function folderInMemory(): string | undefined {
  if (process.env['TMPDIR'] !== undefined || spawnSync('test', ['-w', IN_MEMORY]).status !== 0)
    return undefined
  const { bavail, bsize } = statfsSync(IN_MEMORY)
  if (bavail * bsize < 4 * 1024 ** 3) return undefined
  const folder = mkdtempSync(join(IN_MEMORY, `rlp-tests-${process.pid}-`))
  // Tests that become another user write here too.
  chmodSync(folder, 0o1777)
  writeFileSync(join(folder, 'program'), '#!/bin/sh\n', { mode: 0o700 })
  if (spawnSync(join(folder, 'program')).status === 0) return folder
  rmSync(folder, { recursive: true })
  return undefined
}

/** Of runs that were killed. */
function removeLeftovers(): void {
  mkdirSync(compiled, { recursive: true })
  for (const pid of readdirSync(compiled)) {
    if (!isRunning(Number(pid))) rmSync(join(compiled, pid), { recursive: true, force: true })
  }
  for (const name of existsSync(IN_MEMORY) ? readdirSync(IN_MEMORY) : []) {
    const pid = /^rlp-tests-([0-9]+)-/.exec(name)?.[1]
    if (pid === undefined || isRunning(Number(pid))) continue
    const path = join(IN_MEMORY, name)
    if (statSync(path).uid === process.getuid?.()) rmSync(path, { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // A process of another user counts too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
