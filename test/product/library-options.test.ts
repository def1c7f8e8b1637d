// Each option of a command has a counterpart in the library, or a reason why the library leaves it out; and the other way. Each verb refuses
// options that it does not know.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { before, describe, test } from 'node:test'
import { REGISTRY } from '../../src/cli/commands.ts'
import type * as rlp from '../../src/index.ts'
import * as library from '../../src/index.ts'
import { SWITCHES, VERB_OPTIONS, type WrittenVerb } from '../../src/io/library/known-options.ts'
import { parametersOf } from '../../src/verb/verb.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { attestation, linesOf, PROVENANCE } from '../support/attested.ts'
import { callVerb } from '../support/every-verb.ts'
import { temporary } from '../support/folder.ts'
import { ASKING, KEYS, signed } from '../support/trust-world.ts'
import { DECLARED_VERBS, FUNCTION_OPTIONS } from '../support/verbs.ts'

const folder = temporary('library-options')
const EVIDENCE_POLICY = `[anchors]
release = "${KEYS.release.anchor}"
ci = { key = "${KEYS.second.anchor}", use = ["attest"] }
[rules]
release = { allow_caps = "any", allow_net = "any", allow_exec = true }
[require]
attestations = [{ type = "${PROVENANCE}", by = ["ci"] }]
`

interface Absent {
  readonly because: string
}

/** The compiler knows the options of the library: it refuses a name that is not among them. */
type Table<Options> = Readonly<Record<string, keyof Options | readonly (keyof Options)[] | Absent>>
/** Options that no command has, each with its reason; the compiler asks for those that are missing. */
type Rest<Options, Used> = { readonly [Name in Exclude<keyof Options, Used | keyof rlp.LongOptions>]: string }
type Used<T> = { [Name in keyof T]: T[Name] extends readonly (infer Each)[] ? Each : T[Name] }[keyof T]

/** Given last, so that both halves are checked against the options of the verb. */
const table =
  <Options>() =>
  <const T extends Table<Options>>(options: T, rest: Rest<Options, Used<T>>) => ({ options, rest })

const because = (because: string): Absent => ({ because })
const ASKS = because('the library never asks')
const RECORDS = because('the caller has the report, and records what it decides by it')
const SHOWS = because('how findings are shown; the caller has them as values')
const SHOWN = because('how results are shown; the caller has them as values')
const RECORDED = because('a case is recorded by the commands alone; callTool gives the answer')
const PAGE = {
  format: because('how the result is shown; the caller has it as values'),
  out: because('writes nothing: a page is made by commands alone'),
  force: because('writes nothing'),
}
const NAMES = because('names of agents are looked up by commands alone; the library takes paths')
const TRUST = {
  'trust-policy': 'trustPolicy',
  'allow-dev': 'allowDev',
  attestations: 'attestations',
} as const
const LOCK = { lock: 'lock', locked: because('lock names the file') } as const
const WHOLE_LOCKS = because('the library installs one bundle; all that locks name is for the command')
const WHERE = {
  home: 'a program may keep away from the home folder of its user, who a command acts for',
  state: 'as home',
  now: 'a command judges by the clock',
} as const
const READING = {
  label: 'bytes and streams have no name of their own',
  limits: 'a server may take smaller bundles only; a command takes the limits of the format',
} as const
const SESSION = {
  timeout: 'timeoutMs',
  'idle-timeout': 'idleMs',
  'secrets-from': 'secrets',
  'with-secrets': 'withSecrets',
  cwd: 'folder',
  sandbox: 'sandbox',
  audit: 'audit',
  trace: 'trace',
} as const
const { trace: _, ...UNTRACED } = SESSION
const OPENS = because('an option of loadBundle')
const SUMMARIZES = because('summarize is a function of its own')
const KEYLESS = {
  keyless: 'keyless',
  'identity-token': 'keyless',
  'signing-config': 'keyless',
  yes: because('who calls with keyless has decided'),
} as const

const VERBS = {
  'agent scaffold': table<rlp.ScaffoldOptions>()(
    {
      'non-interactive': ASKS,
      yes: ASKS,
      description: 'description',
      model: 'model',
      'model-secret': 'modelSecret',
      'cap-fs': 'fs',
      'cap-net': 'net',
      'cap-kb-read': 'kbRead',
      'cap-kb-write': 'kbWrite',
      root: 'root',
      opening: 'opening',
      'opening-path': 'opening',
      'opening-goal': 'opening',
      'opening-param': 'opening',
      force: 'force',
    },
    { tools: 'on the command line a tool is added afterwards, with rlp tool add' },
  ),
  'agent lint': table<rlp.LintOptions>()(
    {
      'agents-dir': NAMES,
      format: SHOWS,
      strict: because('counts.warnings is in the result'),
      'max-warnings': because('counts.warnings is in the result'),
      rule: 'rules',
      interfaces: 'interfaces',
      'show-suppressed': SHOWS,
      fix: 'fix',
      'dry-run': 'fix',
      rules: because('lists the rules; docs/rules.md has them'),
    },
    { now: 'a test of a program stops the clock' },
  ),
  'agent test': table<rlp.TestOptions>()(
    {
      'agents-dir': NAMES,
      yes: 'yes',
      format: SHOWN,
      record: RECORDED,
      args: RECORDED,
      name: RECORDED,
      ...SESSION,
    },
    { ledger: 'a command has one for all its calls' },
  ),
  'agent pack': table<rlp.PackOptions>()(
    {
      'agents-dir': NAMES,
      out: 'out',
      'out-dir': 'outDir',
      gzip: 'gzip',
      check: 'check',
      force: 'force',
      provenance: 'provenance',
      builder: 'provenance',
      source: 'provenance',
      revision: 'provenance',
      key: 'provenance',
      attest: 'provenance',
      time: 'provenance',
      keyless: 'provenance',
      'identity-token': 'provenance',
      'signing-config': 'provenance',
      yes: because('who calls with keyless has decided'),
    },
    {},
  ),
  'agent verify': table<rlp.VerifyBundleOptions>()(
    {
      audit: RECORDS,
      expect: 'expect',
      ...TRUST,
      ...LOCK,
      'allow-unsigned': 'allowUnsigned',
      root: NAMES,
      'bundles-from': because('the caller names the bundles'),
      null: because('the caller names the bundles'),
      format: SHOWS,
      since: because('the caller has the reports, and asks again for what has changed'),
      'since-key': because('the caller has the reports'),
      key: SUMMARIZES,
      keyless: SUMMARIZES,
      'identity-token': SUMMARIZES,
      'signing-config': SUMMARIZES,
      yes: SUMMARIZES,
      attest: SUMMARIZES,
      verifier: SUMMARIZES,
      resource: SUMMARIZES,
      time: SUMMARIZES,
    },
    { ...WHERE, ...READING },
  ),
  'agent sign': table<rlp.SignBundleOptions>()(
    {
      key: 'key',
      ...KEYLESS,
      'not-after': 'notAfter',
      renew: 'renew',
      expect: 'expect',
      'if-trusted': 'ifTrusted',
      'trust-policy': 'trustPolicy',
      lock: 'lock',
      audit: RECORDS,
      'export-payload': because('a signer outside is a Signer of the caller\u2019s own, as key'),
      'import-signature': because('a signer outside is a Signer of the caller\u2019s own, as key'),
    },
    { passphrase: 'the command asks for it', home: WHERE.home },
  ),
  'agent install': table<rlp.InstallOptions>()(
    {
      audit: RECORDS,
      root: 'root',
      yes: 'mayBegin',
      force: 'force',
      expect: 'expect',
      ...TRUST,
      ...LOCK,
      prune: WHOLE_LOCKS,
      'allow-prune-all': WHOLE_LOCKS,
      'allow-unsigned': 'allowUnsigned',
      'allow-downgrade': 'allowDowngrade',
      'allow-signer-change': 'allowSignerChange',
      'allow-caps-change': 'allowCapsChange',
      'dry-run': 'dryRun',
      unpack: 'unpack',
    },
    { home: WHERE.home, now: WHERE.now },
  ),
  'agent inspect': table<rlp.InspectOptions>()(
    {
      ...TRUST,
      ...PAGE,
      against: 'against',
      'signature-bundle': because('writes files for other programs: a program has the envelope in bytes()'),
      root: NAMES,
    },
    WHERE,
  ),
  'agent diff': table<rlp.CompareOptions>()({ ...TRUST, ...PAGE, root: NAMES }, WHERE),
  'tool import': table<rlp.ImportOptions>()(
    {
      from: 'from',
      out: 'out',
      force: 'force',
      'agents-dir': NAMES,
      'install-dir': 'installDir',
      'transport-from': 'run',
      command: 'run',
      url: 'run',
      method: 'run',
      header: 'run',
      fix: 'fix',
      'only-good': 'onlyGood',
      names: 'names',
      grant: 'grant',
      'dry-run': 'dryRun',
      'fail-on-loss': 'failOnLoss',
      'non-interactive': ASKS,
    },
    { agent: 'on the command line it is an argument', only: 'on the command line the names are arguments' },
  ),
  'tool export': table<rlp.ExportOptions>()(
    {
      to: 'to',
      api: 'api',
      namespace: 'namespace',
      out: 'out',
      names: 'names',
      force: 'force',
      'fail-on-loss': 'failOnLoss',
      expect: 'expect',
      ...TRUST,
      'allow-unsigned': 'allowUnsigned',
      root: NAMES,
    },
    { ids: 'on the command line the ids are arguments', ...WHERE },
  ),
  'tool call': table<rlp.CallOptions>()(
    {
      args: because('the third parameter'),
      'dry-run': 'dryRun',
      yes: 'confirm',
      ...SESSION,
      'trust-policy': OPENS,
      'allow-dev': OPENS,
      attestations: OPENS,
      root: NAMES,
      expect: OPENS,
      'allow-unsigned': OPENS,
      unverified: because('loadBundle hands out verified bundles alone'),
    },
    { ledger: 'a command makes one call' },
  ),
  'agent run': table<rlp.RunAgentOptions>()(
    {
      input: 'input',
      timeout: 'timeoutMs',
      'memory-mb': 'memoryMb',
      sandbox: 'sandbox',
      audit: 'audit',
      'trust-policy': OPENS,
      'allow-dev': OPENS,
      attestations: OPENS,
      root: NAMES,
      expect: OPENS,
      'allow-unsigned': OPENS,
      unverified: because('loadBundle hands out verified bundles alone'),
    },
    { args: 'on the command line they are arguments', output: 'a command has the streams of its process' },
  ),
  'tool serve': table<rlp.ServeOptions>()(
    {
      prefix: 'prefix',
      expect: 'expect',
      'trust-client-confirmation': 'trustClientConfirmation',
      'allow-unsigned': 'allowUnsigned',
      unverified: 'unverified',
      yes: 'yes',
      ...SESSION,
      ...TRUST,
      root: NAMES,
      http: 'http',
      'token-file': 'http',
      'token-variable': 'http',
    },
    {
      input: 'a command has the streams of its process',
      output: 'a command has the streams of its process',
      onTrouble: 'a command writes to standard error',
      name: 'a command is called rlp',
      ledger: 'a command runs one server',
      ...WHERE,
    },
  ),
  'agent dev': table<rlp.DevOptions>()(
    {
      'agents-dir': NAMES,
      test: 'test',
      yes: 'yes',
      'trust-client-confirmation': 'trustClientConfirmation',
      ...SESSION,
    },
    {
      input: 'a command has the streams of its process',
      output: 'a command has the streams of its process',
      onRound: 'a command writes to standard error',
      onTrouble: 'a command writes to standard error',
      ledger: 'a command runs one server',
    },
  ),
  'tool list': table<rlp.ListToolsOptions>()(
    {
      ...TRUST,
      expect: 'expect',
      'allow-unsigned': 'allowUnsigned',
      unverified: 'unverified',
      root: NAMES,
      table: SHOWS,
    },
    WHERE,
  ),
  'tool replay': table<rlp.ReplayOptions>()(
    {
      bundle: 'bundle',
      live: 'live',
      yes: 'confirm',
      ...UNTRACED,
      'trust-policy': OPENS,
      'allow-dev': OPENS,
      attestations: OPENS,
      expect: OPENS,
      'allow-unsigned': OPENS,
      unverified: because('loadBundle hands out verified bundles alone'),
      root: NAMES,
    },
    { ledger: 'a command has one for all its calls' },
  ),
  gate: table<rlp.GateOptions>()(
    {
      'trust-policy': 'trustPolicy',
      update: because('trustUpdate is a function of its own'),
      listen: 'listen',
      'token-file': 'listen',
      serve: 'listen',
      'serve-lock': 'listen',
      'serve-attestations': 'listen',
      audit: RECORDS,
    },
    { home: WHERE.home, state: WHERE.state, onDefect: 'a command writes to standard error' },
  ),
}

for (const [name, { options }] of Object.entries(VERBS)) {
  test(`${name}: each option is in the library, or says why not`, async () => {
    const { command } = (await REGISTRY.commands.find(entry => entry.name === name)?.load()) ?? {}
    assert.ok(command)
    const declared = Object.entries(command.options)
    // A refused option does nothing.
    const offered = declared.flatMap(([option, { type }]) => (type === 'refused' ? [] : [option]))
    assert.deepEqual(offered.sort(), Object.keys(options).sort())
  })
}

/** The compiler compares the names that are known at run time with those of the types, both ways. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never
interface Taken {
  readonly scaffold: rlp.ScaffoldOptions
  readonly testTools: rlp.TestOptions
  readonly lint: rlp.LintOptions
  readonly pack: rlp.PackOptions
  readonly sign: rlp.SignBundleOptions
  readonly verifyBundle: rlp.VerifyBundleOptions
  readonly loadBundle: rlp.VerifyBundleOptions
  readonly install: rlp.InstallOptions
  readonly inspect: rlp.InspectOptions
  readonly diff: rlp.CompareOptions
  readonly importTools: rlp.ImportOptions
  readonly exportTools: rlp.ExportOptions
  readonly callTool: rlp.CallOptions
  readonly runAgent: rlp.RunAgentOptions
  readonly serveTools: rlp.ServeOptions
  readonly countersign: rlp.CountersignOptions
  readonly listVersions: rlp.ListVersionsOptions
  readonly listTools: rlp.ListToolsOptions
  readonly replay: rlp.ReplayOptions
  readonly dev: rlp.DevOptions
  readonly openGate: rlp.GateOptions
}
/** Parameters before the options, and whether the compiler finds the names the same. */
const CALLS: {
  readonly [V in WrittenVerb]: {
    readonly before: number
    readonly same: Same<(typeof VERB_OPTIONS)[V][number], keyof Taken[V]>
  }
} = {
  scaffold: { before: 1, same: true },
  lint: { before: 1, same: true },
  pack: { before: 1, same: true },
  sign: { before: 1, same: true },
  verifyBundle: { before: 1, same: true },
  loadBundle: { before: 1, same: true },
  install: { before: 1, same: true },
  inspect: { before: 1, same: true },
  diff: { before: 2, same: true },
  importTools: { before: 1, same: true },
  exportTools: { before: 1, same: true },
  callTool: { before: 3, same: true },
  runAgent: { before: 1, same: true },
  serveTools: { before: 1, same: true },
  testTools: { before: 1, same: true },
  countersign: { before: 1, same: true },
  listVersions: { before: 1, same: true },
  listTools: { before: 1, same: true },
  replay: { before: 1, same: true },
  dev: { before: 1, same: true },
  openGate: { before: 0, same: true },
}

/** Functions that are written by hand, and those that are made of a declaration. */
const ALL_CALLS: readonly (readonly [name: string, before: number])[] = [
  ...Object.entries(CALLS).map(([name, { before }]) => [name, before] as const),
  ...DECLARED_VERBS.map(({ name, verb }) => [name, parametersOf(verb).length] as const),
]

/** Verbs of the library without options. */
const BARE = ['loadAgentcliTools', 'newLedger', 'toAgentcliContent']

test('the walk below knows every verb', () => {
  const verbs = Object.entries(library).flatMap(([name, value]) =>
    typeof value === 'function' && !/^class\b/.test(String(value)) ? [name] : [],
  )
  assert.deepEqual(verbs.sort(), [...ALL_CALLS.map(([name]) => name), ...BARE].sort())
})

for (const [verb, before] of ALL_CALLS) {
  const called = (options: unknown) =>
    callVerb(verb, [...Array.from({ length: before }, () => 'missing'), options])
  test(`${verb} refuses a misspelt option before it does anything`, async () => {
    const [known = ''] = FUNCTION_OPTIONS[verb]?.filter(option => option.length > 3) ?? []
    await assert.rejects(called({ [`${known}s`]: 'x' }), {
      code: 'USAGE',
      field: `${known}s`,
      message: `Cannot use the options of ${verb}: there is no "${known}s"`,
      hint: `Did you mean ${known}?`,
    })
    await assert.rejects(called(Object.create({ [`${known}s`]: 'x' })), {
      code: 'USAGE',
      message: `Cannot use the options of ${verb}: some members may come from a class or from another object`,
    })
    await assert.rejects(called('build'), { code: 'USAGE', message: /a string is no object/ })
  })
}

for (const [verb, { before }] of Object.entries(CALLS)) {
  const switches = VERB_OPTIONS[verb as WrittenVerb].filter(name => SWITCHES.includes(name))
  if (switches.length > 0)
    test(`${verb} refuses what is neither true nor false of ${switches.join(', ')}`, async () => {
      const missing = Array.from({ length: before }, () => 'missing')
      for (const name of switches)
        for (const value of [1, 0, 'false', null, []])
          await assert.rejects(callVerb(verb, [...missing, { [name]: value }]), {
            code: 'USAGE',
            field: name,
          })
    })
}

test('paths among the options begin in cwd', async () => {
  const cwd = folder('cwd')
  const tree = signed(ASKING, 'release')
  writeFileSync(join(cwd, 'mini-1.0.0.agent.bundle'), bundleOf(tree))
  writeFileSync(join(cwd, 'policy.toml'), EVIDENCE_POLICY, { mode: 0o600 })
  writeFileSync(join(cwd, 'evidence.jsonl'), linesOf(attestation(tree, [KEYS.second])))
  const named = { cwd, home: false, trustPolicy: 'policy.toml' } as const
  const verdict = async (more: object) =>
    (await library.inspect('mini-1.0.0.agent.bundle', { ...named, ...more })).report.verdict
  assert.equal(await verdict({}), 'untrusted')
  assert.equal(await verdict({ attestations: 'evidence.jsonl' }), 'trusted')
})

/** What each verb says of a bundle whose policy requires a statement: the verdict, where it gives one, or that it went on. */
const EVIDENCE_VERBS: Readonly<
  Record<string, (bundle: string, options: Required<Named>) => Promise<unknown>>
> = {
  verifyBundle: async (bundle, { cwd: _, ...options }) =>
    (await library.verifyBundle(bundle, { ...options, expect: 'mini' })).verdict,
  loadBundle: (bundle, { cwd: _, ...options }) => library.loadBundle(bundle, { ...options, expect: 'mini' }),
  install: (bundle, { cwd, trustPolicy, attestations }) =>
    library.install(bundle, {
      cwd,
      trustPolicy,
      attestations,
      home: join(cwd, 'home'),
      mayBegin: () => true,
    }),
  inspect: async (bundle, options) => (await library.inspect(bundle, options)).report.verdict,
  diff: async (bundle, options) => (await library.diff(bundle, bundle, options)).after.verdict,
  lockAdd: (bundle, options) => library.lockAdd([bundle], options),
  lockCheck: async (_, options) =>
    (await library.lockCheck({ ...options, lock: 'there.lock' })).agents[0]?.verdict,
  lockUpdate: (_, options) => library.lockUpdate({ ...options, lock: 'there.lock' }),
  sbom: async (bundle, options) => (await library.sbom(bundle, options)).report.verdict,
  summarize: (bundle, options) =>
    library.summarize(bundle, { ...options, verifier: 'https://a.example', resource: 'https://b.example' }),
  exportTools: (bundle, options) => library.exportTools(bundle, { ...options, to: 'mcp' }),
  serveTools: (bundle, options) =>
    library.serveTools([bundle], { ...options, input: Readable.from([]), output: () => {} }),
  listTools: (bundle, options) => library.listTools(bundle, options),
  listInstalled: async (_, options) =>
    (await library.listInstalled({ ...options, home: 'listed', root: 'root' })).agents[0]?.verdict,
  trustExplain: async (bundle, options) => (await library.trustExplain(bundle, options)).verdict,
  trustAdd: async (for_, { cwd, attestations }) => {
    const given = { cwd, home: 'home', policy: 'evidence.toml', for: for_, attestations, dryRun: true }
    return (await library.trustAdd('release', given)).bundles[0]?.verdict
  },
  pull: (_, options) => library.pull('oci-layout:store:1.0.0', { ...options, expect: 'mini', outDir: 'got' }),
}
type Named = Pick<rlp.CompareOptions, 'home' | 'trustPolicy' | 'attestations'> & { readonly cwd: string }

test('the walk below knows every verb that judges', () => {
  const judging = Object.entries(FUNCTION_OPTIONS).flatMap(([verb, options]) =>
    options.includes('attestations') ? [verb] : [],
  )
  assert.deepEqual(Object.keys(EVIDENCE_VERBS).sort(), judging.sort())
})

describe('a statement that a policy requires', () => {
  const cwd = folder('judged')
  const tree = signed(ASKING, 'release')
  const path = join(cwd, 'mini-1.0.0.agent.bundle')
  const lines = linesOf(attestation(tree, [KEYS.second]))
  before(async () => {
    writeFileSync(path, bundleOf(tree))
    writeFileSync(join(cwd, 'evidence.toml'), EVIDENCE_POLICY, { mode: 0o600 })
    await library.push(path, 'oci-layout:store', { cwd })
    const given = { cwd, home: false, trustPolicy: EVIDENCE_POLICY, attestations: lines } as const
    await library.lockAdd([path], { ...given, lock: 'there.lock' })
    await library.install(path, { ...given, home: 'listed', root: 'root', mayBegin: () => true })
  })
  for (const [verb, judge] of Object.entries(EVIDENCE_VERBS)) {
    test(`is taken by ${verb}, and missed without it`, async () => {
      const given = { cwd, home: false, trustPolicy: EVIDENCE_POLICY } as const
      const answer = async (attestations: Uint8Array | false) => {
        try {
          const said = await judge(path, { ...given, attestations })
          return typeof said === 'string' ? said : 'trusted'
        } catch (error) {
          return /: (untrusted): /.exec(String(error))?.[1] ?? String(error)
        }
      }
      assert.equal(await answer(false), 'untrusted')
      assert.equal(await answer(lines), 'trusted')
    })
  }
})

/** Objects among the options, with the names that the compiler knows, and a call that takes them. */
const NESTED: Readonly<
  Record<string, { readonly given: object; readonly call: (given: object) => Promise<unknown> }>
> = {
  opening: {
    given: { path: 'a.yaml', goal: 'g', param: 'p' } satisfies Required<rlp.OpeningGiven>,
    call: opening => library.scaffold('mini', { cwd: folder('nested'), opening }),
  },
  run: {
    given: { is: 'command', command: '/bin/cat' },
    call: run =>
      library.importTools('missing.json', { cwd: folder('nested'), out: 'out.json', run: run as never }),
  },
}

for (const [name, { given, call }] of Object.entries(NESTED)) {
  test(`a misspelt member of ${name} is refused, and known ones are not`, async () => {
    const refused = (error: unknown) => /Cannot use \w+: there is no/.test(String(error))
    await call(given).catch(error => assert.ok(!refused(error), String(error)))
    const [known = ''] = Object.keys(given).slice(-1)
    await assert.rejects(call({ ...given, [`${known}s`]: 'x' }), {
      code: 'USAGE',
      field: `${known}s`,
      message: `Cannot use ${name}: there is no "${known}s"`,
      hint: `Did you mean ${known}?`,
    })
  })
}

test('a misspelt lock refuses what loads without it, and a misspelt limit too', async () => {
  const bytes = bundleOf(agentTree())
  const judged = { expect: 'any', allowUnsigned: true, home: false } as const
  assert.equal((await library.loadBundle(bytes, judged)).report.verdict, 'unsigned')
  const misspelt: readonly [object, RegExp][] = [
    [{ ...judged, lokc: 'missing.lock' }, /Did you mean lock\?/],
    [{ ...judged, limits: { file: 1 } }, /Did you mean files\?/],
  ]
  for (const [options, hint] of misspelt)
    await assert.rejects(library.loadBundle(bytes, options as rlp.VerifyBundleOptions), {
      code: 'USAGE',
      hint,
    })
  const limits = { files: 1 } as rlp.Limits
  assert.equal((await library.verifyBundle(bytes, { ...judged, limits })).verdict, 'invalid')
})

/** Commands that are about this person and this terminal, or about the tool contract, which is an entry point of its own. */
const NO_VERBS = ['login', 'logout', 'doctor', 'completion', 'tool check-result']

test('every command is a verb, but those of a person and of the contract', () => {
  const names = REGISTRY.commands.map(({ name }) => name).filter(name => !NO_VERBS.includes(name))
  const declared = DECLARED_VERBS.flatMap(({ command }) => command?.name ?? [])
  assert.deepEqual([...Object.keys(VERBS), ...declared].sort(), names.sort())
})
