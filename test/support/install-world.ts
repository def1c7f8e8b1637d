// A home, a trust policy and bundles in a folder of their own, and the command run there: for tests of what gets installed.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Report } from '../../src/model/report.ts'
import type { AgentState } from '../../src/model/state.ts'
import { type AgentFacts, agentTree, bundleOf, type Tree } from './agent.ts'
import { run } from './fake-terminal.ts'
import { signedBundle, signer, type TestSigner } from './signed.ts'

export const RELEASE = signer(1)
export const REVIEW = signer(2)
export const OTHER = signer(3)
export const DEV = signer(4)
export const STRANGER = signer(5)

const ANY = '{ allow_caps = "any", allow_net = "any", allow_exec = true }'

/** Three anchors that may grant anything, one for development. `more` is put at the end. */
export function policyText(more = ''): string {
  return `[anchors]
release = "${RELEASE.anchor}"
review = "${REVIEW.anchor}"
other = "${OTHER.anchor}"
dev = { key = "${DEV.anchor}", allow_dev = true }

[rules]
release = ${ANY}
review = ${ANY}
other = ${ANY}
dev = ${ANY}
${more}`
}

/** What is in an envelope, of the members that tests ask for. */
export interface Envelope {
  readonly ok: boolean
  readonly code?: string
  readonly reason?: string
  readonly message?: string
  readonly hint?: string
  readonly result?: { readonly [member: string]: unknown } & { readonly bundles?: readonly Report[] }
  readonly [member: string]: unknown
}

export interface World {
  readonly cwd: string
  readonly home: string
  /** `$RUNLOOP_HOME/agents`. */
  readonly root: string
  /** Writes a bundle and gives its name. */
  put(name: string, bytes: Uint8Array): string
  policy(more?: string): void
  /** `rlp agent install … --json`. */
  install(...args: string[]): Promise<{ exit: number; envelope: Envelope }>
  /** Any command, with `--json`. */
  rlp(...args: string[]): Promise<{ exit: number; envelope: Envelope }>
  /** Any command, for people. */
  say(...args: string[]): ReturnType<typeof run>
  state(agent?: string): AgentState
}

/** Commands run in this process, so `$RUNLOOP_HOME` is set anew for each. */
export function world(cwd: string): World {
  const home = join(cwd, 'home')
  mkdirSync(home, { mode: 0o755 })
  const root = join(home, 'agents')
  const enter = (args: readonly string[]) => {
    process.env['RUNLOOP_HOME'] = home
    return run(args, undefined, { cwd, env: {} })
  }
  const asJson = async (...args: string[]) => {
    const { exit, stdout } = await enter([...args, '--json'])
    return { exit, envelope: JSON.parse(stdout) as Envelope }
  }
  const here: World = {
    cwd,
    home,
    root,
    put(name, bytes) {
      writeFileSync(join(cwd, name), bytes)
      return name
    },
    policy(more) {
      const path = join(home, 'trust-policy.toml')
      writeFileSync(path, policyText(more))
      chmodSync(path, 0o644)
    },
    install: (...args) => asJson('agent', 'install', ...args),
    rlp: asJson,
    say: (...args) => enter(args),
    state: (agent = 'mini') => JSON.parse(readFileSync(join(home, 'state', `${agent}.json`), 'utf8')),
  }
  here.policy()
  return here
}

/** A bundle of one agent in any version, signed or not. */
export function made(
  facts: AgentFacts & { readonly caps?: string } = {},
  ...signers: readonly TestSigner[]
): Buffer {
  const tree = madeTree(facts)
  return signers.length === 0 ? bundleOf(tree) : signedBundle(tree, ...signers)
}

export function madeTree({
  caps = '',
  files = {},
  ...facts
}: AgentFacts & { readonly caps?: string } = {}): Tree {
  return agentTree({ ...facts, files: { 'policy.caps': `[capabilities]\n${caps}`, ...files } })
}

/** Every file below a folder with its content, and nothing else about it. */
export function contents(folder: string): Record<string, string> {
  const all: Record<string, string> = {}
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const place = join(folder, path)
    if (statSync(place).isFile()) all[path] = readFileSync(place, 'latin1')
  }
  return all
}

/** What a command gave that has to succeed. */
export async function good(here: World, ...words: string[]): Promise<NonNullable<Envelope['result']>> {
  const ran = await here.rlp(...words)
  assert.equal(ran.exit, 0, `${words.join(' ')}: ${JSON.stringify(ran.envelope)}`)
  return ran.envelope.result ?? {}
}

export function lockOf(here: World): string {
  return readFileSync(join(here.cwd, 'rlp.lock'), 'utf8')
}

/** What is in the root, and what is remembered, but for where and when. */
export function outcome(here: World): { files: Record<string, string>; state: AgentState } {
  const { baselines, ...rest } = here.state()
  // What was there on the way depends on which of many came first.
  const state = { ...rest, baselines: baselines.slice(-1) }
  const text = JSON.stringify({ files: contents(here.root), state })
  return JSON.parse(text.replace(/"at":"[^"]*"/g, '"at":""').replaceAll(JSON.stringify(here.root), '"ROOT"'))
}

/** The same after undisturbed installs, one after the other. */
export async function undisturbed(cwd: string, bundles: readonly Uint8Array[], ...flags: string[]) {
  const here = world(cwd)
  for (const bytes of bundles) {
    const { envelope } = await here.install(here.put('b', bytes), '--yes', ...flags)
    assert.ok(envelope.ok, JSON.stringify(envelope))
  }
  return outcome(here)
}
