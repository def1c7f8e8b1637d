// Many at once at the same thing: each one's success is still there when all are done, and nothing else is.
import { spawn } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { anchorKeyOf } from '../../../src/sign/keys.ts'
import { anchorString } from '../../../src/signature/kinds/index.ts'
import { plainPem, readPem } from '../../../src/signature/pem.ts'
import { agentTree, bundleOf, writeTree } from '../../../test/support/agent.ts'
import { run } from '../../../test/support/fake-terminal.ts'
import { made, outcome, RELEASE, undisturbed, type World } from '../../../test/support/install-world.ts'
import { judge, wordsOf } from '../../../test/support/trust-world.ts'
import type { Session } from '../campaign.ts'
import { program } from '../program.ts'

export interface Ended {
  readonly exit: number | null
  readonly out: string
}

/** Starts all of them at once. In a slice they share this process, which is harder on locks and easier on the machine. */
export async function together(
  session: Session,
  here: World,
  commands: readonly (readonly string[])[],
): Promise<Ended[]> {
  process.env['RUNLOOP_HOME'] = here.home
  if (session.isSlice) {
    return Promise.all(
      commands.map(async args => {
        const { exit, stdout, stderr } = await run(args, undefined, { cwd: here.cwd })
        return { exit, out: stdout + stderr }
      }),
    )
  }
  const node = await program()
  return Promise.all(commands.map(args => started([...node, ...args], here)))
}

function started(args: readonly string[], { cwd, home }: World): Promise<Ended> {
  const env = { ...process.env, RUNLOOP_HOME: home, NO_COLOR: '1' }
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (out += chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', exit => resolve({ exit, out }))
  })
}

export interface Crowd {
  readonly name: string
  /** Runs `many` at once, and gives what is wrong afterwards. */
  run(session: Session, here: World, many: number): Promise<readonly string[]>
}

const LEFT = /\.rlp-|\.lock|rlp-lock|\.new$|staging/

export function left(folder: string): string[] {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(path => LEFT.test(path))
  return found.length === 0 ? [] : [`they left ${found.join(', ')}`]
}

/** Exit codes that were not among the expected ones. */
export function odd(ended: readonly Ended[], expected: readonly number[]): string[] {
  return ended
    .filter(({ exit }) => !expected.includes(exit ?? -1))
    .slice(0, 3)
    .map(({ exit, out }) => `one ended with ${exit}: ${out}`)
}

const key = (seed: number) => {
  const pkcs8 = Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    Buffer.alloc(32, seed + 10),
  ])
  const secret = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
  return { pem: plainPem(secret), anchor: anchorString(anchorKeyOf(secret)) }
}

export const CROWDS: readonly Crowd[] = [
  {
    name: 'digest',
    async run(session, here, many) {
      const tree = agentTree({ files: { 'README.md': '# x\n' } })
      const stale = String(tree['manifest.toml']).replace(/[0-9a-f]{64}/g, '0'.repeat(64))
      writeTree(join(here.cwd, 'mini'), { ...tree, 'manifest.toml': stale })
      const ended = await together(session, here, Array(many).fill(['agent', 'digest', 'mini']))
      const isRight = readFileSync(join(here.cwd, 'mini/manifest.toml'), 'utf8') === tree['manifest.toml']
      // Who comes second finds that the file has changed under it, and says so.
      const won = ended.some(({ exit }) => exit === 0) ? [] : ['none succeeded']
      return [...odd(ended, [0, 3]), ...won, ...(isRight ? [] : ['the manifest is wrong']), ...left(here.cwd)]
    },
  },
  {
    name: 'sign',
    async run(session, here, many) {
      // Twelve signers, so that there is room for all of them; the others sign a second time.
      const keys = Array.from({ length: Math.min(many, 12) }, (_, n) => ({ ...key(n), file: `${n}.pem` }))
      for (const { file, pem } of keys) writeFileSync(join(here.cwd, file), pem, { mode: 0o600 })
      const path = join(here.cwd, 'b.bundle')
      writeFileSync(path, bundleOf(agentTree()))
      const commands = Array.from({ length: many }, (_, n) => [
        'agent',
        'sign',
        'b.bundle',
        '--key',
        `./${keys[n % keys.length]?.file}`,
      ])
      const ended = await together(session, here, commands)
      const judged = await judge(readFileSync(path))
      const signers = judged.report.signatures.map(({ keyid }) => keyid)
      const lost = keys.filter(({ anchor }) => !signers.includes(anchor)).length
      const [word] = wordsOf(judged)
      return [
        ...odd(ended, [0]),
        ...(lost > 0 ? [`${lost} signatures are lost`] : []),
        ...(word === 'invalid' ? ['the bundle is invalid'] : []),
        ...left(here.cwd),
      ]
    },
  },
  {
    name: 'install',
    async run(session, here, many) {
      const bundles = Array.from({ length: many }, (_, n) => made({ version: `1.0.${n}` }, RELEASE))
      const commands = bundles.map((bytes, n) => [
        'agent',
        'install',
        here.put(`b${n}`, bytes),
        '--yes',
        '--json',
      ])
      const ended = await together(session, here, commands)
      const last = ended.at(-1)
      const expected = await undisturbed(sibling(here, 'install-alone'), bundles.slice(-1))
      process.env['RUNLOOP_HOME'] = here.home
      // Who comes late with an older version is told so; the newest has nothing against it.
      return [
        ...odd(ended, [0, 1]),
        ...(last?.exit === 0 ? [] : [`the newest was not installed: ${last?.out}`]),
        ...(isDeepStrictEqual(outcome(here), expected)
          ? []
          : ['what is there is not what the newest alone would be']),
        ...left(here.root),
      ]
    },
  },
  {
    name: 'install and uninstall',
    async run(session, here, many) {
      const bytes = made({ version: '1.0.0' }, RELEASE)
      here.put('b', bytes)
      const commands = Array.from({ length: many }, (_, n) =>
        n % 3 === 2 ? ['agent', 'uninstall', 'mini', '--yes'] : ['agent', 'install', 'b', '--yes'],
      )
      const ended = await together(session, here, commands)
      // Then once more by itself: whatever is there, it can be gone on from.
      const { envelope } = await here.install('b', '--yes')
      const expected = await undisturbed(sibling(here, 'both-alone'), [bytes])
      process.env['RUNLOOP_HOME'] = here.home
      return [
        ...odd(ended, [0, 2]),
        ...(envelope.ok ? [] : [`it cannot be installed any more: ${JSON.stringify(envelope)}`]),
        ...(isDeepStrictEqual(outcome(here), expected)
          ? []
          : ['what is there is not what one install alone would be']),
        ...left(here.root),
      ]
    },
  },
  {
    name: 'key generate',
    async run(session, here, many) {
      const ended = await together(
        session,
        here,
        Array(many).fill(['key', 'generate', 'one', '--no-passphrase', '--json']),
      )
      const won = ended.filter(({ exit }) => exit === 0)
      const pem = readFileSync(join(here.home, 'keys/one.pem'), 'utf8')
      const read = readPem(pem, undefined)
      const anchor = read.ok ? anchorString(anchorKeyOf(read.key)) : 'no key'
      const told = won.map(({ out }) => JSON.parse(out).result.anchor as string)
      return [
        ...odd(ended, [0, 2]),
        ...(won.length === 1 && told[0] === anchor
          ? []
          : [`${won.length} were told that they made ${told}, and ${anchor} is there`]),
        ...left(here.home),
      ]
    },
  },
  {
    name: 'trust add',
    async run(session, here, many) {
      const keys = Array.from({ length: many }, (_, n) => key(n))
      const commands = keys.map(({ anchor }, n) => ['trust', 'add', `s${n}`, anchor])
      const ended = await together(session, here, commands)
      const text = readFileSync(join(here.home, 'trust-policy.toml'), 'utf8')
      const lost = keys.filter(
        ({ anchor }, n) => ended[n]?.exit === 0 && !text.includes(`s${n} = "${anchor}"`),
      ).length
      const { exit } = await here.rlp('trust', 'list')
      return [
        ...odd(ended, [0, 2, 3]),
        ...(lost > 0 ? [`${lost} signers are lost`] : []),
        ...(exit === 0 ? [] : ['the policy cannot be read any more']),
        ...left(here.home),
      ]
    },
  },
]

function sibling(here: World, name: string): string {
  const path = join(here.cwd, '..', name)
  mkdirSync(path)
  chmodSync(path, 0o755)
  return path
}
