// Three people and a key of heartbeats with a folder of their own each, to publish a channel by the commands.
import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Ran, run } from './fake-terminal.ts'
import { PATH } from './host.ts'
import { KEYS, POLICY } from './trust-world.ts'

/** The seeds of the keys in channel-world.ts. */
const SEEDS = { ada: 61, alan: 62, grace: 63, beat: 64, stranger: 65, linus: 66 } as const

export const MORE_POLICY = `${POLICY}\n[revoked]\n"${KEYS.release.anchor}" = { reason = "laptop lost" }\n`

export interface Publishing {
  readonly cwd: string
  readonly home: string
  /** As a person sees it. */
  say(...args: readonly string[]): Promise<Ran>
  /** @returns the `result` of its envelope; it has to exit with 0 */
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any command
  good(...args: readonly string[]): Promise<any>
  /** It has to be refused. @returns its code and exit code, its message and hint */
  bad(...args: readonly string[]): Promise<{ readonly is: string; readonly says: string }>
  /** Writes the public halves of keys beside the policies: `ada.pub`. */
  publicKeys(...names: readonly (keyof typeof SEEDS)[]): void
  /** A channel `house` with root 1 and release 1, which two of three have signed, and a heartbeat. */
  complete(): Promise<void>
}

export function publishing(cwd: string): Publishing {
  const home = join(cwd, 'home')
  mkdirSync(join(home, 'keys'), { recursive: true, mode: 0o700 })
  for (const [name, seed] of Object.entries(SEEDS))
    writeFileSync(join(home, 'keys', `${name}.pem`), pem(seed), { mode: 0o600 })
  writeFileSync(join(cwd, 'policy.toml'), POLICY)
  writeFileSync(join(cwd, 'more.toml'), MORE_POLICY)
  const say = (...args: readonly string[]) => {
    process.env['RUNLOOP_HOME'] = home
    return run(['channel', ...args], undefined, { cwd, env: { PATH, RUNLOOP_HOME: home } })
  }
  const json = async (args: readonly string[]) => {
    const { exit, stdout, stderr } = await say(...args, '--json')
    return { exit, stderr, envelope: JSON.parse(stdout) }
  }
  const good = async (...args: readonly string[]) => {
    const { exit, envelope } = await json(args)
    assert.equal(exit, 0, `${args.join(' ')}: ${JSON.stringify(envelope)}`)
    return { ...envelope.result, warnings: envelope.warnings ?? [] }
  }
  return {
    ...{ cwd, home, say, good },
    async bad(...args) {
      const { exit, envelope } = await json(args)
      assert.equal(envelope.ok, false, args.join(' '))
      return { is: `${envelope.code} ${exit}`, says: `${envelope.message} | ${envelope.hint ?? ''}` }
    },
    publicKeys(...names) {
      for (const name of names) {
        const half = createPublicKey(pem(SEEDS[name])).export({ type: 'spki', format: 'pem' })
        writeFileSync(join(cwd, `${name}.pub`), half)
      }
    },
    async complete() {
      await good(...INIT)
      await good('release', 'house', 'policy.toml')
      await good('sign', 'house', '--key', 'ada', '--yes')
      await good('sign', 'house', '--key', 'alan', '--yes')
      await good('heartbeat', 'house', '--key', 'beat')
    },
  }
}

export const INIT: readonly string[] = [
  ...['init', 'house', '--name', 'house', '--key', 'ada', '--key', 'alan', '--key', 'grace'],
  ...['--threshold', '2', '--heartbeat-key', 'beat'],
]

function pem(seed: number): string {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, seed)])
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ type: 'pkcs8', format: 'pem' })
    .toString()
}
