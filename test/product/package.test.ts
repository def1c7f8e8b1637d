// The package as users get it: its files in an empty folder, run, imported and type-checked. npm packs and installs them in `.ci/run`; here
// it lists them. Types under node16, a bundle in CommonJS and the start by npx only there too.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { publint } from 'publint'
import { builtProgram } from '../support/built.ts'
import { run } from '../support/fake-terminal.ts'
import { IN_CI, LATE, slice } from '../support/runs.ts'

let folder: string
let listed: string[]

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'rlp-package-'))
  // The home may be one that cannot be written.
  process.env['npm_config_cache'] = join(folder, 'cache')
  listed = packed(emptyCopy(), '--dry-run').files
  mkdirSync(join(folder, 'user'))
  writeFileSync(join(folder, 'user/package.json'), '{"name":"user","private":true,"type":"module"}')
  if (IN_CI) packAndInstall()
  else place()
})

/** What `npm pack` says of a package. */
function packed(of: string, ...more: readonly string[]): { filename: string; files: string[] } {
  // The build has run: packing must not run it again while other tests read dist/.
  builtProgram()
  const args = ['pack', of, '--ignore-scripts', '--json', ...more]
  const out = execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const [{ filename, files }] = JSON.parse(out.slice(out.indexOf('['))) as [
    { filename: string; files: { path: string }[] },
  ]
  return { filename, files: files.map(({ path }) => path) }
}

/**
 * Our files without their content, which npm lists in half the time; of a folder that package.json does not name, one file. With code that
 * a program has compiled.
 */
function emptyCopy(): string {
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] }
  const copy = join(folder, 'empty')
  const inside = (name: string) =>
    readdirSync(name, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))
  for (const entry of readdirSync('.', { withFileTypes: true })) {
    if (entry.isFile()) cpSync(entry.name, join(copy, entry.name))
    else
      for (const path of files.includes(entry.name) ? inside(entry.name) : [`${entry.name}/x`])
        empty(copy, path)
  }
  empty(copy, 'dist/program/compiled/v24/1be12802')
  return copy
}

function empty(copy: string, path: string): void {
  mkdirSync(join(copy, dirname(path)), { recursive: true })
  writeFileSync(join(copy, path), '')
}

/** Puts the files where npm installs them, and the program where npm links to it. */
function place(): void {
  const modules = join(folder, 'user/node_modules')
  for (const path of listed.filter(path => existsSync(path))) cpSync(path, join(modules, 'rlp-bundle', path))
  mkdirSync(join(modules, '.bin'))
  symlinkSync('../rlp-bundle/dist/program/rlp.cjs', join(modules, '.bin/rlp'))
}

/** The same by npm, which takes four times as long for it. */
function packAndInstall(): void {
  const { filename, files } = packed('.', '--pack-destination', folder)
  assert.deepEqual(files, listed)
  // Offline: the one optional dependency may be missing, and nothing else is needed.
  const install = ['install', '--offline', '--omit=optional', '--no-audit', '--no-fund']
  execFileSync('npm', [...install, join(folder, filename)], { cwd: join(folder, 'user'), stdio: 'pipe' })
}

after(() => rmSync(folder, { recursive: true }))

const user = (...args: [string, ...string[]]) =>
  spawnSync(args[0], args.slice(1), { cwd: join(folder, 'user'), encoding: 'utf8' })

/** The files of the program with rlp agent test, rlp trust test, rlp agent attest, and with what writes statements. */
const NO_TESTS =
  /^dist\/(?:library|program)\/(?:attest|attestation-file|test|test-command)-[0-9a-f]{8}\.c?js$/

test('it holds what users need and nothing else', () => {
  const kinds = new Set(listed.map(path => path.replace(/[^/]+$/, '').split('/')[0] || path))
  assert.deepEqual([...kinds].sort(), [
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'dist',
    'docs',
    'package.json',
    'schemas',
  ])
  const odd = listed.filter(
    path => /test|fixture|\.map$|\.ts$/.test(path) && !path.endsWith('.d.ts') && !NO_TESTS.test(path),
  )
  assert.deepEqual(odd, [])
  assert.ok(listed.filter(path => path.startsWith('docs/')).every(path => /\.md$/.test(path)))
  assert.ok(listed.includes('dist/THIRD-PARTY-LICENSES.txt'))
})

test('what rlp has compiled on this machine stays here', () => {
  assert.ok(listed.includes('dist/program/rlp.cjs'))
  assert.deepEqual(
    listed.filter(path => path.startsWith('dist/program/compiled')),
    [],
  )
})

test('it is small: at most 8.4 MiB, each package of others once, and that which a compiler has made without blanks', () => {
  const built = listed.filter(existsSync)
  const bytes = built.reduce((sum, path) => sum + statSync(path).size, 0)
  assert.ok(bytes <= 8_808_038, `${bytes} bytes`)
  // Each module of a package has a line with its path; what is minified has none.
  const modules = built
    .filter(path => /\.c?js$/.test(path))
    .flatMap(path => readFileSync(path, 'utf8').match(/^\/\/ node_modules\/\S+/gm) ?? [])
  assert.ok(modules.length > 100)
  assert.deepEqual(
    modules.filter((path, at) => modules.indexOf(path) !== at),
    [],
  )
})

test('what commands load at their start is ASCII: one other character doubles what the engine reads', () => {
  const program = listed.filter(path => /^dist\/program\/(?!mcp-serving)[^/]+\.cjs$/.test(path))
  assert.ok(program.length > 50)
  assert.deepEqual(
    program.filter(path => /[^\0-\x7f]/.test(readFileSync(path, 'utf8'))),
    [],
  )
})

test('npm finds no script in what is installed, and the checkout has its own again', () => {
  const copy = join(folder, 'manifest')
  mkdirSync(join(copy, 'scripts'), { recursive: true })
  const names = ['package.json', 'scripts/packed-manifest.mjs', 'scripts/prepare.mjs']
  for (const name of names) cpSync(name, join(copy, name))
  // `prepare` builds nothing then.
  const env = { ...process.env, _PACOTE_NO_PREPARE_: 'yes' }
  const manifest = () => readFileSync(join(copy, 'package.json'), 'utf8')
  const before = manifest()
  assert.ok('prepare' in JSON.parse(before).scripts)
  /** By day what npm runs before and after it packs; in `.ci/run` what npm has packed. */
  const packedHere = (): string => {
    const { prepack, postpack } = JSON.parse(before).scripts as Record<string, string>
    execFileSync('sh', ['-c', prepack ?? ''], { cwd: copy, env, stdio: 'pipe' })
    const packed = manifest()
    execFileSync('sh', ['-c', postpack ?? ''], { cwd: copy, env, stdio: 'pipe' })
    return packed
  }
  const packedByNpm = (): string => {
    const out = execFileSync('npm', ['pack', '--json'], { cwd: copy, env, encoding: 'utf8', stdio: 'pipe' })
    const [{ filename }] = JSON.parse(out.slice(out.indexOf('['))) as [{ filename: string }]
    return execFileSync('tar', ['-xzOf', filename, 'package/package.json'], { cwd: copy, encoding: 'utf8' })
  }
  const packed = JSON.parse(IN_CI ? packedByNpm() : packedHere())
  assert.deepEqual([packed.scripts, packed.devDependencies], [undefined, undefined])
  assert.deepEqual(packed.bin, JSON.parse(before).bin)
  assert.equal(manifest(), before)
})

test('rlp, by its name', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  // What npx runs, without the half second that npx itself takes.
  const rlp = join('node_modules', '.bin', 'rlp')
  assert.equal(user(rlp, '--version').stdout, `${version}\n`)
  if (IN_CI) assert.equal(user('npx', '--offline', 'rlp', '--version').stdout, `${version}\n`)
  assert.equal(user(rlp, 'agent', 'scaffold', 'demo', '--non-interactive').status, 0)
  assert.equal(user(rlp, 'agent', 'pack').status, 0)
})

/** Several programs at once, because each process of the compiler takes a second. */
function compileAll(module: string, files: readonly string[]): void {
  const compilerOptions = {
    target: 'es2022',
    module,
    strict: true,
    resolveJsonModule: true,
    types: ['node'],
    // Without the browser's, which are longer than all others together.
    lib: ['es2023'],
    typeRoots: [resolve('node_modules/@types')],
    // Those of the compiler; ours are checked.
    skipDefaultLibCheck: true,
  }
  writeFileSync(join(folder, 'user/tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const { status, stdout } = user(process.execPath, resolve('node_modules/typescript/bin/tsc'))
  assert.equal(status, 0, `${module}: ${stdout}`)
}

const SOURCES = ['use.ts', 'tool.ts', 'old/use.ts']

test('each way to import it has types', () => {
  mkdirSync(join(folder, 'user/old'))
  writeFileSync(join(folder, 'user/old/package.json'), '{"type":"commonjs"}')
  writeFileSync(
    join(folder, 'user/use.ts'),
    `import { loadBundle, NotVerifiedError, type LoadedBundle, type Report, type Verdict, verifyBundle, VERDICTS } from 'rlp-bundle'
import { AgentTool, loadAgentcliTools } from 'rlp-bundle/convert'
import schema from 'rlp-bundle/schemas/manifest.schema.json' with { type: 'json' }
import { loadBundle as loadHere, type Report as SameReport, verifyBundle as verifyHere } from 'rlp-bundle/verify'
const bundle: LoadedBundle = await loadBundle('dist/demo-0.1.0.agent.bundle', { expect: 'demo', allowUnsigned: true })
const bytes: Uint8Array = bundle.bytes('bin/demo.wasm')
const report: Report = await verifyBundle('dist/demo-0.1.0.agent.bundle', { expect: 'any' })
const verdict: Verdict = report.verdict
const same: SameReport = await verifyHere('dist/demo-0.1.0.agent.bundle', { expect: 'any' })
const here: LoadedBundle = await loadHere('dist/demo-0.1.0.agent.bundle', { expect: 'demo', allowUnsigned: true })
if (same.verdict !== verdict || here.agent.name !== bundle.agent.name) throw new Error(same.verdict)
// @ts-expect-error: expect is required
loadBundle('x', {}).catch((error: unknown) => console.log(error instanceof NotVerifiedError))
for (const tool of bundle.tools) if (tool.transport.kind === 'exec') console.log(tool.transport.command)
const record: AgentTool.ToolInterface = { schema_version: '0.2.0', interface_id: 'i', tool_id: 't', timeout_ms: 5 }
const strict: boolean = AgentTool.withDefaults(record).record.strict
const hook = AgentTool.validateHook({ schema_version: '0.2.0', hook_id: 'h', hook_event: 'pre_tool_use' })
if (!hook.ok) throw new Error(hook.problems[0]?.message)
const event: 'pre_tool_use' | 'post_tool_use' | 'post_tool_use_failure' | 'permission_request' | 'permission_decision' | 'result_persistence' = hook.record.hook_event
if (event !== 'pre_tool_use' || Object.keys(AgentTool.RECORD_VALIDATORS).length !== 15) throw new Error()
if (Object.entries(AgentTool).filter(([name, value]) => name.startsWith('validate') && typeof value === 'function' && name !== 'validateRecord').length !== 15) throw new Error()
if (strict || (await loadAgentcliTools({ text: '{}', directory: process.cwd() })).tools.length > 0) throw new Error()
console.log(verdict, VERDICTS[verdict].exit, bytes.length > 8, typeof schema.title)
`,
  )
  writeFileSync(
    join(folder, 'user/tool.ts'),
    `import { type Envelope, type JsonSchema, normalizeResult, preflight, serialize, success } from 'rlp-bundle/contract'
const schema = { type: 'object', properties: { n: { type: 'integer' } } } satisfies JsonSchema
const ready = preflight('dice', '{"n":"2"}', schema)
const envelope: Envelope = ready.ok ? success('dice', ready.value) : ready.failure
if (!envelope.ok) console.log(envelope.kind, envelope.field)
console.log(serialize(envelope), normalizeResult('dice', 'done').ok)
`,
  )
  writeFileSync(
    join(folder, 'user/old/use.ts'),
    `import { loadBundle, type LoadedBundle, NotVerifiedError } from 'rlp-bundle'
import { success } from 'rlp-bundle/contract'
import { NotVerifiedError as SameError } from 'rlp-bundle/verify'
async function main(): Promise<void> {
  const { NotVerifiedError: other } = await import('rlp-bundle')
  const bundle: LoadedBundle = await loadBundle('../dist/demo-0.1.0.agent.bundle', { expect: 'demo', allowUnsigned: true })
  const error: unknown = await loadBundle('../dist/demo-0.1.0.agent.bundle', { expect: 'other' }).catch((error: unknown) => error)
  console.log(bundle.agent.name, error instanceof NotVerifiedError, error instanceof other && error instanceof SameError, success('dice', 1).ok)
}
void main()
`,
  )
  compileAll('nodenext', SOURCES)
})

/** The oldest compiler that the types are for, as docs/library.md says. */
const OLDEST = 'typescript-oldest'

test('the oldest TypeScript that is named checks each entry, imported and required, with all its declarations', () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, unknown> }
  const entries = Object.keys(exports).filter(key => !key.endsWith('.json'))
  assert.ok(entries.length > 7)
  const cwd = join(folder, 'user/oldest')
  mkdirSync(cwd)
  const lines = entries.map(
    (key, index) => `import * as entry${index} from '${key.replace('.', 'rlp-bundle')}'\n`,
  )
  const text = `${lines.join('')}export const all: object[] = [${entries.map((_, index) => `entry${index}`).join()}]
export const verdict = async (): Promise<string> => (await entry0.verifyBundle('x', { expect: 'any' })).verdict
`
  for (const name of ['module.mts', 'required.cts']) writeFileSync(join(cwd, name), text)
  const compilerOptions = {
    target: 'es2022',
    module: 'node16',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: ['node'],
    typeRoots: [resolve('node_modules/@types')],
  }
  writeFileSync(
    join(cwd, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['module.mts', 'required.cts'] }),
  )
  const compiler = resolve('node_modules', OLDEST, 'bin/tsc')
  const compile = () => spawnSync(process.execPath, [compiler], { cwd, encoding: 'utf8' })
  const { status, stdout } = compile()
  assert.equal(status, 0, stdout)
  // That it looks at the types at all.
  writeFileSync(join(cwd, 'module.mts'), `${text}export const wrong: number = verdict\n`)
  assert.equal(compile().status, 2)
})

test('import', () => {
  const { stdout, stderr } = user(process.execPath, 'use.js')
  assert.equal(stdout.split('\n').sort().join('|'), '|false|unsigned 1 true string', stderr)
})

test('packages that are loaded on demand are there, for the program and for the library', {
  skip: LATE,
}, async () => {
  const cwd = join(folder, 'user/on-demand')
  mkdirSync(cwd)
  const bin = join(folder, 'user/node_modules/.bin/rlp')
  const rlp = (...args: readonly string[]) => {
    const env = { ...process.env, RUNLOOP_HOME: join(cwd, 'home') }
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
      cwd,
      env,
      encoding: 'utf8',
    })
    return { status, said: `${stdout}${stderr}` }
  }
  // The program draws these files without a package.
  const prepare = async (...args: readonly string[]) =>
    assert.equal((await run(args, undefined, { cwd, env: { RUNLOOP_HOME: join(cwd, 'home') } })).exit, 0)
  await prepare('agent', 'scaffold', 'echo', '--non-interactive')
  const schemas = ['--input-schema', 'text:string', '--result-schema', 'text:string']
  const about = ['--id', 'text.cat', '--description', 'Gives it back.', '--command', '/bin/cat', '--stdin']
  await prepare('tool', 'add', 'echo', ...about, ...schemas, '--grant')
  const tools = join(cwd, 'agents/echo/tools.json')
  const matched = '"type": "string", "pattern": "^(a+)+$"'
  writeFileSync(tools, readFileSync(tools, 'utf8').replace('"type": "string"', matched))
  await prepare('agent', 'digest')
  // The validator of schemas, and the reader of foreign archives.
  const given = ['--args', '{"text":"aaaa"}', '--unverified', '--json']
  const called = rlp('tool', 'call', 'text.cat', 'agents/echo', ...given)
  assert.match(called.said, /"result":\{"text":"aaaa"\}/)
  execFileSync('tar', ['-czf', 'echo.tar.gz', '-C', 'agents', 'echo'], { cwd })
  assert.equal(rlp('agent', 'pack', 'echo.tar.gz', '--out', 'echo.agent.bundle').status, 0)
  writeFileSync(
    join(cwd, 'use.mjs'),
    `import { callTool, loadBundle, pack, serveTools } from 'rlp-bundle'
import { PassThrough } from 'node:stream'
const bundle = await loadBundle('echo.agent.bundle', { expect: 'echo', allowUnsigned: true })
const { envelope } = await callTool(bundle, 'text.cat', { text: 'aaaa' })
console.log(envelope.ok && envelope.result.text)
console.log((await pack('echo.tar.gz', { out: 'again.agent.bundle' })).bundle !== undefined)
const input = new PassThrough()
const output = new PassThrough().on('data', text => { console.log(JSON.parse(text).result.serverInfo.name); input.end() })
const served = serveTools(['echo.agent.bundle'], { input, output, allowUnsigned: true, expect: ['echo'], name: 'served' })
input.write(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } } }) + '\\n')
await served
`,
  )
  const { stdout, stderr } = spawnSync(process.execPath, ['use.mjs'], { cwd, encoding: 'utf8' })
  assert.equal(stdout, 'aaaa\ntrue\nserved\n', stderr)
})

test('the contract on its own', () => {
  const { stdout, stderr } = user(process.execPath, 'tool.js')
  assert.equal(stdout, '{"ok":true,"result":{"n":2},"tool":"dice"} true\n', stderr)
})

test('every export can be imported', () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, unknown> }
  const paths = Object.keys(exports).map(key => `rlp-bundle${key.slice(1).replace('*', 'tools.v1.schema')}`)
  const code = paths
    .map(
      path =>
        `await import(${JSON.stringify(path)}${path.endsWith('.json') ? ", { with: { type: 'json' } }" : ''})`,
    )
    .join(';')
  const { status, stderr } = user(process.execPath, '--input-type=module', '-e', code)
  assert.equal(status, 0, stderr)
})

test('from CommonJS', () => {
  for (const module of slice(['nodenext', 'node16'], 2)) {
    if (module === 'node16') compileAll(module, ['old/use.ts'])
    const cwd = join(folder, 'user/old')
    const { stdout, stderr } = spawnSync(process.execPath, ['use.js'], { cwd, encoding: 'utf8' })
    assert.deepEqual([stdout, stderr], ['demo true true true\n', ''])
  }
})

test('bundled by esbuild, with no word about what is optional', { skip: LATE }, () => {
  writeFileSync(
    join(folder, 'user/bundled.ts'),
    `import { loadBundle } from 'rlp-bundle'
loadBundle('dist/demo-0.1.0.agent.bundle', { expect: 'demo', allowUnsigned: true }).then(({ agent, bytes }) =>
  console.log(agent.name, bytes('bin/demo.wasm').length > 8))
`,
  )
  const forms = [
    ['esm', 'bundled.mjs'],
    ['cjs', 'bundled.cjs'],
  ] as const
  for (const [format, name] of slice(forms, 2)) {
    const args = ['bundled.ts', '--bundle', '--platform=node', '--minify', `--format=${format}`]
    const esbuild = user(
      resolve('node_modules/.bin/esbuild'),
      ...args,
      `--outfile=${name}`,
      '--log-level=error',
    )
    assert.deepEqual([esbuild.status, esbuild.stderr], [0, ''])
    const { stdout, stderr } = user(process.execPath, name)
    assert.deepEqual([stdout, stderr], ['demo true\n', ''], format)
  }
})

test('what an editor shows cites nothing that is not in the package', () => {
  const declarations = listed.filter(path => path.endsWith('.d.ts'))
  assert.ok(declarations.length > 20)
  const texts = declarations.map(path => [path, readFileSync(path, 'utf8')] as const)
  const inside = texts.filter(([, text]) => /\bDESIGN\b|\bSTYLE\b|systems reference|\bseed [0-9]/.test(text))
  assert.deepEqual(
    inside.map(([path]) => path),
    [],
  )
  const cited = texts.flatMap(([, text]) => text.match(/\bdocs\/[a-z-]+\.md\b/g) ?? [])
  assert.ok(cited.length > 0)
  assert.deepEqual(
    cited.filter(path => !listed.includes(path)),
    [],
  )
})

/** Pages for people who work on `rlp`: README and CHANGELOG name them, and nothing else in the package does. */
const OF_THE_REPOSITORY =
  /^docs\/(?:architecture|commands|decisions|performance|rules|torture)\.md in (?:CHANGELOG\.md|README\.md|package\.json)$/

test('what the program, its comments and its pages cite is in the package', () => {
  const cited = listed
    .filter(path => /\.(?:c?js|d\.ts|md|json)$/.test(path))
    .flatMap(path => {
      const pages = readFileSync(path, 'utf8').match(/\bdocs\/[a-z-]+\.md\b/g) ?? []
      return pages.map(page => `${page} in ${path}`)
    })
  assert.ok(cited.length > 50)
  assert.deepEqual(
    cited.filter(one => !listed.includes(one.split(' in ')[0] ?? '') && !OF_THE_REPOSITORY.test(one)),
    [],
  )
})

test('it says where it comes from, and is not published before that is a real place', () => {
  const { homepage, bugs, repository } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    homepage: string
    bugs: string
    repository: { type: string; url: string }
  }
  assert.equal(repository.type, 'git')
  const urls = [homepage, bugs, repository.url].map(url => new URL(url))
  assert.ok(urls.every(({ protocol }) => /^(?:git\+)?https:$/.test(protocol)))
  const guard = spawnSync(process.execPath, ['scripts/publishable.mjs'], { encoding: 'utf8' })
  const isReal = urls.every(({ hostname }) => !hostname.endsWith('.example'))
  assert.equal(guard.status, isReal ? 0 : 1, guard.stderr)
})

test('publint has nothing to say', { skip: LATE }, async () => {
  const { messages } = await publint({
    pkgDir: join(folder, 'user/node_modules/rlp-bundle'),
    strict: true,
    pack: false,
  })
  assert.deepEqual(messages, [])
})

// Its checker takes as long as all other tests of this file together.
test('whether the types resolve for every way of importing is asked in .ci/run', () => {
  assert.match(readFileSync('.ci/run', 'utf8'), /^step .* npm run --silent check:types$/m)
})
