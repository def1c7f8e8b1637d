// Bundled code → the same, with Node's own modules asked for by `process.getBuiltinModule`. An `import` of one reads every export that it
// has, and for `node:fs` that loads its streams and its promises: 3 ms at start for nothing (docs/performance.md).
import { readFileSync, writeFileSync } from 'node:fs'

const IMPORT = /^import \{([^}]+)\} from "(node:[a-z_/]+)";$/gm
/** What is only called is found when it is called. */
const LATE = new Set(['node:fs/promises', 'node:os', 'node:module', 'node:zlib'])
/** Names that make Node load something as soon as they are looked at. */
const LATE_NAMES = new Set(['opendirSync'])

export function withoutFacades(path: string): void {
  const code = readFileSync(path, 'utf8')
  writeFileSync(
    path,
    code.replace(IMPORT, (_, list: string, module: string) => {
      const names = list
        .split(',')
        .map(name => name.trim())
        .filter(name => name !== '')
      const isLate = (name: string) => LATE.has(module) || LATE_NAMES.has(name.split(' as ')[0] ?? '')
      const soon = names.filter(name => !isLate(name))
      return [
        ...(soon.length > 0 ? [now(soon, module)] : []),
        ...names.filter(isLate).map(name => late(name, module)),
      ].join('\n')
    }),
  )
}

function now(names: readonly string[], module: string): string {
  const pattern = names.map(name => name.replace(' as ', ': ')).join(', ')
  return `const { ${pattern} } = process.getBuiltinModule(${JSON.stringify(module)});`
}

function late(name: string, module: string): string {
  const [theirs = '', ours = theirs] = name.split(' as ')
  return `const ${ours} = (...args) => process.getBuiltinModule(${JSON.stringify(module)}).${theirs}(...args);`
}
