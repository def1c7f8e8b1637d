// What a pipeline without a key has: services of Sigstore on loopback, their trusted root and signing configs in files, a token, and bundles to sign.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { agentTree, bundleOf, digestOf, type Tree } from './agent.ts'
import { type Ran, run } from './fake-terminal.ts'
import { temporary } from './folder.ts'
import { type Claims, type SigstoreServices, startSigstore } from './sigstore-services.ts'

export const SIGNED_NAME = 'mini-1.0.0.agent.bundle'
/** Who {@link GITHUB_CLAIMS} are, in a trust policy. */
export const RELEASE_IDENTITY =
  'issuer = "https://token.actions.githubusercontent.com", repository_id = "123456789", owner_id = "42", workflow = ".github/workflows/release.yml", ref = "refs/tags/v*"'

export interface SigningWorld {
  readonly services: SigstoreServices
  /** A new folder with the bundle, `signing.json` for Rekor 1, `signing-2.json` for Rekor 2, and `home/` with a policy that trusts the release. */
  place(tree?: Tree): string
  /** `rlp agent sign --keyless` there, with a token in SIGSTORE_ID_TOKEN. */
  sign(cwd: string, args?: readonly string[], how?: SignHow): Promise<Ran>
  /** `rlp agent verify` there, under the policy. */
  verdict(cwd: string, ...args: readonly string[]): Promise<string>
}

export interface SignHow {
  readonly claims?: Claims
  readonly env?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly config?: 'signing.json' | 'signing-2.json'
}

/** Starts before the tests of a file, and ends after them. */
export function signingWorld(name: string): SigningWorld {
  const folder = temporary(name)
  const world = {} as { services: SigstoreServices }
  before(async () => {
    world.services = await startSigstore()
  })
  after(() => world.services.close())
  return Object.assign(world, {
    place(tree: Tree = agentTree({ name: 'mini' })) {
      const cwd = folder('cwd')
      writeFileSync(join(cwd, SIGNED_NAME), bundleOf(tree))
      for (const [version, file] of [
        [1, 'signing.json'],
        [2, 'signing-2.json'],
      ] as const)
        writeFileSync(join(cwd, file), JSON.stringify(world.services.signingConfig(version)))
      const root = Buffer.from(JSON.stringify(world.services.root))
      mkdirSync(join(cwd, 'home'), { mode: 0o700 })
      writeFileSync(join(cwd, 'home/root.json'), root)
      const named = `[sigstore]\ntrusted_root = { file = "root.json", blake3 = "${digestOf(root)}" }`
      const rule = '{ allow_caps = "any", allow_net = "any", allow_exec = true }'
      const policy = `[anchors]\nci = { ${RELEASE_IDENTITY} }\n[rules]\nci = ${rule}\n${named}\n`
      writeFileSync(join(cwd, 'home/trust-policy.toml'), policy)
      return cwd
    },
    sign(cwd: string, args: readonly string[] = [SIGNED_NAME, '--yes'], how: SignHow = {}) {
      const { claims, signal, config = 'signing.json' } = how
      const told = how.env ?? { SIGSTORE_ID_TOKEN: world.services.token(claims) }
      const env = { RUNLOOP_HOME: join(cwd, 'home'), ...told }
      const given = ['agent', 'sign', ...args, '--keyless', '--signing-config', config]
      return run(given, undefined, { cwd, env, ...(signal && { signal }) })
    },
    async verdict(cwd: string, ...args: readonly string[]) {
      const policy = join(cwd, 'home/trust-policy.toml')
      const given = ['agent', 'verify', ...args, '--trust-policy', policy, '--json']
      const { stdout } = await run(given, undefined, { cwd })
      return JSON.parse(stdout).result.bundles[0].verdict
    },
  }) as SigningWorld
}
