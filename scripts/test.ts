// test/*.test.ts → all of them compiled at once, then `node --test` on every core. Read through tsx, each test file would compile the
// sources for itself: half a second of processor time a file. `node --import tsx --test test/x.test.ts` says the same of one file.
// Usage: node --import tsx scripts/test.ts [flag of node --test | test/x.test.ts]…
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { COMPILED, whereItStands } from '../test/support/compile.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const compiled = join(root, '.tests')
const flags = process.argv.slice(2).filter(arg => arg.startsWith('-'))
const named = process.argv.slice(2).filter(arg => !arg.startsWith('-'))

removeLeftovers()
// Named after this process, so that two runs in one checkout do not take each other's files away.
const folder = join(compiled, String(process.pid))
try {
  const files = await compile(named.length > 0 ? named.map(file => resolve(file)) : allTests())
  // By itself Node leaves one core for the runner, which has nothing to do: on two cores one file would run after the other.
  const concurrency = Math.max(2, availableParallelism())
  const node = ['--enable-source-maps', '--test', `--test-concurrency=${concurrency}`, ...flags, ...files]
  process.exitCode = spawnSync(process.execPath, node, { cwd: root, stdio: 'inherit' }).status ?? 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function allTests(): string[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.test.ts'))
    .map(name => join(root, 'test', name))
}

/** One file for each test, and one for each set of sources that some of them share. */
async function compile(tests: readonly string[]): Promise<string[]> {
  const { outputs } = (
    await build({
      ...COMPILED,
      entryPoints: [...tests],
      outdir: folder,
      outbase: join(root, 'test'),
      splitting: true,
      packages: 'external',
      metafile: true,
      inject: [join(root, 'test/support/seed.ts')],
      plugins: [whereItStands()],
    })
  ).metafile
  return Object.keys(outputs).filter(path => outputs[path]?.entryPoint?.endsWith('.test.ts'))
}

/** Of runs that were killed. */
function removeLeftovers(): void {
  mkdirSync(compiled, { recursive: true })
  for (const pid of readdirSync(compiled)) {
    if (!isRunning(Number(pid))) rmSync(join(compiled, pid), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Somebody else's process is one all the same.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
