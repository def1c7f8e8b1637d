// How the program is cut into files. Splitting makes one for every set of commands that share a module: some forty for one command,
// and each takes Node half a millisecond to find, read and link (docs/performance.md).
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'

type Outputs = Metafile['outputs']

/**
 * Keeps modules, and what they import, in one file: whatever is loaded on demand is made to import them, also where another module
 * imports it as usual.
 *
 * @returns what ends each module that is loaded on demand with statements that import them
 */
export function keepTogether(modules: readonly string[]): Plugin {
  const statements = modules.map(module => `import ${JSON.stringify(resolve(module))};`).join('')
  return {
    name: 'keep-together',
    setup(build) {
      const onDemand = loadedOnDemand('src')
      build.onLoad({ filter: /\.ts$/ }, ({ path }) =>
        onDemand.has(path)
          ? { contents: `${readFileSync(path, 'utf8')}\n${statements}`, loader: 'ts' }
          : undefined,
      )
    },
  }
}

/** The modules of a folder that one of them imports with `import()`. */
function loadedOnDemand(folder: string): ReadonlySet<string> {
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.ts'),
  )
  return new Set(
    sources.flatMap(name => {
      const path = resolve(folder, name)
      const imports = readFileSync(path, 'utf8').matchAll(/\bimport\('(\.[^']+\.ts)'\)/g)
      return [...imports].map(([, target = '']) => resolve(dirname(path), target))
    }),
  )
}

/**
 * Puts each of some outputs, with what it imports, into a single file. A process runs one command, so what only commands share can be
 * copied into each of them. What the program itself uses, or loads on demand, stays apart: a class must not exist twice.
 *
 * @param program the output that loads the commands
 * @param fused some of its commands, the file of what is kept together, or the program itself
 * @param rare sources that such a command loads on demand and rarely: they get copies of what they share with it, because otherwise all
 * of it would stay apart for their sake
 */
export async function fuse(
  { outputs }: Metafile,
  program: string,
  fused: readonly string[],
  rare: readonly string[],
): Promise<void> {
  for (const output of fused) {
    const apart = neededApart(outputs, program, output, rare)
    await build({
      entryPoints: [output],
      outfile: output,
      allowOverwrite: true,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      packages: 'external',
      legalComments: 'none',
      logLevel: 'warning',
      plugins: [leaveApart(apart)],
    })
  }
}

function leaveApart(apart: ReadonlySet<string>): Plugin {
  return {
    name: 'leave-apart',
    setup(build) {
      build.onResolve({ filter: /^\./ }, ({ path, kind, importer }) => {
        const target = relative('', join(dirname(importer), path))
        return kind === 'dynamic-import' || apart.has(target) ? { path, external: true } : undefined
      })
    },
  }
}

/** The output of a source file that is loaded on demand. */
export function outputOf({ outputs }: Metafile, source: string): string {
  const output = Object.keys(outputs).find(path => outputs[path]?.entryPoint === source)
  if (output === undefined) throw new Error(`${source} is no entry point`)
  return output
}

/** The output that holds a source file. */
export function outputWith({ outputs }: Metafile, source: string): string {
  const output = Object.keys(outputs).find(path => outputs[path]?.inputs[source] !== undefined)
  if (output === undefined) throw new Error(`${source} is in no output`)
  return output
}

/** The outputs that may be loaded beside one of them. */
function neededApart(
  outputs: Outputs,
  program: string,
  output: string,
  rare: readonly string[],
): Set<string> {
  const hasCopies = (source: string) => source.endsWith('command.ts') || rare.includes(source)
  const apart = new Set<string>()
  const own = new Set<string>()
  const visit = (path: string, seen: Set<string>) => {
    // esbuild's own few functions may exist twice.
    if (seen.has(path) || Object.keys(outputs[path]?.inputs ?? {}).length === 0) return
    seen.add(path)
    for (const { path: target, kind, external } of outputs[path]?.imports ?? []) {
      if (external) continue
      if (kind === 'import-statement') visit(target, seen)
      else if (!hasCopies(outputs[target]?.entryPoint ?? '')) visit(target, apart)
    }
  }
  visit(program, apart)
  visit(output, own)
  apart.delete(output)
  return apart
}
