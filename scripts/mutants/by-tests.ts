// The judge of a room: its tests, compiled with the change into one file, up to the first that fails.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildContext, context } from 'esbuild'
import { COMPILED, whereItStands } from '../../test/support/compile.ts'
import type { Answer, Judge } from './judge.ts'
import { ROOT } from './rooms.ts'

/** Many times what the tests of a room take. A change after which they go on and on has been noticed. */
const MOST_SECONDS = 300
const FAILED = /^\s*not ok \d+ - (.*)$/m

export async function byTests(folder: string, tests: readonly string[]): Promise<Judge> {
  let changed: readonly [path: string, source: string] | undefined
  const builds: BuildContext = await context({
    ...COMPILED,
    sourcemap: false,
    logLevel: 'silent',
    stdin: { contents: entry(tests), resolveDir: ROOT, sourcefile: 'tests.ts', loader: 'ts' },
    // What is imported on demand is loaded on demand.
    splitting: true,
    entryNames: 'tests',
    outdir: folder,
    packages: 'external',
    inject: [join(ROOT, 'test/support/seed.ts')],
    plugins: [whereItStands(path => (path === changed?.[0] ? changed[1] : readFileSync(path, 'utf8')))],
  })
  return {
    async judged(mutant) {
      changed = mutant && [join(ROOT, 'src', mutant.file), mutant.source]
      try {
        await builds.rebuild()
      } catch {
        return undefined
      }
      return firstFailure(join(folder, 'tests.js'), join(folder, 'tmp'))
    },
    close: () => builds.dispose(),
  }
}

function entry(tests: readonly string[]): string {
  const calls = tests.map(
    name =>
      `await inTurn(${JSON.stringify(name)}, () => import(${JSON.stringify(join(ROOT, 'test', name))}))\n`,
  )
  return `import { inTurn } from './test/support/in-turn.ts'\n${calls.join('')}`
}

/** Its own folder for temporary files, because it is killed at the first failure, with what it started. */
function firstFailure(program: string, temporary: string): Promise<Answer> {
  mkdirSync(temporary)
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, ['--test-reporter=tap', program], {
      ...{ cwd: ROOT, detached: true, stdio: ['ignore', 'pipe', 'ignore'] },
      env: { ...process.env, TMPDIR: temporary },
    })
    let output = ''
    let found: string | undefined
    const stop = (seen: string) => {
      found ??= seen
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
    }
    const clock = setTimeout(() => stop('it does not end'), MOST_SECONDS * 1000)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const [, name] = FAILED.exec(output) ?? []
      if (name !== undefined) stop(name)
    })
    child.on('error', failed)
    child.on('close', exit => {
      clearTimeout(clock)
      rmSync(temporary, { recursive: true, force: true })
      if (exit !== 0) found ??= 'the tests end early'
      done(found === undefined ? {} : { found })
    })
  })
}
