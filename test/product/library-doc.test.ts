// docs/library.md: its examples, compiled with types and run; so are those of docs/interfaces.md. The pages of docs/library/ against the
// declarations, and these against what is exported. The examples in comments are compiled. By day the examples are read, and their imports compared with the exports; `.ci/run` compiles and runs.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { before, describe, test } from 'node:test'
import { transform } from 'esbuild'
import { LIBRARY_ENTRIES, libraryDocs } from '../../scripts/library-doc.ts'
import * as contract from '../../src/contract/index.ts'
import * as convert from '../../src/library/generated/convert.ts'
import * as evidence from '../../src/library/generated/evidence.ts'
import * as main from '../../src/library/generated/index.ts'
import * as lock from '../../src/library/generated/lock.ts'
import * as registry from '../../src/library/generated/registry.ts'
import * as trust from '../../src/library/generated/trust.ts'
import * as verify from '../../src/library/generated/verify.ts'
import { agentTree, bundleOf, type Tree, writeTree } from '../support/agent.ts'
import { builtProgram } from '../support/built.ts'
import { temporary } from '../support/folder.ts'
import { IN_CI, LATE } from '../support/runs.ts'
import { KEYS, keyFile, signed } from '../support/trust-world.ts'

const PAGE = readFileSync('docs/library.md', 'utf8')
/** The programs of docs/interfaces.md, compiled here too, because one run of the compiler is as dear as the rest of this file. */
const RECORD_EXAMPLES = [...readFileSync('docs/interfaces.md', 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(
  ([, code = '']) => code,
)
const folder = temporary('library-doc')('project')
const env = { PATH: process.env['PATH'], HOME: folder, RELEASE_KEY: KEYS.release.anchor }

const TOOL = {
  id: 'text.echo',
  description: 'the same text',
  transport: { kind: 'exec', command: '/bin/cat' },
  input_schema: { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false },
  result_schema: { type: 'object' },
}

/** Programs that need nothing of a process of their own: one start for all. */
const ALONE = [
  'flow.js',
  'served.js',
  'memory.js',
  'small.js',
  'store.js',
  'signer.js',
  'interfaces-0.js',
  'interfaces-1.js',
]
const printed = new Map<string, string>()

/** What an editor shows: comments of the types that are shipped. */
builtProgram()
const HOVERS = readdirSync('dist/types', { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.d.ts'))
  .map(path => ({ path, text: readFileSync(join('dist/types', path), 'utf8') }))

/** The code after `@example`, up to the next tag or the end of the comment. */
const EXAMPLES = HOVERS.flatMap(({ path, text }) =>
  [...text.matchAll(/@example((?:(?!\*\/|\n +\* @)[\s\S])*)/g)].map(([, code = '']) => ({
    path,
    code: code.replaceAll(/^ *\* ?/gm, ''),
  })),
)

/** What each entry exports. */
const EXPORTS: ReadonlyMap<string, object> = new Map(
  Object.entries({
    'rlp-bundle': main,
    'rlp-bundle/contract': contract,
    'rlp-bundle/convert': convert,
    'rlp-bundle/evidence': evidence,
    'rlp-bundle/lock': lock,
    'rlp-bundle/registry': registry,
    'rlp-bundle/trust': trust,
    'rlp-bundle/verify': verify,
  }),
)

/** Of everything that is exported, so that an example that names something else does not compile. */
const IMPORTS = [
  ...[...EXPORTS].map(([name, exported]) => importOf(name, functionsOf(exported))),
  "import type { LoadedBundle, TrustPolicyTable } from 'rlp-bundle'",
  "import { AgentTool } from 'rlp-bundle/convert'",
  "import type { Entry, JsonSchema, ShellOutcome } from 'rlp-bundle/contract'",
].join('\n')

/** Several entries have the errors, and the small one the functions of the main one. */
function importOf(entry: string, names: readonly string[]): string {
  const own = names.filter(name => entry === 'rlp-bundle' || !(name in (EXPORTS.get('rlp-bundle') ?? {})))
  return `import { ${own.join(', ')} } from '${entry}'`
}

function functionsOf(exported: object): string[] {
  return Object.entries(exported).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []))
}

/** An agent that has one tool, and may run it. */
function agentNamed(name: string, version = '0.1.0', more: Tree = {}) {
  return agentTree({
    name,
    version,
    files: {
      ...more,
      'tools.json': JSON.stringify({ version: 1, tools: [TOOL] }),
      'policy.caps': '[capabilities]\nexec = ["/bin/cat"]\n',
    },
  })
}

function run(...args: readonly string[]): string {
  return runIn(env, args)
}

function runIn(env: NodeJS.ProcessEnv, args: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' })
  assert.equal(status, 0, stdout + stderr)
  assert.equal(stderr, '')
  return stdout
}

/** The files that the examples are in. */
let sources: readonly string[]

describe('the pages of docs/library/', () => {
  const pages = libraryDocs()

  test('are what the declarations say', () => {
    const hint = 'run npm run docs, read what changed, and commit docs/library/'
    for (const [path, text] of pages) assert.equal(readFileSync(path, 'utf8'), text, hint)
    assert.deepEqual(
      readdirSync('docs/library').map(name => `docs/library/${name}`),
      [...pages.keys()].sort(),
    )
  })

  for (const { name, page } of LIBRARY_ENTRIES)
    test(`${name}: every function and every error that it exports has a section`, () => {
      const text = pages.get(`docs/library/${page}.md`) ?? ''
      const headings = [...text.matchAll(/^###? (\w+)$/gm)].map(([, heading = '']) => heading)
      const others = ['Errors', 'Constants', 'Types']
      assert.deepEqual(
        headings.filter(heading => !others.includes(heading)).sort(),
        functionsOf(EXPORTS.get(name) ?? {}).sort(),
      )
    })
})

describe('docs/library.md', () => {
  before(() => {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(resolve('.'), join(folder, 'node_modules/rlp-bundle'))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    const names = [...PAGE.matchAll(/```ts\n\/\/ ([a-z]+\.ts)\n([\s\S]*?)```/g)].map(
      ([, name = '', code = '']) => {
        writeFileSync(join(folder, name), code)
        return name
      },
    )
    assert.deepEqual(names, [
      'flow.ts',
      'small.ts',
      'served.ts',
      'signer.ts',
      'memory.ts',
      'store.ts',
      'service.ts',
    ])
    for (const [index, code] of RECORD_EXAMPLES.entries()) {
      const name = `interfaces-${index}.ts`
      writeFileSync(join(folder, name), code)
      names.push(name)
    }
    for (const [index, { path, code }] of EXAMPLES.entries()) {
      const name = `hover-${index}.ts`
      writeFileSync(join(folder, name), `// ${path}\n${IMPORTS}\n${code}\n`)
      names.push(name)
    }
    const compilerOptions = {
      target: 'es2022',
      module: 'nodenext',
      strict: true,
      noUncheckedIndexedAccess: true,
      types: ['node'],
      typeRoots: [resolve('node_modules/@types')],
      // package.test.ts checks the types that are shipped.
      skipLibCheck: true,
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: names }))
    if (IN_CI) run(resolve('node_modules/typescript/bin/tsc'))
    sources = names
    writeTree(join(folder, 'agents/mailer'), agentNamed('mailer'))
    mkdirSync(join(folder, 'bundles'))
    const served = bundleOf(signed(agentNamed('mailer'), 'release'))
    writeFileSync(join(folder, 'bundles/mailer.agent.bundle'), served)
    const large = agentNamed('large', '0.1.0', { 'notes.md': 'x'.repeat(32 * 1024) })
    writeFileSync(join(folder, 'large.agent.bundle'), bundleOf(signed(large, 'release')))
    const next = bundleOf(signed(agentNamed('mailer', '0.2.0'), 'release'))
    writeFileSync(join(folder, 'mailer-0.2.0.agent.bundle'), next)
    const policy = `[anchors]\nrelease = "${KEYS.release.anchor}"\n[rules]\nrelease = { allow_caps = "any", allow_net = [], allow_exec = true }\n`
    writeFileSync(join(folder, 'policy.toml'), policy, { mode: 0o600 })
    if (!IN_CI) return
    const inTurn = ALONE.map(name => `console.log('# ${name}')\nawait import('./${name}')\n`)
    writeFileSync(join(folder, 'in-turn.js'), inTurn.join(''))
    const SIGNING_KEY = readFileSync(keyFile('release'), 'utf8')
    const [, ...said] = runIn({ ...env, SIGNING_KEY }, ['in-turn.js']).split(/^# (.*)\n/m)
    for (const [index, name] of ALONE.entries()) {
      assert.equal(said[2 * index], name)
      printed.set(name, said[2 * index + 1] ?? '')
    }
  })

  test('links the page of every entry', () => {
    for (const { name, page } of LIBRARY_ENTRIES)
      assert.match(PAGE, new RegExp(`^\\| \`${name}\` \\| .*\\]\\(library/${page}\\.md\\)`, 'm'))
  })

  test('every example is a program, and imports what is exported', async () => {
    for (const name of sources) {
      const code = readFileSync(join(folder, name), 'utf8')
      const { warnings } = await transform(code, { loader: 'ts' })
      assert.deepEqual(warnings, [], name)
      for (const [, names = '', from = ''] of code.matchAll(
        /^import \{([^}]*)\} from '(rlp-bundle[^']*)'/gm,
      )) {
        const values = names
          .split(',')
          .map(word => word.trim())
          .filter(word => word !== '' && !word.startsWith('type '))
        const entry = EXPORTS.get(from)
        assert.ok(entry, `${name}: ${from}`)
        assert.deepEqual(
          values.filter(value => !(value in entry)),
          [],
          name,
        )
      }
    }
  })

  test('editors show examples that compile, and cite pages that are in the package', () => {
    assert.ok(EXAMPLES.length > 30, `${EXAMPLES.length} examples`)
    const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] }
    assert.ok(files.includes('docs'))
    const cited = HOVERS.flatMap(({ text }) => [...text.matchAll(/\b(?:docs\/)?[a-z-]+\.md\b/g)].map(String))
    assert.ok(cited.includes('docs/contract.md'))
    const pages = new Set(readdirSync('docs').map(page => `docs/${page}`))
    assert.deepEqual(
      cited.filter(page => page.startsWith('docs/') && !pages.has(page)),
      [],
    )
  })

  test('from a folder to a bundle', { skip: LATE }, () => {
    assert.equal(printed.get('flow.js'), '0 0 4 unsigned\n')
  })

  test('from memory', { skip: LATE }, () => {
    assert.equal(printed.get('memory.js'), "trusted [ 'given' ]\n")
  })

  test('by the small entry', { skip: LATE }, () => {
    assert.equal(printed.get('small.js'), '0.1.0 bin/mailer.wasm\n')
  })

  test('into a layout folder and out of it', { skip: LATE }, () => {
    assert.equal(printed.get('store.js'), '0.1.0 mailer-0.1.0.agent.bundle true\n')
  })

  test('over HTTP', { skip: LATE }, () => {
    assert.match(printed.get('served.js') ?? '', /^http:\/\/127\.0\.0\.1:\d+\/mcp\nCANCELLED\n$/)
  })

  test('with a signer of one’s own', { skip: LATE }, () => {
    assert.equal(printed.get('signer.js'), `${KEYS.release.anchor}\n`)
  })

  test('the programs of docs/interfaces.md compile, and do what they say', { skip: LATE }, () => {
    assert.equal(RECORD_EXAMPLES.length, 2)
    assert.match(
      printed.get('interfaces-0.js') ?? '',
      /^\d+ \[ 'user' \] \{"properties":\{"words":\{"type":"string"\}\}\}\n$/,
    )
    assert.match(printed.get('interfaces-1.js') ?? '', /^\[ 'hook_event' \] .*sometimes/)
  })

  test('a verdict does not depend on a home folder', () => {
    // With its policy the bundle would be policy_denied; the override would leave no tool, and the mark speaks of a newer version.
    const home = join(folder, 'hostile')
    mkdirSync(join(home, 'state'), { recursive: true, mode: 0o700 })
    mkdirSync(join(home, 'caps/overrides'), { recursive: true })
    writeFileSync(join(home, 'trust-policy.toml'), `[anchors]\nrelease = "${KEYS.release.anchor}"\n`)
    writeFileSync(join(home, 'caps/overrides/mailer.toml'), 'malformed')
    writeFileSync(join(home, 'state/mailer.json'), 'malformed')
    const code = `import { verifyBundle } from 'rlp-bundle'
const trustPolicy = { anchors: { a: process.env.RELEASE_KEY }, rules: { a: { allow_caps: 'any', allow_exec: true } } }
for (const more of [{}, { trustPolicy, state: false }, { trustPolicy, home: false }, { trustPolicy }])
  console.log((await verifyBundle('bundles/mailer.agent.bundle', { expect: 'mailer', ...more })).verdict)`
    writeFileSync(join(folder, 'homes.js'), code)
    const there = runIn({ ...env, RUNLOOP_HOME: home }, ['homes.js']).split('\n')
    assert.deepEqual(there, ['indeterminate', 'trusted', 'trusted', 'indeterminate', ''])
    if (IN_CI) assert.equal(runIn({ ...env, RUNLOOP_HOME: home }, ['memory.js']), printed.get('memory.js'))
  })

  test('reloading opens no handle and keeps no memory', () => {
    const code = `import { readdirSync } from 'node:fs'
import { loadBundle } from 'rlp-bundle'
const trustPolicy = { anchors: { a: process.env.RELEASE_KEY }, rules: { a: { allow_caps: 'any', allow_exec: true } } }
const handles = () => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0)
const measured = []
for (let round = 0; round < 4; round++) {
  for (let count = 0; count < 30; count++)
    await loadBundle('large.agent.bundle', { expect: 'large', trustPolicy, state: false })
  gc()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  measured.push({ handles: handles(), bytes: heapUsed + arrayBuffers })
}
console.log(JSON.stringify(measured))`
    writeFileSync(join(folder, 'reload.js'), code)
    const measured = JSON.parse(run('--expose-gc', 'reload.js')) as { handles: number; bytes: number }[]
    const [, warm, again, last] = measured
    assert.ok(warm && again && last)
    assert.equal(last.handles, warm.handles)
    // One copy of this bundle is 40 kB: thirty that are kept would be twice as much, in each round. One round may grow by what the engine compiles.
    const growth = Math.min(again.bytes - warm.bytes, last.bytes - again.bytes)
    assert.ok(growth < 600_000, JSON.stringify(measured))
  })

  // Last, because it changes the bundle and revokes its signer.
  test('a service that runs for long', { skip: LATE }, () => {
    const code = /```ts\n\/\/ service\.ts\n([\s\S]*?)```/.exec(PAGE)?.[1] ?? ''
    assert.ok(code.trimEnd().split('\n').length < 60)
    assert.deepEqual(run('service.js').trimEnd().split('\n'), [
      "text.echo { text: 'hello' }",
      'true',
      '0.2.0',
      'revoked false',
    ])
  })
})
