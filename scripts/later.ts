// Modules that are hardly ever needed → files of their own, which the program loads when one of their functions is first called: what
// is not read costs no start (docs/performance.md). In the sources they are imported like any other.
import { resolve } from 'node:path'
import type { Plugin } from 'esbuild'

/** Modules that import nothing of ours, by the name of their file. */
export const LATER: Readonly<Record<string, string>> = {
  'toml-syntax': 'src/format/toml/syntax.ts',
  'blake3-pure': 'src/format/blake3-pure.ts',
  'text-width': 'src/cli/render/text-width.ts',
}

const MARK = 'later:'

/** Leaves them out of the program, with a mark where they are imported. */
export function leaveForLater(): Plugin {
  const names = new Map(Object.entries(LATER).map(([name, module]) => [resolve(module), name]))
  return {
    name: 'leave-for-later',
    setup(build) {
      build.onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path, resolveDir }) => {
        const name = names.get(resolve(resolveDir, path))
        return name === undefined ? undefined : { path: MARK + name, external: true }
      })
    },
  }
}

/** CommonJS with marks → the same, with a function in place of each marked import, which asks for the file beside this one. */
export function loadLater(code: string): string {
  const loaded = code.replace(
    /\b(import_later_\w+)\s*=\s*require\(\s*"later:([\w-]+)"\s*\)|\b(import_later_\w+)\s*\./g,
    (_, made, name, used) =>
      made === undefined
        ? `${used}().`
        : // Kept: to ask for a module that is loaded takes as long as to hash a small file.
          `${made}_kept,${made}=()=>${made}_kept??=require("./${name}.cjs")`,
  )
  const odd = /.{0,40}"later:.{0,40}|\bimport_later_\w+(?<!_kept)(?!\w|\(\)|=\(\)).{0,40}/.exec(loaded)
  if (odd !== null)
    throw new Error(`a module that is loaded later is imported in a way that is not known: ${odd[0]}`)
  return loaded
}
