// test/*.test.ts → all of them compiled at once, then `node --test` on every core. Read through tsx, each test file would compile the
// sources for itself: half a second of processor time a file. `node --import tsx --test test/x.test.ts` says the same of one file.
// Up to twenty files of a room share a process: a process for each of them took a quarter of the processor time of all tests, for loading.
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

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const compiled = join(root, '.tests')
/** Files that share a process. More of them save less, and one failure that ends the process hides more. */
const TOGETHER = 20
const IN_MEMORY = '/dev/shm'
/** Changes that `inTurn` does not take back: listeners, what V8 counts and compiles, which BLAKE3 is used. Who makes one is alone. */
const CHANGES_PROCESS =
  /\bprocess\.on\(|\bdefineProperty\((?:process|global)|support\/(?:steps|taplo)\.ts|--without-native/

const ENTRY = 'entry:'
/** Tests that need the built program import it. */
const STARTS_PROGRAM = 'test/support/built.ts'

const flags = process.argv.slice(2).filter(arg => arg.startsWith('-'))
const named = process.argv.slice(2).filter(arg => !arg.startsWith('-'))

removeLeftovers()
// Named after this process, so that two runs in one checkout do not take each other's files away.
const folder = join(compiled, String(process.pid))
const temporary = folderInMemory()
try {
  const files = await compile(
    named.length > 0 ? apart(named.map(file => resolve(file))) : together(allTests()),
  )
  // By itself Node leaves one core for the runner, which has nothing to do. One more than there are cores, because some tests wait for a
  // clock or a lock: a twelfth less in all on two cores.
  const concurrency = Math.max(2, availableParallelism()) + 1
  // What failed is named at the end, also where the output is no terminal: of a long one only the end is read.
  const reporter = flags.some(flag => flag.startsWith('--test-reporter')) ? [] : ['--test-reporter=spec']
  const node = [
    '--enable-source-maps',
    '--test',
    `--test-concurrency=${concurrency}`,
    ...reporter,
    ...flags,
    ...files,
  ]
  // Node 20 reads further certificates at each start: 40 ms, for hundreds of processes that connect to nothing but this machine.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  if (temporary !== undefined) env['TMPDIR'] = temporary
  process.exitCode = spawnSync(process.execPath, node, { cwd: root, env, stdio: 'inherit' }).status ?? 1
} finally {
  rmSync(folder, { recursive: true, force: true })
  if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true })
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

/** `lint/1.test`, `lint/2.test`: the files of a room that can share a process. */
function together(tests: readonly string[]): Entries {
  const alone = tests.filter(path => CHANGES_PROCESS.test(readFileSync(path, 'utf8')))
  const entries: Record<string, string[]> = {}
  for (const [room, files] of byRoom(tests.filter(path => !alone.includes(path)))) {
    // As even as can be: eleven files are six and five.
    const groups = Math.ceil(files.length / TOGETHER)
    for (const [index, path] of files.entries()) {
      const name = `${room}/${(index % groups) + 1}.test`
      entries[name] = [...(entries[name] ?? []), path]
    }
  }
  return { ...entries, ...apart(alone) }
}

function byRoom(tests: readonly string[]): Map<string, string[]> {
  const rooms = new Map<string, string[]>()
  for (const path of tests) {
    const room = dirname(nameOf(path))
    rooms.set(room, [...(rooms.get(room) ?? []), path])
  }
  return rooms
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
  if (files.length === 1) return `import ${JSON.stringify(files[0])}\n`
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
