// src → dist: the library as ES modules, the command as CommonJS, each in files for what is loaded on demand; the packages that both load
// on demand, once; the types; and the licences of what was bundled in.
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  build,
  type ChunkingContext,
  type CodeSplittingGroup,
  type InputOptions,
  type OutputOptions,
  type Plugin,
  type RolldownOutput,
} from 'rolldown'
import { ENTRIES } from './entries.ts'
import { emitEntries, emitTypes } from './library-types.ts'

/** Packages that arrive as what a compiler has made of their source, in a few large files: it has its names, and no blanks here. */
const COMPILED = 'scripts/bundled/mcp-serving.ts'
/** Packages without the text of their licence, and others of the same repository that have it. */
const TEXT_OF: Readonly<Record<string, string>> = {
  'node_modules/@sigstore/verify': 'node_modules/@sigstore/core',
}
/** Packages that share modules, and the one file that has what is used of them. */
const TOGETHER: readonly (readonly [packages: RegExp, entry: string])[] = [
  [/^@sigstore\/(?:bundle|protobuf-specs|verify)$/, 'scripts/bundled/sigstore-judging.ts'],
  [/^@sigstore\/sign\//, 'scripts/bundled/sigstore-signing.ts'],
  [/^@modelcontextprotocol\/server/, COMPILED],
]
/** What is called all the time, or does little. What one of these needs alone is one file; so is what each set of them shares. */
const FREQUENT = [
  'lint/verbs/lint',
  'fleet/verify-command',
  'pack/verbs/pack',
  'sign/verbs/key-list',
  'pack/verbs/digest',
]
/** What such a command loads as well on a host that follows trust channels. */
const CHANNELS = 'src/trust/channels/read-channels.ts'
const COMMAND = resolve('src/cli/command.ts')
/** Modules that nearly every command loads. Each set is a file of its own, so that no command loads more of others. */
const OF_MANY = {
  verb: /\/src\/verb\/(?:[a-z-]+|kinds\/(?:words|paths|choices|time))\.ts$/,
  passphrase: /\/src\/sign\/passphrase-inputs\.ts$/,
  inputs: /\/src\/(?:verb\/kinds\/registry|verify\/judging-inputs)\.ts$/,
  options:
    /\/src\/(?:cli\/(?:options|render\/refusal)|verify\/(?:judging-options|open-locks)|io\/(?:setting|wait\/reach)|model\/lock|text\/time)\.ts$/,
}
/** Parts that verification loads on demand, and of nearly every bundle: a command that verifies has them in the files that it loads first. */
const NEARLY_ALWAYS = [
  'agent/contents',
  'io/state/state',
  'lint/generated/contents',
  'lint/stages',
  'sign/signers/file',
  'trust/policy-file',
  'verify/judging',
].map(part => resolve(`src/${part}.ts`))
/** Parts that are loaded on demand and share a module, from which on it is in the file that all of them share. */
const MANY = 16

/** One folder for all of it: Node remembers what a folder has asked for, and looks again for another one. */
const PROGRAM = 'dist/program'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
process.chdir(root)
rmSync('dist', { recursive: true, force: true })

/** With one character beyond ASCII, a file is twice as much for the engine to read (docs/performance.md). */
const IN_ASCII: Plugin = { name: 'in-ascii', renderChunk: code => code.replace(/[^\0-\x7f]/g, escaped) }

/** No arguments are typed for the library: it has no part that makes a command or reads what is typed. */
const WITHOUT_COMMANDS = without(['fromTyped', 'flags'], 'commandOf')
/** Nothing is handed in to the program: it has no part that reads what a caller of the library gives. */
const WITHOUT_FUNCTIONS = without(['fromGiven'])

const ofMcp = createRequire(resolve('node_modules/@modelcontextprotocol/server/package.json'))
/** npm may give each package of MCP a copy of zod: one is enough. And its choice for Node brings a second ajv. */
const MCP_ALIASES = {
  'zod/v4': join(dirname(ofMcp.resolve('zod/package.json')), 'v4/index.js'),
  '@modelcontextprotocol/server/_shims': resolve('scripts/bundled/mcp-shims.ts'),
}

/** What the library imports from npm. The program imports the same files: one copy for both. */
const packages = new Set<string>()
/** Readable on purpose: people review what they run to verify things. What is said about it is in the sources and in the types, once. */
const READABLE: OutputOptions = {
  minify: false,
  strict: true,
  hashCharacters: 'hex',
  comments: { legal: false, annotation: false, jsdoc: false },
}
/** Node loads CommonJS faster than modules (docs/performance.md). */
const COMMONJS: OutputOptions = {
  format: 'cjs',
  // Also of packages: compiled code that is kept can only `require` (src/io/process/compiled-code.ts).
  dynamicImportInCjs: false,
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
}
const common: InputOptions = {
  platform: 'node',
  transform: { target: 'node20.19' },
  preserveEntrySignatures: 'allow-extension',
  checks: {
    // A module may be loaded on demand by one part, and with another part that is.
    ineffectiveDynamicImport: false,
    // yargs reads configuration files with it, which nothing here asks for.
    emptyImportMeta: false,
    // Of a package with a default export beside others, src/ imports the others.
    mixedExports: false,
  },
}
const library = await build({
  ...common,
  input: ENTRIES,
  // An entry exports its own names. What others need of its modules is in a file of its own.
  preserveEntrySignatures: 'strict',
  external: id => isOptional(id) || isShared(id),
  plugins: [WITHOUT_COMMANDS],
  output: {
    ...READABLE,
    dir: 'dist/library',
    format: 'esm',
    chunkFileNames: '[name]-[hash].js',
    paths: id => (packages.has(id) ? `../program/${fileOf(id)}` : id),
    codeSplitting: { groups: libraryGroups() },
  },
})
const program = await build({
  ...common,
  input: {
    rlp: 'src/cli/bin.ts',
    'fleet-worker': 'src/fleet/fleet-worker.ts',
    'gate-worker': 'src/gate/service/gate-worker.ts',
  },
  external: id => isOptional(id) || packages.has(id),
  plugins: [WITHOUT_FUNCTIONS, IN_ASCII],
  // A file of which nothing is used is not loaded: only the first of a process or of a thread does anything by itself.
  treeshake: { moduleSideEffects: id => !id.startsWith(resolve('src')) || /(?:bin|worker)\.ts$/.test(id) },
  // The parser without the ways to read configuration files, for which it loads parts of Node that nothing else here needs at start.
  resolve: { alias: { 'yargs-parser': resolve('node_modules/yargs-parser/browser.js') } },
  output: {
    ...READABLE,
    ...COMMONJS,
    dir: PROGRAM,
    paths: id => (packages.has(id) ? `./${fileOf(id)}` : id),
    codeSplitting: { groups: programGroups() },
  },
})
refuseCircles(program)
refuseCircles(library)
/** One file: it is copied to where the user of a sandbox can reach it. */
const runner = await build({
  ...common,
  input: { 'module-runner': 'src/call/wasi/runner.ts' },
  output: { ...READABLE, ...COMMONJS, dir: PROGRAM },
})
if (runner.output.length !== 1) throw new Error('the runner of modules is more than one file')
const bundled = []
for (const [is, minify] of [
  ['readable', false],
  // Names stay, for readers of a stack.
  ['compiled', { compress: false, mangle: false, codegen: { removeWhitespace: true } }],
] as const) {
  const ids = [...packages].filter(id => kindOf(id) === is)
  const input = Object.fromEntries(ids.map(id => [partOf(id), entryOf(id)]))
  const output = { ...READABLE, ...COMMONJS, dir: PROGRAM, minify }
  bundled.push(
    await build({ ...common, input, output, plugins: [IN_ASCII], resolve: { alias: MCP_ALIASES } }),
  )
}
emitTypes()
emitEntries()
chmodSync('dist/program/rlp.cjs', 0o755)
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licences([...bundled, library, program].flatMap(modulesOf)))

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

interface SourceNode {
  readonly type?: string
  readonly start: number
  readonly end: number
  readonly key?: { readonly name?: string }
  readonly callee?: { readonly name?: string }
  readonly properties?: readonly SourceNode[]
}

interface Replaced extends Pick<SourceNode, 'start' | 'end'> {
  readonly by: string
}

/** Leaves out members of each object that has the first of them, and the calls of a function. */
function without(members: readonly [string, ...string[]], call?: string): Plugin {
  const [first] = members
  const replacedIn = (node: unknown): Replaced[] => {
    if (typeof node !== 'object' || node === null) return []
    const { type, start, end, callee, properties = [] } = node as SourceNode
    if (type === 'CallExpression' && callee?.name === call && call !== undefined)
      return [{ start, end, by: 'undefined' }]
    if (type !== 'ObjectExpression') return Object.values(node).flat().flatMap(replacedIn)
    const isInput = properties.some(({ key }) => key?.name === first)
    return properties.flatMap(one => {
      const name = isInput ? one.key?.name : undefined
      const isOut = name !== undefined && members.includes(name)
      return isOut ? [{ start: one.start, end: one.end, by: `${name}: undefined` }] : replacedIn(one)
    })
  }
  return {
    name: `without-${first}`,
    transform(code, id) {
      if (!id.startsWith(resolve('src')) || !(code.includes(first) || (call && code.includes(call))))
        return null
      const rest = replacedIn(this.parse(code, { lang: 'ts' }))
        .toSorted((a, b) => b.start - a.start)
        .reduce((text, { start, end, by }) => `${text.slice(0, start)}${by}${text.slice(end)}`, code)
      return withoutUnused(rest)
    },
  }
}

/** Without the imports and the functions of the file that nothing in it uses any more. Else their files count as loaded with this one. */
function withoutUnused(code: string): string {
  const isUsed = (name: string) => (code.match(new RegExp(`\\b${name}\\b`, 'g')) ?? []).length > 1
  const rest = code
    .replace(/^import \{([^}]*)\} from ('[^']+')\n/gm, (_, names: string, from: string) => {
      const values = names.split(',').filter(name => !/^\s*type /.test(name))
      const used = values.filter(name => isUsed(/(\w+)\s*$/.exec(name)?.[1] ?? ''))
      return used.length === 0 ? '' : `import {${used.join()}} from ${from}\n`
    })
    .replace(/^(?:async )?function (\w+)[\s\S]*?^\}\n/gm, (whole, name: string) =>
      isUsed(name) ? whole : '',
    )
  return rest === code ? code : withoutUnused(rest)
}

/** Installed beside this package, or not at all. */
function isOptional(id: string): boolean {
  return id === '@napi-rs/blake-hash'
}

function isShared(id: string): boolean {
  const isPackage = /^[@a-z]/.test(id) && !isBuiltin(id)
  if (isPackage) packages.add(id)
  return isPackage
}

function kindOf(id: string): 'readable' | 'compiled' {
  return entryOf(id) === COMPILED ? 'compiled' : 'readable'
}

function entryOf(id: string): string {
  return TOGETHER.find(([packages]) => packages.test(id))?.[1] ?? id
}

function partOf(id: string): string {
  const entry = entryOf(id)
  if (entry !== id) return basename(entry, '.ts')
  return id.replace(/^@/, '').replace(/\.js$/, '').replaceAll('/', '-')
}

/** The file of a package, beside the program: its digest covers it, and its code is kept compiled. */
function fileOf(id: string): string {
  return `${partOf(id)}.cjs`
}

/**
 * The contract needs the least, and the small entry little more: each has its modules in one file, which the other entries share. What the
 * small entry loads on demand brings nothing else with it. All entries share one file of what several of them need. No group has an entry's
 * own module: an entry would export what others need of it.
 */
function libraryGroups(): CodeSplittingGroup[] {
  const isNeededBy = neededBy(() => false)
  const isNeededLate = neededBy(() => true)
  const entries: readonly string[] = Object.values(ENTRIES)
  const groups: Readonly<Record<string, (id: string, modules: ChunkingContext) => string | null>> = {
    contract: (id, modules) => (isNeededBy(ENTRIES.contract, id, modules) ? 'contract' : null),
    verifying: (id, modules) => (isNeededBy(ENTRIES.verify, id, modules) ? 'verifying' : null),
    late(id, modules) {
      if (!isNeededLate(ENTRIES.verify, id, modules)) return null
      const parts = partsOf(ENTRIES.verify, modules).filter(part => isNeededBy(part, id, modules))
      return parts.length === 1 ? basename(parts[0] ?? '', '.ts') : 'late'
    },
    shared: (id, modules) =>
      entries.filter(entry => isNeededBy(entry, id, modules)).length > 1 ? 'shared' : null,
  }
  return Object.entries(groups).map(([debugName, nameOf], index) => ({
    priority: -index,
    debugName,
    name: (id, modules) => (entries.some(entry => resolve(entry) === id) ? null : nameOf(id, modules)),
  }))
}

/** What an entry loads on demand, and what that loads on demand. */
function partsOf(entry: string, modules: ChunkingContext): string[] {
  const reached = [...closureOf(resolve(entry), () => true, modules)]
  return [...new Set(reached.flatMap(id => modules.getModuleInfo(id)?.dynamicallyImportedIds ?? []))]
}

/** `verify` of fleet/verify-command, `digest` of pack/verbs/digest. */
function shortName(command: string): string {
  return command.replace(/[/-]command$/, '').replace(/^.*\//, '')
}

/** Whether a module is loaded with another. @param counts whether a part counts although it is loaded on demand */
function neededBy(
  counts: (part: string) => boolean,
): (source: string, id: string, modules: ChunkingContext) => boolean {
  const closures = new Map<string, ReadonlySet<string>>()
  return (source, id, modules) => {
    const closure = closures.get(source) ?? closureOf(resolve(source), counts, modules)
    closures.set(source, closure)
    return closure.has(id)
  }
}

/**
 * Without these, splitting makes a file for every set of commands that share a module: some forty for one command, and each takes Node half a
 * millisecond to find, read and link (docs/performance.md). Each group holds whatever its modules import, if no group before it does: so no
 * two files import each other.
 */
function programGroups(): CodeSplittingGroup[] {
  const isNeededBy = neededBy(part => NEARLY_ALWAYS.includes(part))
  const own = { includeDependenciesRecursively: false }
  return [
    {
      ...own,
      priority: 4,
      debugName: 'start',
      // What defines a command is a line, and no file of its own.
      name: (id, modules) =>
        isNeededBy('src/cli/process.ts', id, modules) || id === COMMAND ? 'start' : null,
    },
    ...Object.entries(OF_MANY).map(([name, modules]) => ({
      ...own,
      priority: 3.5,
      debugName: name,
      name: (id: string) => (modules.test(id) ? name : null),
    })),
    {
      ...own,
      priority: 3,
      debugName: 'frequent',
      name: (id, modules) => {
        const users = FREQUENT.filter(command => isNeededBy(`src/${command}.ts`, id, modules))
        return users.length === 0 ? null : users.map(shortName).join('-')
      },
    },
    {
      ...own,
      priority: 2,
      debugName: 'channels',
      name: (id, modules) => (isNeededBy(CHANNELS, id, modules) ? 'channels' : null),
    },
    { ...own, priority: 1, name: 'shared', minShareCount: MANY },
  ]
}

/** A module, and what loading it loads: at once, or as one of the parts. */
function closureOf(
  entry: string,
  counts: (part: string) => boolean,
  modules: ChunkingContext,
): ReadonlySet<string> {
  const closure = new Set<string>()
  const visit = (id: string) => {
    if (closure.has(id)) return
    closure.add(id)
    const { importedIds = [], dynamicallyImportedIds = [] } = modules.getModuleInfo(id) ?? {}
    for (const imported of importedIds) visit(imported)
    for (const part of dynamicallyImportedIds) if (counts(part)) visit(part)
  }
  visit(entry)
  return closure
}

/** Of two files that load each other, one sees the other before it has any members. @throws Error */
function refuseCircles({ output }: RolldownOutput): void {
  const imports = new Map(
    output.flatMap(part => (part.type === 'chunk' ? [[part.fileName, part.imports] as const] : [])),
  )
  const done = new Set<string>()
  const visit = (file: string, above: readonly string[]) => {
    if (above.includes(file)) throw new Error(`these files load each other: ${[...above, file].join(', ')}`)
    if (done.has(file)) return
    for (const one of imports.get(file) ?? []) visit(one, [...above, file])
    done.add(file)
  }
  for (const file of imports.keys()) visit(file, [])
}

function modulesOf({ output }: RolldownOutput): string[] {
  return output.flatMap(part => (part.type === 'chunk' ? part.moduleIds : [])).map(id => relative('', id))
}

/** Name, version and licence text of every package that got into the bundle. */
function licences(inputs: readonly string[]): string {
  const packages = new Set<string>()
  for (const input of inputs) {
    const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)
    if (match?.[1] !== undefined) packages.add(match[1])
  }
  const texts = new Map<string, string[]>()
  for (const folder of [...packages].sort()) {
    const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      name: string
      version: string
      license: string
    }
    const text = licenceText(TEXT_OF[folder] ?? folder)
    const of = texts.get(text) ?? []
    texts.set(text, of)
    of.push(`${about.name} ${about.version} (${about.license})`)
  }
  // A text that several packages share is there once, below all of their names.
  return [...texts].map(([text, of]) => `${of.join('\n')}\n\n${text}\n`).join(`\n${'-'.repeat(72)}\n\n`)
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
