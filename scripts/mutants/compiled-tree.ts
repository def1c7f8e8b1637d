// The sources and tests → JavaScript, a file for each, in a folder of their own. A change compiles one file anew: a bundle of a test with all
// that it imports takes a second to build.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build, transform } from 'esbuild'
import { COMPILED, whereItStands, withOwnPlace } from '../../test/support/compile.ts'
import { ROOT } from './rooms.ts'

const FOLDERS = ['src', 'test', 'scripts', 'fixtures']

export class CompiledTree {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** @param folder as deep below the project as any place from which packages are found */
  static async in(folder: string): Promise<CompiledTree> {
    const names = FOLDERS.flatMap(top => namesIn(top))
    for (const name of ['package.json', ...names.filter(one => one.endsWith('.js'))]) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      copyFileSync(join(ROOT, name), join(folder, name))
    }
    await build({
      ...COMPILED,
      bundle: false,
      logLevel: 'silent',
      outbase: ROOT,
      outdir: folder,
      entryPoints: names.filter(one => one.endsWith('.ts') && !one.endsWith('.d.ts')),
      plugins: [whereItStands(path => withJs(readFileSync(path, 'utf8')))],
    })
    return new CompiledTree(folder)
  }

  /** Where a file of the project is here. */
  pathOf(name: string): string {
    return join(this.#folder, name.replace(/\.ts$/, '.js'))
  }

  /**
   * Runs `work` while a file holds something else.
   * @returns undefined if that does not compile
   */
  async changed<T>(name: string, source: string, work: () => Promise<T>): Promise<T | undefined> {
    const path = this.pathOf(name)
    const before = readFileSync(path)
    const { format, target } = COMPILED
    const text = withOwnPlace(withJs(source), join(ROOT, name))
    const after = await transform(text, { loader: 'ts', format, target }).catch(() => undefined)
    if (after === undefined) return undefined
    writeFileSync(path, after.code)
    try {
      return await work()
    } finally {
      writeFileSync(path, before)
    }
  }
}

function namesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(name =>
    join(folder, name),
  )
}

/** The names under which compiled files import each other. */
function withJs(source: string): string {
  return source.replace(/(\bfrom |\bimport |\bimport\()'(\.{1,2}\/[^']+)\.ts'/g, "$1'$2.js'")
}
