// The entry `rlp-bundle/verify`, as a service gets it that is bundled by esbuild: how large it is, what is not in it, and that it verifies.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { before, describe, test } from 'node:test'
import { type BuildOptions, build, type Metafile } from 'esbuild'
import { ENTRIES } from '../../scripts/entries.ts'
import * as entry from '../../src/library/generated/verify.ts'
import { agentTree, writeTree } from '../support/agent.ts'
import { builtProgram } from '../support/built.ts'
import { temporary } from '../support/folder.ts'
import * as library from '../support/library.ts'
import { signedBundle, signedTree, signer } from '../support/signed.ts'

/** What a service loads when it starts, minified. */
const MOST_BYTES = 250_000
/** With what it loads on demand, however rare: half of what the main entry has. */
const MOST_BYTES_IN_ALL = 700_000
const OPTIONS: BuildOptions = {
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'esm',
  splitting: true,
  write: false,
  metafile: true,
  logLevel: 'silent',
  outdir: 'out',
  external: ['@napi-rs/blake-hash'],
}
/** What no service needs that only verifies. */
const LEFT_OUT = [
  /^src\/registry\//,
  /^src\/scaffold\//,
  /^src\/inspect\//,
  /^src\/call\//,
  /^src\/sandbox\//,
  /^src\/net\//,
  /^node_modules\/@modelcontextprotocol\//,
  /^node_modules\/ajv\//,
]

const folder = temporary('verify-entry')('project')
const key = signer(7)
const POLICY = `[anchors]\nus = "${key.anchor}"\n[rules]\nus = { allow_caps = "any" }\n`
/** With an escape, which only the second of the parsers of TOML reads. */
const ESCAPED = POLICY.replace('"any"', '"\\u0061ny"')
const TREE = agentTree({ files: { 'README.md': '# mini\n' } })
const MANIFEST = String(TREE['manifest.toml'])

const PROGRAM = `import { readFileSync } from 'node:fs'
import { loadBundle, NotVerifiedError, type Report, type TrustPolicyTable, VERDICTS, verifyBundle } from 'rlp-bundle/verify'

const anchor = process.argv[2] ?? ''
const policy: TrustPolicyTable = { anchors: { us: anchor }, rules: { us: { allow_caps: 'any' } } }
const given = { expect: 'mini', home: false, trustPolicy: policy } as const
const bytes = readFileSync('mini.agent.bundle')
const said = ({ verdict, reasons }: Report) => [verdict, ...reasons.map(({ code }) => code)].join(' ')
const thrown = (error: unknown) => {
  const { code, message, hint } = error as { code: string; message: string; hint: string }
  return \`\${code}: \${message}. \${hint}\`
}
const flipped = Buffer.from(bytes)
const at = flipped.indexOf('# mini')
flipped[at] = (flipped[at] ?? 0) ^ 1
const verdicts = {
  bytes: said(await verifyBundle(bytes, given)),
  flipped: said(await verifyBundle(flipped, given)),
  'by a stranger': said(await verifyBundle(readFileSync('stranger.agent.bundle'), given)),
  'without a policy': said(await verifyBundle(bytes, { expect: 'mini', home: false })),
  'a file': said(await verifyBundle('mini.agent.bundle', given)),
  'an unpacked folder': said(await verifyBundle('unpacked', given)),
  'an escape in the manifest': said(await verifyBundle('escaped.agent.bundle', given)),
  'a policy by its path': said(await verifyBundle(bytes, { ...given, trustPolicy: 'policy.toml' })),
  'a policy as text': said(await verifyBundle(bytes, { ...given, trustPolicy: readFileSync('policy.toml', 'utf8') })),
  'a home': said(await verifyBundle(bytes, { expect: 'mini', home: 'home' })),
  'a lock that is missing': said(await verifyBundle(bytes, { ...given, lock: 'rlp.lock' })),
  'a reference': await verifyBundle('oci://registry.example/mini:1.0.0', given).then(said, thrown),
  'a layout folder': await loadBundle('oci-layout:store:1.0.0', given).then(({ agent }) => agent.name, thrown),
  loaded: await loadBundle(bytes, given).then(bundle => \`\${bundle.agent.name} \${Buffer.from(bundle.bytes('README.md'))}\`.trim()),
  'not loaded': await loadBundle(flipped, given).catch(error => error instanceof NotVerifiedError && error.verdict),
  exit: VERDICTS.trusted.exit,
}
console.log(JSON.stringify(verdicts))
`

let metafile: Metafile
let warnings: readonly unknown[]
let verdicts: Readonly<Record<string, unknown>>

before(async () => {
  // The package is what is bundled.
  builtProgram()
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  symlinkSync(resolve('.'), join(folder, 'node_modules/rlp-bundle'))
  writeTree(folder, {
    'app.ts': PROGRAM,
    'policy.toml': ESCAPED,
    'mini.agent.bundle': signedBundle(TREE, key),
    'stranger.agent.bundle': signedBundle(TREE, signer(8)),
    'escaped.agent.bundle': signedBundle(
      { ...TREE, 'manifest.toml': MANIFEST.replace('name = "mini"', 'name = "\\u006dini"') },
      key,
    ),
  })
  writeTree(join(folder, 'unpacked'), signedTree(TREE, [key]))
  writeTree(join(folder, 'home'), { 'trust-policy.toml': POLICY })
  const built = await build({
    ...OPTIONS,
    absWorkingDir: folder,
    entryPoints: ['app.ts'],
    outExtension: { '.js': '.mjs' },
  })
  assert.ok(built.metafile !== undefined)
  metafile = built.metafile
  warnings = built.warnings
  for (const { path, contents } of built.outputFiles ?? []) {
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, contents)
  }
  const said = execFileSync(process.execPath, ['out/app.mjs', key.anchor], { cwd: folder, encoding: 'utf8' })
  verdicts = JSON.parse(said) as typeof verdicts
})

/** Outputs that a file loads when it is loaded; with `import()` as well, if `late`. */
function reached({ outputs }: Metafile, entryPoint: string, late: boolean): string[] {
  const kinds = late ? ['import-statement', 'dynamic-import', 'require-call'] : ['import-statement']
  const [start] = Object.entries(outputs).find(([, { entryPoint: of }]) => of === entryPoint) ?? []
  assert.ok(start !== undefined)
  const found = new Set([start])
  for (const path of found)
    for (const { path: to, kind, external } of outputs[path]?.imports ?? [])
      if (!external && kinds.includes(kind)) found.add(to)
  return [...found]
}

function bytesOf({ outputs }: Metafile, paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0)
}

describe('rlp-bundle/verify, bundled by esbuild', () => {
  test('without a warning', () => assert.deepEqual(warnings, []))

  test('a service loads at most 250 kB when it starts', () => {
    const [first, all] = [false, true].map(late => bytesOf(metafile, reached(metafile, 'app.ts', late)))
    assert.ok(first !== undefined && all !== undefined)
    assert.ok(first <= MOST_BYTES, `${first} bytes`)
    assert.ok(all <= MOST_BYTES_IN_ALL, `${all} bytes with what is loaded on demand`)
    const inputs = (late: boolean) =>
      reached(metafile, 'app.ts', late)
        .flatMap(path => Object.keys(metafile.outputs[path]?.inputs ?? {}))
        .map(path => basename(path))
    assert.ok(inputs(true).includes('toml-eslint-parser.cjs'))
    assert.ok(
      !inputs(false).includes('toml-eslint-parser.cjs'),
      'the second parser of TOML is loaded on demand',
    )
    // No package of others that the main entry loads for a call.
    assert.deepEqual(
      inputs(true).filter(name => /^(?:ajv|mcp|tar)/.test(name)),
      [],
    )
    // What is loaded on demand is there, so that the first figure is not that of an empty program.
    assert.ok(first > 100_000 && all - first > 100_000, `${first} and ${all}`)
  })

  test('with no registry, scaffolding, page, call or sandbox, also on demand', async () => {
    const inputsOf = async (path: string) => {
      const { metafile } = await build({ ...OPTIONS, entryPoints: [path] })
      return Object.values(metafile?.outputs ?? {}).flatMap(({ inputs }) => Object.keys(inputs))
    }
    const main = await inputsOf(ENTRIES.index)
    for (const part of LEFT_OUT)
      assert.ok(
        main.some(path => part.test(path)),
        `${part} is in the main entry`,
      )
    const small = await inputsOf(ENTRIES.verify)
    assert.ok(small.includes('src/verify/verify.ts'))
    assert.deepEqual(
      small.filter(path => LEFT_OUT.some(part => part.test(path))),
      [],
    )
  })
})

describe('the bundled service', () => {
  const IS: Readonly<Record<string, unknown>> = {
    bytes: 'trusted',
    flipped: 'invalid manifest/digest-stale',
    'by a stranger': 'untrusted no_counted_signature',
    'without a policy': 'indeterminate no_trust_policy',
    'a file': 'trusted',
    'an unpacked folder': 'trusted',
    'an escape in the manifest': 'trusted',
    'a policy by its path': 'trusted',
    'a policy as text': 'trusted',
    'a home': 'trusted',
    'a lock that is missing': 'indeterminate lock_unusable',
    'a reference':
      'USAGE: Cannot verify "oci://registry.example/mini:1.0.0": rlp-bundle/verify opens no registry and no layout folder. Import it from \'rlp-bundle\', whose verifyBundle and loadBundle take references',
    'a layout folder':
      'USAGE: Cannot verify "oci-layout:store:1.0.0": rlp-bundle/verify opens no registry and no layout folder. Import it from \'rlp-bundle\', whose verifyBundle and loadBundle take references',
    loaded: 'mini # mini',
    'not loaded': 'invalid',
    exit: 0,
  }
  for (const [what, is] of Object.entries(IS)) test(what, () => assert.equal(verdicts[what], is))

  test('each answer is one of these', () =>
    assert.deepEqual(Object.keys(verdicts).sort(), Object.keys(IS).sort()))
})

test('what the small entry exports, the main entry exports too', () => {
  for (const name of Object.keys(entry)) assert.ok(name in library, name)
  assert.equal(entry.NotVerifiedError, library.NotVerifiedError)
})
