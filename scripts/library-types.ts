// What TypeScript and `require` need of the library beside its code: declarations of what the exports reach, once for each module system.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ENTRIES = ['index.d.ts', 'contract/index.d.ts']
const TYPES = 'dist/types'
/** In a folder of its own, because a declaration belongs to the module system of the package.json above it. */
const COMMONJS = 'dist/commonjs'

export function emitTypes(): void {
  const config = 'dist/tsconfig.json'
  const compilerOptions = {
    rootDir: '../src',
    outDir: 'types',
    declaration: true,
    emitDeclarationOnly: true,
    // `npm run typecheck` checks. The declarations are the same without, in less than half of the time.
    noCheck: true,
  }
  writeFileSync(
    config,
    JSON.stringify({
      extends: '../tsconfig.json',
      compilerOptions,
      include: ['../src/**/*.d.ts'],
      files: ['../src/index.ts', '../src/contract/index.ts'],
    }),
  )
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '--project', config], {
    stdio: 'inherit',
  })
  rmSync(config)
  keepReached()
}

/** The compiler writes a declaration for each source that it reads; what no type of the library leads to is not shown. */
function keepReached(): void {
  const reached = new Set<string>()
  const visit = (path: string): void => {
    if (reached.has(path)) return
    reached.add(path)
    for (const target of importsOf(path)) visit(target)
  }
  for (const entry of ENTRIES) visit(join(TYPES, entry))
  for (const name of readdirSync(TYPES, { recursive: true, encoding: 'utf8' })) {
    const path = join(TYPES, name)
    if (path.endsWith('.d.ts') && !reached.has(path)) rmSync(path)
  }
}

function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.ts['"]/g)].map(([, target = '']) =>
    join(dirname(path), `${target}.d.ts`),
  )
}

/**
 * For projects in CommonJS: the same declarations, and entry points that hand on the one library, so that an error class is the same however it
 * was loaded. Every Node that this package asks for can `require` a module.
 */
export function emitCommonJs(): void {
  mkdirSync(COMMONJS, { recursive: true })
  writeFileSync(join(COMMONJS, 'package.json'), '{ "type": "commonjs" }\n')
  cpSync(TYPES, join(COMMONJS, 'types'), { recursive: true })
  for (const name of ['index', 'contract'])
    writeFileSync(join(COMMONJS, `${name}.js`), `'use strict'\nmodule.exports = require('../${name}.js')\n`)
}
