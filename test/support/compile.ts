// Sources → JavaScript that Node starts at once. Through tsx, each process would compile for itself what it imports: half a second of
// processor time for one of these.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'

const ROOT = join(import.meta.dirname, '..', '..')

/** What is compiled from sources, wherever it is written to. Stacks name the lines of the sources, for who enables source maps. */
export const COMPILED = {
  absWorkingDir: ROOT,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
} as const satisfies BuildOptions

/** The text of a file in which it sees its own place, because tests find fixtures by it. */
export function withOwnPlace(text: string, path: string): string {
  // A pattern and no text, which would be replaced in this very file.
  return text.replace(/\bimport\.meta\.(dirname|url)\b/g, (_, what) =>
    JSON.stringify(what === 'url' ? pathToFileURL(path).href : dirname(path)),
  )
}

/** @param textOf what a file holds */
export function whereItStands(textOf: (path: string) => string = path => readFileSync(path, 'utf8')): Plugin {
  return {
    name: 'own-place',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => ({
        contents: withOwnPlace(textOf(path), path),
        loader: 'ts',
      }))
    },
  }
}

/**
 * Compiles a module, for processes of a test.
 *
 * @param source imports by paths below the root of the repository; all of what it imports is evaluated, used or not
 * @param folder a temporary one: not every user may write into the repository
 * @returns the file's path
 */
export async function compiled(source: string, folder: string): Promise<string> {
  const stdin = { contents: source, resolveDir: ROOT, sourcefile: 'compiled.ts', loader: 'ts' } as const
  await build({ ...apart(folder), stdin, entryNames: 'compiled' })
  return join(folder, 'compiled.mjs')
}

/** Compiles modules, given by name and path, to `<name>.mjs` in a folder; what they have in common is there once. */
export async function compiledModules(
  modules: Readonly<Record<string, string>>,
  folder: string,
): Promise<void> {
  await build({ ...apart(folder), entryPoints: { ...modules } })
}

function apart(folder: string) {
  return {
    ...COMPILED,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    // What is imported on demand, packages included, stays so.
    splitting: true,
    treeShaking: false,
    plugins: [packagesWhereTheyAre(), whereItStands()],
  } satisfies BuildOptions
}

/** From a temporary folder, packages are found by their place alone. The optional one stays a name: some tests hide it. */
function packagesWhereTheyAre(): Plugin {
  return {
    name: 'packages-where-they-are',
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, ({ path }) => ({
        path: path.startsWith('@napi-rs/') ? path : import.meta.resolve(path),
        external: true,
      }))
    },
  }
}
