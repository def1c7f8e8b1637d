// Signed bundles for tests, written without the code under test: envelope, statement and policy as docs/spec/signature.md and
// docs/spec/trust-policy.md say them, with room to say them wrongly.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { chmodSync, copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { outline } from '../../src/agent/read-in-turns.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import type { OverrideFile } from '../../src/model/override.ts'
import type { Report } from '../../src/model/report.ts'
import type { HighWaterMark, PolicySource, TrustContext } from '../../src/model/trust.ts'
import { readPolicySource } from '../../src/trust-policy/read-policy.ts'
import { type Verification, verify } from '../../src/verify/verify.ts'
import { type Expectation, readExpectation, referenceText } from '../../src/version/reference.ts'
import { agentTree, bundleOf, digestOf, type Tree } from './agent.ts'
import { ROOT } from './lint-fixtures.ts'

export const KEY_NAMES = ['release', 'security', 'second', 'dev', 'stranger'] as const
export type KeyName = (typeof KEY_NAMES)[number]

export interface TestKey {
  readonly name: string
  readonly private: KeyObject
  /** 32 bytes. */
  readonly raw: Buffer
  /** `ed25519:<base64>` */
  readonly anchor: string
}

function readKey(name: string): TestKey {
  return keyFrom(name, createPrivateKey(readFileSync(keyFile(name))))
}

/** The same key in every run, for one more signer. */
export function testKey(seed: number): TestKey {
  const head = Buffer.from('302e020100300506032b657004220420', 'hex')
  const der = Buffer.concat([head, Buffer.alloc(32, seed)])
  return keyFrom(`test-${seed}`, createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
}

function keyFrom(name: string, key: KeyObject): TestKey {
  const raw = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32)
  return { name, private: key, raw, anchor: `ed25519:${raw.toString('base64')}` }
}

/** Of a checkout: readable by others, which rlp refuses. */
export function keyFile(name: string, half: 'pem' | 'pub' = 'pem'): string {
  return join(ROOT, 'fixtures/keys', `test-only-${name}.${half}`)
}

export const KEYS = Object.fromEntries(KEY_NAMES.map(name => [name, readKey(name)])) as Record<
  KeyName,
  TestKey
>

/** The fixture keys below a RUNLOOP_HOME, as if they had been made there. */
export function installKeys(home: string): void {
  mkdirSync(join(home, 'keys'), { recursive: true, mode: 0o700 })
  for (const name of KEY_NAMES) {
    for (const half of ['pem', 'pub'] as const) {
      const path = join(home, 'keys', `${name}.${half}`)
      copyFileSync(keyFile(name, half), path)
      chmodSync(path, half === 'pem' ? 0o600 : 0o644)
    }
  }
}

export function preAuth(payload: Uint8Array, type = 'application/vnd.in-toto+json'): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${payload.length} `), payload])
}

/** Values by their path from the root, `signatures/0/sig`; undefined takes the member away. */
export type Edits = Readonly<Record<string, unknown>>

export interface TestEnvelope {
  payloadType: string
  payload: string
  signatures: { keyid: string; sig: string }[]
}

function edit(root: object, edits: Edits): void {
  for (const [path, value] of Object.entries(edits)) {
    const keys = path.split('/')
    const last = keys.pop() ?? ''
    let holder = root as Record<string, unknown>
    for (const key of keys) holder = holder[key] as Record<string, unknown>
    if (value === undefined) delete holder[last]
    else holder[last] = value
  }
}

export interface SignOptions {
  readonly notAfter?: string
  /** Changes of the statement before it is written. */
  readonly statement?: Edits
  /** Changes the written payload. */
  readonly payload?: (text: string) => string | Uint8Array
  /** Changes of the envelope before it is written. */
  readonly envelope?: Edits | ((envelope: TestEnvelope) => void)
  /** Changes the written envelope. */
  readonly text?: (text: string) => string | Uint8Array
}

/** What the signers of a tree state. */
export function statementOf(tree: Tree, { notAfter }: SignOptions = {}): object {
  const manifest = Buffer.from(tree['manifest.toml'] as string)
  const field = (key: string) => new RegExp(`^${key} = "(.*)"$`, 'm').exec(manifest.toString())?.[1]
  const variant = field('variant')
  const digest = { blake3: digestOf(manifest), sha256: createHash('sha256').update(manifest).digest('hex') }
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'manifest.toml', digest }],
    predicateType: 'urn:runloop:agent-bundle:v1',
    predicate: {
      agent: { name: field('name'), version: field('version'), ...(variant !== undefined && { variant }) },
      ...(notAfter !== undefined && { notAfter }),
    },
  }
}

/** SIGNATURES/manifest.sig of a tree. */
export function signatureFile(
  tree: Tree,
  keys: readonly TestKey[],
  options: SignOptions = {},
): string | Uint8Array {
  const said = statementOf(tree, options)
  edit(said, options.statement ?? {})
  const text = JSON.stringify(said)
  const payload = Buffer.from(options.payload?.(text) ?? text)
  const envelope = {
    payloadType: 'application/vnd.in-toto+json',
    payload: payload.toString('base64'),
    signatures: keys
      .map(key => ({ keyid: key.anchor, sig: sign(null, preAuth(payload), key.private).toString('base64') }))
      .sort((a, b) => (a.keyid < b.keyid ? -1 : 1)),
  }
  if (typeof options.envelope === 'function') options.envelope(envelope)
  else edit(envelope, options.envelope ?? {})
  const written = JSON.stringify(envelope)
  return options.text?.(written) ?? written
}

/** A tree with its signature. */
export function signed(tree: Tree, keys: readonly KeyName[] | KeyName, options: SignOptions = {}): Tree {
  const names = typeof keys === 'string' ? [keys] : keys
  return {
    ...tree,
    'SIGNATURES/manifest.sig': signatureFile(
      tree,
      names.map(name => KEYS[name]),
      options,
    ),
  }
}

/** A small agent that asks for something of every kind. */
export const ASKING = agentTree({
  name: 'mini',
  files: {
    'policy.caps':
      '[capabilities]\nkb_read = ["drafts"]\nnet = ["api.mail.example:443"]\nexec = ["/usr/bin/jq"]\n',
    'README.md': '# mini\n',
  },
})

/** Anchors `release`, `security`, `both` … as the test keys are called; the rule lets `release` grant all that {@link ASKING} asks. */
export const POLICY = `[anchors]
release = "${KEYS.release.anchor}"
security = "${KEYS.security.anchor}"
dev = { key = "${KEYS.dev.anchor}", allow_dev = true }

[rules]
release = { allow_caps = ["kb_read:drafts"], allow_net = ["api.mail.example:443"], allow_exec = true, agents = ["mini"] }
dev = { allow_caps = "any", allow_net = "any", allow_exec = true }
`

export function policySource(text: string, path = 'trust-policy.toml'): PolicySource {
  return readPolicySource(path, 'given', Buffer.from(text))
}

export interface JudgeOptions {
  /** Texts of trust policies; {@link POLICY} where absent. */
  readonly policies?: readonly string[]
  /** In place of texts. */
  readonly sources?: readonly PolicySource[]
  readonly allowDev?: boolean
  readonly allowUnsigned?: boolean
  readonly allowDowngrade?: boolean
  readonly expect?: string
  readonly now?: string
  readonly marks?: readonly HighWaterMark[]
  /** Whether it was installed signed before; where absent, the marks say so. */
  readonly wasSigned?: boolean
  /** Files that override policy.caps. */
  readonly overrides?: readonly OverrideFile[]
}

export function trustContext({
  policies = [POLICY],
  sources = policies.map((text, index) => policySource(text, `policy-${index + 1}.toml`)),
  allowDev = false,
  now,
  marks = [],
  wasSigned,
  overrides = [],
}: JudgeOptions = {}): TrustContext {
  return {
    policies: sources,
    allowDev,
    now: new Date(now ?? '2026-11-20T12:00:00Z'),
    marks: { marks, wasSigned: wasSigned ?? marks.length > 0 },
    overrides,
  }
}

export async function judge(
  source: Tree | Uint8Array | string,
  options: JudgeOptions = {},
): Promise<Verification> {
  const bytes = typeof source === 'string' || source instanceof Uint8Array ? source : bundleOf(source)
  const candidate = await readBundle(bytes, { keep: 'parsed' })
  const expect: Expectation | 'any' =
    (options.expect === undefined ? undefined : readExpectation(options.expect)) ?? 'any'
  const { allowUnsigned = false, allowDowngrade = false } = options
  const bundle = await outline(candidate)
  const { name = '', variant } = bundle.agent.manifest ?? {}
  const marks = options.marks?.filter(({ agent }) => agent === referenceText({ name, variant })) ?? []
  const trust = trustContext({ ...options, marks })
  return verify(bundle, { expect, allowUnsigned, allowDowngrade, trust })
}

/** The verdict and the word for what decided it. */
export function wordsOf({
  report,
}: {
  readonly report: Report
}): readonly [verdict: string, code: string | undefined] {
  return [report.verdict, report.reasons[0]?.code]
}
