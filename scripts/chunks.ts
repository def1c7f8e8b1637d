// How the program is cut into files. Splitting makes one for every set of commands that share a module: some forty for one command,
// and each takes Node half a millisecond to find, read and link (docs/performance.md).
import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'

/** Keeps a module, and what it imports, in one file: whatever is loaded on demand is made to import it. */
export function keepTogether(module: string): Plugin {
  const statement = `import ${JSON.stringify(resolve(module))};`
  return {
    name: 'keep-together',
    setup(build) {
      build.onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path, kind, resolveDir }) =>
        kind === 'dynamic-import'
          ? { path: join(resolveDir, path), pluginData: { isOnDemand: true } }
          : undefined,
      )
      build.onLoad({ filter: /\.ts$/ }, ({ path, pluginData }) =>
        pluginData?.isOnDemand
          ? { contents: statement + readFileSync(path, 'utf8'), loader: 'ts' }
          : undefined,
      )
    },
  }
}

/**
 * Puts one command into a single file. A process runs one command, so what only commands share can be copied into one of them. What
 * the program itself uses, or loads on demand, stays apart: a class must not exist twice.
 *
 * @param program the output that loads the command
 * @param source the command's source file
 */
export async function fuse({ outputs }: Metafile, program: string, source: string): Promise<void> {
  const command = Object.keys(outputs).find(path => outputs[path]?.entryPoint === source)
  if (command === undefined) throw new Error(`${source} is no entry point`)
  const apart = neededApart(outputs, program, command)
  await build({
    entryPoints: [command],
    outfile: command,
    allowOverwrite: true,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [
      {
        name: 'leave-apart',
        setup(build) {
          build.onResolve({ filter: /^\./ }, ({ path, kind, importer }) => {
            const target = relative('', join(dirname(importer), path))
            return kind === 'dynamic-import' || apart.has(target) ? { path, external: true } : undefined
          })
        },
      },
    ],
  })
}

/** The outputs that may be loaded beside the command. */
function neededApart(outputs: Metafile['outputs'], program: string, command: string): Set<string> {
  const apart = new Set<string>()
  const own = new Set<string>()
  const visit = (path: string, seen: Set<string>) => {
    if (seen.has(path)) return
    seen.add(path)
    for (const { path: target, kind, external } of outputs[path]?.imports ?? []) {
      if (external) continue
      if (kind === 'import-statement') visit(target, seen)
      else if (!outputs[target]?.entryPoint?.startsWith('src/cli/commands/')) visit(target, apart)
    }
  }
  visit(program, apart)
  visit(command, own)
  return apart
}
