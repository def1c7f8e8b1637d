// src → dist: the library as bundled ESM, the command as CommonJS in files for what is loaded on demand, the types beside them, and the
// licences of what was bundled in.
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Metafile, transformSync } from 'esbuild'
import { fuse, keepTogether, outputOf, outputWith } from './chunks.ts'
import { emitCommonJs, emitTypes } from './library-types.ts'

/** What pipelines and runtimes call all the time. */
const FUSED = [
  'lint/command',
  'pack/digest-command',
  'pack/pack-command',
  'registry/pull-command',
  'registry/push-command',
  'verify/command',
] as const
/** `verify --key`. Values alone pass between the two, and errors, whose class the program keeps. */
const RARE = ['src/evidence/render-summary.ts']
const PROGRAM = 'src/cli/bin.ts'
/** One folder for all of it: Node remembers what a folder has asked for, and looks again for another one. */
const PROGRAM_FOLDER = 'dist/program'
/** What the program begins with, and what commands share with what they load on demand: otherwise several small files for each command. */
const CORE = [
  'src/cli/main.ts',
  'src/format/agent-name.ts',
  'src/format/archive/reader.ts',
  'src/format/json/parse.ts',
  'src/format/oci/reference.ts',
  'src/format/text/shell-words.ts',
  'src/io/breathe.ts',
  'src/io/entry.ts',
  'src/io/home.ts',
  'src/io/is-gzip.ts',
  'src/io/layout-folder.ts',
  'src/io/owner.ts',
  'src/io/read-file.ts',
  'src/io/root-places.ts',
  'src/io/roots.ts',
  'src/io/search-folders.ts',
  'src/model/files.ts',
  'src/model/system-error.ts',
]

const root = dirname(dirname(fileURLToPath(import.meta.url)))
process.chdir(root)
rmSync('dist', { recursive: true, force: true })

const options: BuildOptions & { metafile: true } = {
  outdir: 'dist',
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Readable on purpose: people review what they run to verify things.
  minify: false,
  legalComments: 'none',
  metafile: true,
  external: ['@napi-rs/blake-hash'],
}

// Apart, because nothing loads both: together, each would be split for the other's sake.
const library = await build({ ...options, entryPoints: { index: 'src/index.ts' } })
const contract = await build({ ...options, entryPoints: { contract: 'src/contract/index.ts' } })
const together = [keepTogether(CORE)]
const program = await build({
  ...options,
  entryPoints: { rlp: PROGRAM },
  outdir: PROGRAM_FOLDER,
  chunkNames: '[name]-[hash]',
  outExtension: { '.js': '.cjs' },
  // The parser without the ways to read configuration files, for which it loads parts of Node that nothing else here needs at start.
  alias: { 'yargs-parser': 'yargs-parser/browser' },
  plugins: together,
})
// A thread of its own shares nothing with the program, and loads all it needs: one file.
const worker = await build({
  ...options,
  splitting: false,
  entryPoints: { 'fleet-worker': 'src/deploy/fleet-worker.ts' },
  outdir: PROGRAM_FOLDER,
  outExtension: { '.js': '.cjs' },
})
const parts = [library, contract, program, worker].map(({ metafile }) => metafile)
for (const { outputs } of parts) refuseRequire(outputs)
const fused = FUSED.map(command => outputOf(program.metafile, `src/${command}.ts`))
await fuse(
  program.metafile,
  `${PROGRAM_FOLDER}/rlp.cjs`,
  [
    `${PROGRAM_FOLDER}/rlp.cjs`,
    outputOf(program.metafile, 'src/cli/process.ts'),
    outputWith(program.metafile, 'src/cli/main.ts'),
    ...fused,
  ],
  RARE,
)
for (const { outputs } of [program.metafile, worker.metafile])
  for (const output of Object.keys(outputs)) toCommonJs(output)
emitTypes()
emitCommonJs()
chmodSync(`${PROGRAM_FOLDER}/rlp.cjs`, 0o755)
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licences(parts.flatMap(({ inputs }) => Object.keys(inputs))))

/**
 * One file of the program from modules to CommonJS, which Node loads faster (docs/performance.md). esbuild translates `import` and `export`;
 * all else stays as it is, so that what ships can be read.
 */
function toCommonJs(path: string): void {
  const source = readFileSync(path, 'utf8')
  const url = "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;"
  const { code } = transformSync(source, {
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    // `import()` becomes a `require` that is called later.
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'importMetaUrl', 'import.meta.filename': '__filename' },
    // As modules are.
    banner: source.includes('import.meta.url') ? `"use strict";${url}` : '"use strict";',
    legalComments: 'none',
  })
  writeFileSync(path, code)
}

/** CommonJS inside the bundle would ask for node's modules with a `require` that is not there. */
function refuseRequire(outputs: Metafile['outputs']): void {
  for (const { imports } of Object.values(outputs)) {
    const required = imports.find(({ kind }) => kind === 'require-call')
    if (required !== undefined) throw new Error(`Cannot bundle: something requires ${required.path}`)
  }
}

/** Name, version and licence text of every package that got into the bundle. */
function licences(inputs: readonly string[]): string {
  const packages = new Set<string>()
  for (const input of inputs) {
    const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)
    if (match?.[1] !== undefined) packages.add(match[1])
  }
  return [...packages]
    .sort()
    .map(folder => {
      const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        name: string
        version: string
        license: string
      }
      return `${about.name} ${about.version} (${about.license})\n\n${licenceText(folder)}\n`
    })
    .join(`\n${'-'.repeat(72)}\n\n`)
}

function licenceText(folder: string): string {
  for (const name of [
    'LICENSE',
    'LICENSE.md',
    'LICENSE.txt',
    'LICENCE',
    'LICENSE-MIT',
    'license',
    'LICENSE-MIT.txt',
  ]) {
    try {
      return readFileSync(join(folder, name), 'utf8').trim()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  throw new Error(`no licence text in ${folder}: a package without one may not be bundled`)
}
