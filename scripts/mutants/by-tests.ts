// The judge of a room: its tests, compiled with the change, up to the first that fails. A test file is run if it has run the changed
// line, and then if it has run another one of its function.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CompiledTree } from './compiled-tree.ts'
import type { Judge } from './judge.ts'
import { type LinesRun, linesRun } from './lines-run.ts'
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
  const tree = await CompiledTree.in(folder)
  const all = await measured(tree, folder, files, tests)
  return {
    async judged({ file, line, source }) {
      const at = `${file}:${line}`
      const asked = [
        ...all.filter(({ ran }) => ran.has(at)),
        ...all.filter(({ ran, around }) => around.has(at) && !ran.has(at)),
      ]
      return tree.changed(join('src', file), source, async () => {
        for (const { name, ms } of asked) {
          const found = await firstFailure(tree, name, 10 * ms + 10_000)
          if (found !== undefined) return { found, asked: asked.length }
        }
        return { found: undefined, asked: asked.length }
      })
    },
  }
}

/** The quickest first. */
async function measured(
  tree: CompiledTree,
  folder: string,
  files: readonly string[],
  tests: readonly string[],
): Promise<TestFile[]> {
  const all: TestFile[] = []
  for (const name of tests) {
    const coverage = join(folder, 'coverage')
    mkdirSync(coverage)
    const begin = performance.now()
    const found = await firstFailure(tree, name, 600_000, coverage)
    if (found !== undefined)
      throw new Error(`Cannot measure ${name}: it fails for the program as it is: ${found}`)
    all.push({ name, ms: performance.now() - begin, ...linesRun(coverage, tree, files) })
    rmSync(coverage, { recursive: true })
  }
  return all.sort((a, b) => a.ms - b.ms)
}
