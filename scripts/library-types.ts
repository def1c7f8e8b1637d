// What TypeScript and `require` need of the library beside its code: declarations of what the exports reach, and entry points.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ENTRIES } from './entries.ts'
import { keepReached } from './reached-types.ts'

/** From the folder of the declarations. */
const DECLARATIONS = Object.entries(ENTRIES).map(
  ([name, source]) => [name, source.replace(/^src\/(.*)\.ts$/, '$1.d.ts')] as const,
)
const LIBRARY = 'dist/library'
/** In folders of their own, because a file belongs to the module system of the package.json above it. */
const TYPES = 'dist/types'
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
      files: Object.values(ENTRIES).map(path => `../${path}`),
    }),
  )
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '--project', config], {
    stdio: 'inherit',
  })
  rmSync(config)
  keepReached(
    TYPES,
    DECLARATIONS.map(([, path]) => path),
  )
}

/**
 * The one copy of the declarations belongs to CommonJS, because a module may import a declaration of CommonJS, and not the other way round. So
 * the entry points for modules hand on those declarations, and those for CommonJS hand on the one library: an error class is the same
 * however it was loaded. Every Node that this package asks for can `require` a module.
 */
export function emitEntries(): void {
  writeFileSync(join(TYPES, 'package.json'), '{ "type": "commonjs" }\n')
  mkdirSync(COMMONJS, { recursive: true })
  writeFileSync(join(COMMONJS, 'package.json'), '{ "type": "commonjs" }\n')
  for (const [name, types] of DECLARATIONS) {
    writeFileSync(
      join(LIBRARY, `${name}.d.ts`),
      `export * from '../types/${types.replace('.d.ts', '.js')}'\n`,
    )
    writeFileSync(
      join(COMMONJS, `${name}.js`),
      `'use strict'\nmodule.exports = require('../library/${name}.js')\n`,
    )
  }
}
