// The judge of a room: its tests, compiled with the change, up to the first that fails. A test file is run if it has run the changed
// line, and then if it has run another one of its function.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildContext, type BuildOptions, build, context } from 'esbuild'
import { COMPILED, whereItStands } from '../../test/support/compile.ts'
import type { Judge } from './judge.ts'
import { type LinesRun, linesRun } from './lines-run.ts'
import type { Mutant } from './operators.ts'
import { ROOT } from './rooms.ts'
import { firstFailure } from './run-test.ts'

interface TestFile extends LinesRun {
  readonly name: string
  readonly ms: number
}

/** @throws Error if a test fails for the program as it is */
export async function byTests(
  folder: string,
  files: readonly string[],
  tests: readonly string[],
): Promise<Judge> {
  let changed: Pick<Mutant, 'file' | 'source'> | undefined
  const options = {
    ...COMPILED,
    logLevel: 'silent',
    entryPoints: tests.map(name => join(ROOT, 'test', name)),
    outbase: join(ROOT, 'test'),
    outdir: folder,
    splitting: true,
    packages: 'external',
    inject: [join(ROOT, 'test/support/seed.ts')],
    plugins: [
      whereItStands(path => {
        const isChanged = changed !== undefined && path === join(ROOT, 'src', changed.file)
        return isChanged ? (changed?.source ?? '') : readFileSync(path, 'utf8')
      }),
    ],
  } satisfies BuildOptions
  await build(options)
  const all = await measured(folder, files, tests)
  // One test at a time: most changes are found by the first, and all of them together take seconds to build.
  const builds = new Map<string, BuildContext>()
  const rebuild = async (name: string) => {
    const entryPoints = [join(ROOT, 'test', name)]
    const known = builds.get(name) ?? (await context({ ...options, entryPoints, sourcemap: false }))
    builds.set(name, known)
    await known.rebuild()
  }
  return {
    async judged(mutant) {
      const { file, line } = mutant
      const at = `${file}:${line}`
      const asked = [
        ...all.filter(({ ran }) => ran.has(at)),
        ...all.filter(({ ran, around }) => around.has(at) && !ran.has(at)),
      ]
      if (asked.length === 0) return { found: undefined, asked: 0 }
      changed = mutant
      for (const { name, ms } of asked) {
        try {
          await rebuild(name)
        } catch {
          return undefined
        }
        const found = await firstFailure(compiled(folder, name), 10 * ms + 10_000)
        if (found !== undefined) return { found, asked: asked.length }
      }
      return { found: undefined, asked: asked.length }
    },
    async close() {
      for (const one of builds.values()) await one.dispose()
    },
  }
}

/** The quickest first. */
async function measured(
  folder: string,
  files: readonly string[],
  tests: readonly string[],
): Promise<TestFile[]> {
  const all: TestFile[] = []
  for (const name of tests) {
    const coverage = join(folder, 'coverage')
    mkdirSync(coverage)
    const begin = performance.now()
    const found = await firstFailure(compiled(folder, name), 600_000, coverage)
    if (found !== undefined)
      throw new Error(`Cannot measure ${name}: it fails for the program as it is: ${found}`)
    all.push({ name, ms: performance.now() - begin, ...linesRun(coverage, folder, files) })
    rmSync(coverage, { recursive: true })
  }
  return all.sort((a, b) => a.ms - b.ms)
}

function compiled(folder: string, name: string): string {
  return join(folder, name.replace(/\.ts$/, '.js'))
}
