// Every verb of the library in one world of files: what it is given, and whether it waits for one of the caller's functions.

import { sign as signBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentTree, bundleOf, writeTree } from './agent.ts'
import type * as rlp from './library.ts'
import * as library from './library.ts'
import { writing } from './mcp.ts'
import { keep } from './put-back.ts'
import { writeParts } from './report-parts.ts'
import { IN_CI } from './runs.ts'
import { KEYS, type KeyName, POLICY, signed } from './trust-world.ts'

/** A tool that answers, one that wants a person's yes, and one that begins, says so in a file, and never ends. */
const SCHEMA = { type: 'object', properties: { mark: { type: 'string' } }, additionalProperties: false }
/** It starts in a tenth of the time that Node takes. */
const SHELL = '/bin/sh'
const script = (text: string) => ({
  kind: 'exec',
  command: SHELL,
  args: ['-c', text, 'sh', '{{input.mark}}'],
})
const tool = (id: string, text: string, more: object = {}) => ({
  id,
  description: id,
  transport: script(text),
  input_schema: { ...SCHEMA, required: ['mark'] },
  result_schema: true,
  'x-rlp': { stdin: true },
  ...more,
})
const TOOLS = [
  tool('say.mark', 'printf \'{"mark":"%s"}\' "$1"'),
  tool('ask.mark', 'printf ran > "$1"', { requires_confirmation: true }),
  tool('wait.mark', 'printf ran > "$1"; exec sleep 60'),
  tool('secret.mark', 'printf %s "$MAIL" | wc -c', { secrets: ['mail'] }),
]
const CASES = [{ tool: 'say.mark', arguments: { mark: 'x' }, answer: { mark: 'x' } }]
const FACES = [{ tool_id: 'ask.mark', interface_id: 'i', schema_version: '0.2.0', is_read_only: false }]
const FILES = {
  'README.md': '# mini\n',
  'policy.caps': `[capabilities]\nexec = [${JSON.stringify(SHELL)}]\nsecrets = ["mail"]\n`,
  'tools.json': JSON.stringify({ version: 1, tools: TOOLS }),
  'interfaces.json': JSON.stringify(FACES),
}
const tree = (version: string) => agentTree({ version, files: FILES })
export const BUNDLE: Buffer = bundleOf(signed(tree('1.0.0'), 'release'))
export const TRUST_POLICY: string = POLICY.replace('["kb_read:drafts"]', '"any"').replace(
  'allow_exec = false',
  'allow_exec = true',
)
const AGENTCLI = {
  tools: [
    { name: 'clock', description: 'Tell the time', command: ['/bin/date'], inputSchema: { type: 'object' } },
  ],
}

const QUESTIONS = `policies = ["edit.toml"]
[[question]]
name = "an agent of the signer"
agent = "mini"
version = "1.0.0"
signers = ["release"]
verdict = "trusted"
`

export interface Here {
  readonly cwd: string
  readonly loaded: rlp.LoadedBundle
  readonly key: rlp.Signer
  /** The root of the channel in `published`. */
  readonly pin: string
}

/** One folder with everything that the verbs below read, for many calls one after the other. */
export interface World {
  /** Closes what the calls before have opened, and returns the paths of the files and folders that they have written. */
  written(): Promise<string[]>
  /** The same folder as it was at first, with a key of its own. Closes and takes back what the calls before have opened and written. */
  fresh(): Promise<Here>
}

export async function makeWorld(cwd: string): Promise<World> {
  await writeWorld(cwd)
  const kept = keep(cwd)
  const loaded = await library.loadBundle(new Uint8Array(BUNDLE), {
    expect: 'mini',
    trustPolicy: TRUST_POLICY,
    home: false,
  })
  const { channel } = await library.channelStatus('oci-layout:published', { cwd, now: noon() })
  const written = async () => {
    await closeOpened()
    return kept.changed()
  }
  const fresh = async () => {
    await closeOpened()
    kept.putBack()
    return { cwd, loaded, key: signer('release'), pin: channel ?? '' }
  }
  return { written, fresh }
}

async function writeWorld(cwd: string): Promise<void> {
  mkdirSync(join(cwd, 'home'), { mode: 0o700 })
  writeFileSync(join(cwd, 'policy.toml'), TRUST_POLICY, { mode: 0o600 })
  writeFileSync(join(cwd, 'edit.toml'), POLICY, { mode: 0o600 })
  writeTree(join(cwd, 'mini'), tree('1.0.0'))
  writeTree(join(cwd, 'tested'), tree('1.0.0'))
  mkdirSync(join(cwd, 'tested/tests'))
  writeFileSync(join(cwd, 'tested/tests/say.json'), JSON.stringify({ cases: CASES }))
  mkdirSync(join(cwd, 'bare'))
  writeParts(cwd)
  writeFileSync(join(cwd, 'unsigned'), bundleOf(tree('1.0.0')))
  writeFileSync(join(cwd, 'signed'), BUNDLE)
  writeFileSync(join(cwd, 'next'), bundleOf(signed(tree('1.1.0'), 'release')))
  writeFileSync(join(cwd, 'foreign'), bundleOf(signed(tree('1.0.0'), 'stranger')))
  writeFileSync(join(cwd, 'agentcli.json'), JSON.stringify(AGENTCLI))
  const given = { cwd, home: false, trustPolicy: TRUST_POLICY } as const
  await library.push('signed', 'oci-layout:store', { cwd })
  await library.push('signed', 'oci-layout:attached', { cwd })
  const adding = { cwd, key: signer('second'), expect: 'mini@1.0.0' }
  await library.countersign('oci-layout:attached:1.0.0', adding)
  await makeChannel(cwd)
  writeFileSync(join(cwd, 'questions.toml'), QUESTIONS)
  mkdirSync(join(cwd, 'marked'), { mode: 0o700 })
  const marking = { cwd, home: 'marked', trustPolicy: TRUST_POLICY, expect: 'mini' } as const
  await library.install('signed', { ...marking, mayBegin: () => true })
  await library.lockAdd(['signed'], { ...given, lock: 'there.lock' })
  await library.install('signed', {
    cwd,
    home: 'own',
    root: 'root',
    trustPolicy: TRUST_POLICY,
    expect: 'mini',
    mayBegin: () => true,
  })
  const pem = KEYS.release.private.export({ type: 'pkcs8', format: 'pem' })
  writeFileSync(join(cwd, 'kept.pem'), pem, { mode: 0o600 })
  await library.keyImport('there', 'kept.pem', { cwd, home: 'home', passphrase: false })
  const loaded = await library.loadBundle(BUNDLE, { home: false, trustPolicy: TRUST_POLICY, expect: 'mini' })
  await library.callTool(loaded, 'say.mark', { mark: 'x' }, { cwd, trace: 'there.ndjson' })
}

/** The moment of everything in the channel. */
const noon = (hours = 0) => new Date(Date.UTC(2026, 10, 20, 12 + hours))
const house = () => ({
  name: 'house',
  threshold: 2,
  heartbeatKeys: [KEYS.dev.anchor],
  now: noon(),
  keys: [KEYS.release.anchor, KEYS.security.anchor, KEYS.second.anchor],
})

/** A channel with a release in `house`, published, and in `drafted` with another release without a signature. */
async function makeChannel(cwd: string): Promise<void> {
  const signed = async () => {
    for (const name of ['release', 'security'] as const)
      await library.channelSign('house', {
        cwd,
        home: 'home',
        key: signer(name),
        now: noon(),
        maySign: () => true,
      })
  }
  await library.channelInit('house', { cwd, ...house() })
  await library.channelRelease('house', 'policy.toml', { cwd, now: noon() })
  await signed()
  await library.channelHeartbeat('house', { cwd, home: 'home', key: signer('dev'), now: noon() })
  await library.channelPush('house', 'oci-layout:published', { cwd, home: 'home', now: noon() })
  await library.channelPull('oci-layout:published', 'drafted', { cwd, home: 'home', now: noon() })
  await library.channelRelease('drafted', 'edit.toml', { cwd, now: noon() })
  mkdirSync(join(cwd, 'following'), { mode: 0o700 })
  const { channel } = await library.channelStatus('house', { cwd, now: noon() })
  const following = { cwd, home: 'following', root: channel ?? '', now: noon() }
  await library.trustFollow('oci-layout:published', following)
}

export function signer(name: KeyName): rlp.Signer {
  return {
    key: { kind: 'ed25519', bytes: new Uint8Array(KEYS[name].raw) },
    sign: async message => new Uint8Array(signBytes(null, message, KEYS[name].private)),
  }
}

const tables = () => ({
  anchors: { release: KEYS.release.anchor },
  rules: { release: { allow_caps: 'any', allow_net: [], allow_exec: true, agents: ['mini'] } },
})

const EDITED = { home: 'home', policy: 'edit.toml' } as const

/** Verbs that write no file when they are called as below. */
export const READS: readonly string[] = [
  ...(['lint', 'digest', 'verifyBundle', 'loadBundle', 'listVersions', 'listInstalled'] as const),
  ...(['keyList', 'keyShow', 'capsShow', 'listTools', 'replay', 'dev'] as const),
  ...(['openGate', 'lockCheck', 'lockOutdated', 'lockList', 'inspect', 'diff'] as const),
  ...(['channelStatus', 'trustUpdate', 'trustStatus', 'trustList', 'trustExplain', 'trustTest'] as const),
  ...(['trustDiff', 'exportTools', 'serveTools', 'loadAgentcliTools'] as const),
]

/** What each verb is given: everything that it takes before its options, and these. Each call makes values of its own. */
export const EVERY_VERB: Readonly<Record<string, (here: Here) => readonly unknown[]>> = {
  scaffold: ({ cwd }) => [
    'fresh',
    { cwd, net: ['api.mail.example'], opening: { path: 'o.yaml', goal: 'sort the mail', param: 'mail' } },
  ],
  init: ({ cwd }) => ['bare', { cwd, name: 'bare', replace: true }],
  setVersion: ({ cwd }) => ['mini', 'patch', { cwd }],
  testTools: ({ cwd }) => ['tested', { cwd, yes: true, audit: new URL(`file://${cwd}/audit.ndjson`) }],
  lint: ({ cwd }) => [
    new URL(`file://${cwd}/mini`),
    { cwd, rules: { 'wasm/stub': 'error' }, now: new Date(0) },
  ],
  digest: ({ cwd }) => ['mini', { cwd, check: true }],
  pack: ({ cwd, key }) => ['mini', { cwd, provenance: { builder: 'https://ci.example/1', key } }],
  sign: ({ cwd, key }) => ['unsigned', { cwd, key }],
  verifyBundle: () => [
    new Uint8Array(BUNDLE),
    { expect: 'mini', trustPolicy: tables(), home: false, limits: { files: 20 } },
  ],
  loadBundle: () => [
    new Uint8Array(BUNDLE).buffer,
    { expect: 'mini', trustPolicy: new TextEncoder().encode(TRUST_POLICY), home: false },
  ],
  mergeReports: ({ cwd }) => [['part-1', 'part-2'], { cwd, out: 'merged' }],
  copy: ({ cwd }) => ['oci-layout:store:1.0.0', 'oci-layout:copied', { cwd }],
  detach: ({ cwd }) => ['oci-layout:attached:1.0.0', { cwd, by: KEYS.second.anchor, digests: [] }],
  push: ({ cwd }) => ['next', 'oci-layout:store', { cwd }],
  listVersions: ({ cwd }) => ['oci-layout:store', { cwd }],
  listInstalled: ({ cwd }) => [{ cwd, home: 'own', root: 'root', trustPolicy: tables() }],
  uninstall: ({ cwd }) => ['mini', { cwd, home: 'own', root: 'root' }],
  // Stretching a passphrase takes 0.4 s, and each verb is called six times.
  keyGenerate: ({ cwd }) => ['fresh', { cwd, home: 'home', passphrase: IN_CI ? 'long enough' : false }],
  keyImport: ({ cwd }) => [
    'kept',
    'kept.pem',
    { cwd, home: 'home', passphrase: false, oldPassphrase: () => '' },
  ],
  keyList: ({ cwd }) => [{ cwd, home: 'home' }],
  keyShow: ({ cwd }) => ['./kept.pem', { cwd, home: 'home' }],
  capsShow: ({ cwd }) => ['mini', { cwd, home: 'home' }],
  addTool: ({ cwd, loaded }) => ['mini', { ...toolOf(loaded), id: 'new.mark' }, { cwd, grant: true }],
  editTool: ({ cwd }) => ['mini', 'say.mark', { tags: ['one'] }, { cwd }],
  removeTools: ({ cwd }) => ['mini', ['say.mark'], { cwd }],
  listTools: ({ cwd }) => ['signed', { cwd, home: false, trustPolicy: tables(), expect: 'mini' }],
  replay: ({ cwd, loaded }) => ['there.ndjson', { cwd, bundle: loaded }],
  dev: ({ cwd }) => ['mini', { cwd, input: silence(), output: writing() }],
  openGate: ({ cwd }) => [{ cwd, home: false, trustPolicy: tables(), listen: { at: 'unix:gate' } }],
  pull: ({ cwd }) => [
    'oci-layout:store:1.0.0',
    { cwd, home: false, trustPolicy: tables(), expect: 'mini', outDir: new URL(`file://${cwd}/got`) },
  ],
  countersign: ({ cwd, key }) => ['oci-layout:store:1.0.0', { cwd, key: { ...key }, expect: 'mini@1.0.0' }],
  install: ({ cwd }) => [
    'signed',
    { cwd, home: 'home', trustPolicy: tables(), expect: 'mini', mayBegin: async () => true },
  ],
  lockAdd: ({ cwd }) => [['signed'], { cwd, home: false, trustPolicy: tables(), lock: 'a.lock' }],
  lockCheck: ({ cwd }) => [{ cwd, home: false, trustPolicy: tables(), lock: 'there.lock' }],
  lockUpdate: ({ cwd }) => [
    { cwd, home: false, trustPolicy: tables(), lock: 'there.lock', bundles: ['next'], allowCapsChange: true },
  ],
  lockRemove: ({ cwd }) => [['mini'], { cwd, lock: 'there.lock' }],
  lockOutdated: ({ cwd }) => [{ cwd, home: false, lock: 'there.lock' }],
  lockList: ({ cwd }) => [{ cwd, lock: 'there.lock' }],
  inspect: ({ cwd }) => [new URL(`file://${cwd}/signed`), { cwd, home: false, trustPolicy: 'policy.toml' }],
  diff: ({ cwd }) => [
    new URL(`file://${cwd}/signed`),
    new URL(`file://${cwd}/next`),
    { cwd, home: false, trustPolicy: tables() },
  ],
  sbom: ({ cwd, key }) => [
    'signed',
    { cwd, home: false, trustPolicy: tables(), expect: 'mini', key, time: '2026-01-01T00:00:00Z' },
  ],
  attest: ({ cwd, key }) => [
    'signed',
    { cwd, key, type: 'https://scan.example/v1', predicate: { findings: 0 } },
  ],
  provenance: ({ cwd, key }) => ['signed', { cwd, builder: 'https://ci.example/1', key }],
  summarize: ({ cwd, key }) => [
    'signed',
    {
      cwd,
      home: false,
      trustPolicy: tables(),
      expect: 'mini',
      key,
      time: '2026-01-01T00:00:00Z',
      verifier: 'https://ci.example/v',
      resource: 'https://r.example/mini',
    },
  ],
  trustAdd: ({ cwd }) => [
    'vendor',
    {
      ...EDITED,
      cwd,
      key: KEYS.stranger.anchor,
      for: 'foreign',
      mayGrant: async () => true,
    },
  ],
  trustRemove: ({ cwd }) => ['dev', { ...EDITED, cwd }],
  trustRevoke: ({ cwd }) => ['signed', { ...EDITED, cwd, reason: 'lost' }],
  trustGroup: ({ cwd }) => ['two', { ...EDITED, cwd, of: ['release', 'security'], atLeast: 2 }],
  trustRequire: ({ cwd }) => [{ ...EDITED, cwd, agents: ['mini'], signers: ['release'] }],
  trustFloor: ({ cwd }) => ['mini', '1.0.0', { ...EDITED, cwd }],
  channelInit: ({ cwd }) => ['begun', { cwd, ...house() }],
  channelRelease: ({ cwd }) => [
    new URL(`file://${cwd}/house`),
    new URL(`file://${cwd}/edit.toml`),
    { cwd, now: noon(), files: { 'other.toml': 'policy.toml' } },
  ],
  channelRotate: ({ cwd }) => ['house', { cwd, now: noon(), addKeys: [KEYS.stranger.anchor] }],
  channelSign: ({ cwd, key }) => [
    'drafted',
    { cwd, home: 'home', now: noon(), key, maySign: async () => true },
  ],
  channelHeartbeat: ({ cwd }) => ['house', { cwd, home: 'home', now: noon(1), key: signer('dev') }],
  channelStatus: ({ cwd }) => ['oci-layout:published', { cwd, now: noon() }],
  channelPush: ({ cwd }) => ['drafted', 'oci-layout:published', { cwd, home: 'home', now: noon() }],
  channelPull: ({ cwd }) => ['oci-layout:published', 'pulled', { cwd, home: 'home', now: noon() }],
  trustFollow: ({ cwd, pin }) => ['oci-layout:published', { cwd, home: 'home', root: pin, now: noon() }],
  trustUpdate: ({ cwd }) => [{ cwd, home: 'following', now: noon() }],
  trustStatus: ({ cwd }) => [{ cwd, home: 'following', now: noon() }],
  trustUnfollow: ({ cwd }) => ['published', { cwd, home: 'following', mayUnfollow: async () => true }],
  trustReset: ({ cwd }) => ['mini', { cwd, home: 'marked', to: '0.9.0', reason: 'a typing error' }],
  trustList: ({ cwd }) => [{ cwd, home: false, trustPolicy: tables() }],
  trustExplain: ({ cwd }) => [new URL(`file://${cwd}/signed`), { cwd, home: false, trustPolicy: tables() }],
  trustTest: ({ cwd }) => [new URL(`file://${cwd}/questions.toml`), { cwd, policy: tables() }],
  trustDiff: ({ cwd }) => ['edit.toml', tables(), { cwd }],
  importTools: ({ cwd }) => [
    'agentcli.json',
    {
      cwd,
      from: 'agentcli',
      out: 'imported.json',
      names: { clock: 'my.clock' },
      only: ['clock'],
      installDir: '/opt',
    },
  ],
  exportTools: ({ cwd }) => [
    'signed',
    { cwd, home: false, trustPolicy: tables(), to: 'openai', ids: ['ask.mark'], expect: 'mini' },
  ],
  callTool: ({ cwd, loaded }) => [
    loaded,
    'secret.mark',
    { mark: 'one' },
    { cwd, secrets: { mail: 'twelve chars' }, audit: new URL(`file://${cwd}/audit.ndjson`) },
  ],
  runAgent: ({ cwd, loaded }) => [
    loaded,
    { cwd, args: ['one'], input: 'two', output: () => {}, audit: new URL(`file://${cwd}/audit.ndjson`) },
  ],
  serveTools: ({ cwd }) => [
    ['signed'],
    { cwd, home: false, trustPolicy: tables(), expect: ['mini'], input: silence(), output: writing() },
  ],
  loadAgentcliTools: ({ cwd }) => [
    { text: new TextEncoder().encode(JSON.stringify(AGENTCLI)), directory: cwd },
  ],
}

function toolOf({ tools }: rlp.LoadedBundle): rlp.Tool {
  const [tool] = tools
  if (tool === undefined) throw new TypeError('it has tools')
  return tool
}

async function* silence(): AsyncGenerator<Uint8Array> {}

/** What verbs have opened and would go on: it is closed by {@link closeOpened}. */
const opened: { close(): Promise<void> }[] = []

/** What a function is given here. */
export function argumentsOf(name: string, here: Here): readonly unknown[] {
  const given = EVERY_VERB[name]
  if (given === undefined) throw new TypeError(`no arguments for ${name}`)
  return given(here)
}

/** Calls a verb with other options than those of the table. */
export async function callVerb(name: string, given: readonly unknown[], more: object = {}): Promise<unknown> {
  const verbs: Readonly<Record<string, unknown>> = { ...library }
  const verb = verbs[name] as (...given: readonly unknown[]) => Promise<unknown>
  const answer =
    Object.keys(more).length === 0
      ? await verb(...given)
      : await verb(...given.slice(0, -1), { ...(given.at(-1) as object), ...more })
  if (typeof answer === 'object' && answer !== null && 'close' in answer) opened.push(answer as never)
  return answer
}

export async function closeOpened(): Promise<void> {
  for (const one of opened.splice(0)) await one.close()
}
