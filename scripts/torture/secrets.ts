// Campaign 6a: a passphrase and two keys that can be recognised anywhere. They reach no output, no error, no file that is left and no
// command line, whatever goes right or wrong.
import { type ChildProcess, spawn } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentTree, bundleOf, writeTree } from '../../test/support/agent.ts'
import { run } from '../../test/support/fake-terminal.ts'
import { program as hostProgram } from '../../test/support/host.ts'
import { made, policyText, RELEASE } from '../../test/support/install-world.ts'
import type { Campaign, Session } from './campaign.ts'
import { program } from './program.ts'

/** Long and odd enough to be nothing else. */
const PASSPHRASE = 'canary-Passphrase-7f3a91'
const SEED = Buffer.from('9c1f5e0b7a42d8836b2ef01d4c97a65038bd1e7f24c6905ab3de8271f40c6bd2', 'hex')
const KEY = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), SEED]),
  format: 'der',
  type: 'pkcs8',
})
const PEM = KEY.export({ format: 'pem', type: 'pkcs8' }).toString()
/** Few rounds: how long a passphrase takes to try is not what is looked at here. */
const SEALED = KEY.export({
  format: 'pem',
  type: 'pkcs8',
  cipher: 'aes-256-cbc',
  passphrase: PASSPHRASE,
}).toString()
const BODY = PEM.split('\n')[1] ?? ''

/** What must not turn up, in every form that it could have. */
const CANARIES: readonly string[] = [
  PASSPHRASE,
  encodeURIComponent(PASSPHRASE),
  Buffer.from(PASSPHRASE).toString('base64').slice(0, 24),
  Buffer.from(PASSPHRASE).toString('hex'),
  // The first letters are the same in every key.
  BODY.slice(24, 44),
  BODY.slice(-20),
  SEED.toString('hex').slice(0, 24),
  SEED.toString('base64').slice(0, 20),
  SEED.toString('latin1').slice(0, 12),
]

function isTold(text: string): boolean {
  return CANARIES.some(canary => text.includes(canary))
}

interface Try {
  readonly id: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

const PASS = { RLP_KEY_PASSPHRASE: PASSPHRASE }
const ENV_KEY = { SIGNING_KEY: PEM }

/** What people do with keys, and what goes wrong when they do. */
const TRIES: readonly Try[] = [
  { id: 'sign with a key by name', args: ['agent', 'sign', 'b.bundle', '--key', 'sealed'], env: PASS },
  {
    id: 'sign with a key from the environment',
    args: ['agent', 'sign', 'b.bundle', '--key', 'env:SIGNING_KEY'],
    env: ENV_KEY,
  },
  {
    id: 'a wrong passphrase',
    args: ['agent', 'sign', 'b.bundle', '--key', 'sealed'],
    env: { RLP_KEY_PASSPHRASE: `${PASSPHRASE}x` },
  },
  { id: 'no passphrase', args: ['agent', 'sign', 'b.bundle', '--key', 'sealed'] },
  {
    id: 'a key in the environment that is cut off',
    args: ['agent', 'sign', 'b.bundle', '--key', 'env:SIGNING_KEY'],
    env: { SIGNING_KEY: PEM.slice(0, -30) },
  },
  {
    id: 'a key in the environment without its lines',
    args: ['agent', 'sign', 'b.bundle', '--key', 'env:SIGNING_KEY'],
    env: { SIGNING_KEY: BODY },
  },
  {
    id: 'two keys in the environment',
    args: ['agent', 'sign', 'b.bundle', '--key', 'env:SIGNING_KEY'],
    env: { SIGNING_KEY: PEM + PEM },
  },
  { id: 'the text of a key in place of its name', args: ['agent', 'sign', 'b.bundle', '--key', PEM] },
  {
    id: 'the text of a key on one line',
    args: ['agent', 'sign', 'b.bundle', '--key', PEM.replaceAll('\n', ' ')],
  },
  { id: 'the text of a key behind env:', args: ['agent', 'sign', 'b.bundle', '--key', `env:${PEM}`] },
  { id: 'only the middle of the text of a key', args: ['agent', 'sign', 'b.bundle', '--key', BODY] },
  { id: 'show the text of a key', args: ['key', 'show', PEM] },
  { id: 'trust the text of a key', args: ['trust', 'add', 'x', PEM] },
  { id: 'revoke the text of a key', args: ['trust', 'revoke', PEM] },
  { id: 'a key named by the text of one', args: ['key', 'generate', PEM, '--no-passphrase'] },
  { id: 'the text of a key as what to sign', args: ['agent', 'sign', PEM, '--key', 'sealed'], env: PASS },
  {
    id: 'the text of a key as a signature',
    args: ['agent', 'sign', 'b.bundle', '--key', 'open.pem', '--import-signature', 'open.pem'],
  },
  { id: 'show a key by name', args: ['key', 'show', 'sealed'], env: PASS },
  { id: 'show a key from a file', args: ['key', 'show', './open.pem'] },
  { id: 'show a key from the environment', args: ['key', 'show', 'env:SIGNING_KEY'], env: ENV_KEY },
  { id: 'a key that others can read', args: ['agent', 'sign', 'b.bundle', '--key', './readable.pem'] },
  { id: 'a key that is damaged', args: ['agent', 'sign', 'b.bundle', '--key', './damaged.pem'] },
  { id: 'trust a private key from a file', args: ['trust', 'add', 'x', './open.pem'] },
  { id: 'trust a sealed key', args: ['trust', 'add', 'y', 'sealed'], env: PASS },
  { id: 'a key in the place of a bundle', args: ['agent', 'verify', './open.pem', '--json'] },
  { id: 'a key in the place of a bundle to install', args: ['agent', 'install', './open.pem'] },
  {
    id: 'a key in the place of a policy',
    args: ['agent', 'verify', 'b.bundle', '--trust-policy', './open.pem'],
  },
  { id: 'a key in the place of an agent', args: ['agent', 'lint', './keyed'] },
  { id: 'a key in the place of the manifest, as JSON', args: ['agent', 'pack', './keyed', '--json'] },
  {
    id: 'what to sign outside',
    args: ['agent', 'sign', 'b.bundle', '--export-payload', 'out.bin'],
    env: { ...PASS, ...ENV_KEY },
  },
  {
    id: 'another command with all of it around',
    args: ['agent', 'verify', 'b.bundle'],
    env: { ...PASS, ...ENV_KEY },
  },
]

/** A tool that tells everything it was given, in every way that it could think of. */
const SPILL = {
  id: 'text.spill',
  description: 'Tells everything',
  secrets: ['runloop/mail/key'],
  result_schema: true,
  transport: { kind: 'exec', command: hostProgram('spill-secret.mjs'), args: ['{{input.status}}'] },
  input_schema: { type: 'object', properties: { status: { type: 'string' } }, required: ['status'] },
}
const SPILLING = made(
  {
    caps: `exec = [${JSON.stringify(SPILL.transport.command)}]\nsecrets = ["runloop/mail/key"]\n`,
    files: { 'tools.json': JSON.stringify({ version: 1, tools: [SPILL] }) },
  },
  RELEASE,
)
const spill = (status: string, ...more: string[]) => [
  ...['tool', 'call', 'text.spill', 'tools.bundle', '--args', JSON.stringify({ status })],
  ...['--trace', 'trace.jsonl', '--audit', 'audit.jsonl', ...more],
]
const GIVEN = { RUNLOOP_MAIL_KEY: PASSPHRASE }

/** The real derivation takes a while, and so do programs, so these are left out of the slice. */
const SLOW: readonly Try[] = [
  { id: 'a tool that tells its secret', args: spill('0'), env: GIVEN },
  { id: 'a tool that tells its secret and fails', args: spill('3'), env: GIVEN },
  { id: 'a tool that is not run', args: spill('0', '--dry-run'), env: GIVEN },
  { id: 'a tool whose secret is its argument', args: spill(PASSPHRASE), env: GIVEN },
  { id: 'a tool whose secret is not there', args: spill('0'), env: {} },
  { id: 'make a key', args: ['key', 'generate', 'made'], env: PASS },
  { id: 'make a key that is there', args: ['key', 'generate', 'sealed'], env: PASS },
  {
    id: 'make a key with a passphrase that is too long',
    args: ['key', 'generate', 'long'],
    env: { RLP_KEY_PASSPHRASE: PASSPHRASE.repeat(100) },
  },
]

export const campaign: Campaign = {
  name: 'secrets',
  summary: 'no passphrase and no key reaches output, errors, files or a command line',
  isEndless: false,
  async run(session) {
    const world = place(session)
    if (session.begin('control') && ![PASSPHRASE, PEM, `x${SEED.toString('hex')}y`].every(isTold))
      session.defect({ case: 'control', what: 'a secret would not be found' })
    const known = filesOf(world)
    for (const { id, args, env } of [...TRIES, ...(session.isSlice ? [] : SLOW)]) {
      for (const more of [[], ['--json']]) {
        const name = `${id}${more.length > 0 ? ', as JSON' : ''}`
        if (!session.begin(name, 'calls')) continue
        const { out, lines } = await call(
          session,
          world,
          [...args, ...more.filter(flag => !args.includes(flag))],
          env ?? {},
        )
        if (isTold(out)) session.defect({ case: name, what: 'a secret is in the output', input: out })
        // The command line that was typed holds it; no further process may.
        const typed = args.some(isTold)
        if (!typed && lines.some(isTold))
          session.defect({ case: name, what: `a secret is on a command line: ${lines.find(isTold)}` })
        for (const path of filesOf(world)) {
          if (known.includes(path)) continue
          if (isTold(readFileSync(join(world, path), 'latin1')))
            session.defect({ case: name, what: `a secret is in ${path}` })
        }
      }
    }
  },
}

function place({ folder }: Session): string {
  const cwd = join(folder, 'cwd')
  const keys = join(folder, 'home/keys')
  for (const path of [cwd, keys, join(folder, 'tmp')]) mkdirSync(path, { recursive: true, mode: 0o700 })
  writeFileSync(join(keys, 'sealed.pem'), SEALED, { mode: 0o600 })
  writeFileSync(join(cwd, 'open.pem'), PEM, { mode: 0o600 })
  writeFileSync(join(cwd, 'readable.pem'), PEM)
  chmodSync(join(cwd, 'readable.pem'), 0o644)
  writeFileSync(join(cwd, 'damaged.pem'), PEM.replace('MC4C', 'MC4D'), { mode: 0o600 })
  writeFileSync(join(cwd, 'b.bundle'), bundleOf(agentTree()))
  writeFileSync(join(cwd, 'tools.bundle'), SPILLING)
  writeFileSync(join(folder, 'home/trust-policy.toml'), policyText(), { mode: 0o600 })
  writeTree(join(cwd, 'keyed'), {
    ...agentTree(),
    'manifest.toml': PEM,
    'tools.json': PEM,
    'policy.caps': PEM,
  })
  return folder
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(path =>
    statSync(join(folder, path)).isFile(),
  )
}

interface Called {
  readonly out: string
  /** Command lines of the process and of all that it started. */
  readonly lines: readonly string[]
}

async function call(
  session: Session,
  world: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Called> {
  const cwd = join(world, 'cwd')
  if (session.isSlice) {
    process.env['RUNLOOP_HOME'] = join(world, 'home')
    const { stdout, stderr } = await run(args, undefined, { cwd, env })
    return { out: stdout + stderr, lines: [] }
  }
  const child = spawn(process.execPath, [...(await program()), ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      RUNLOOP_HOME: join(world, 'home'),
      TMPDIR: join(world, 'tmp'),
      NO_COLOR: '1',
      ...env,
    },
  })
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (out += chunk))
  const lines = new Set<string>()
  const watching = setInterval(() => {
    for (const line of commandLines(child)) lines.add(line)
  }, 2)
  await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  clearInterval(watching)
  return { out, lines: [...lines] }
}

function* commandLines({ pid }: ChildProcess): Generator<string> {
  const pending = [pid]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    try {
      yield readFileSync(`/proc/${next}/cmdline`, 'latin1').replaceAll('\0', ' ')
      const children = readFileSync(`/proc/${next}/task/${next}/children`, 'latin1')
      pending.push(...children.split(' ').filter(Boolean).map(Number))
    } catch {
      // Gone between one look and the next, or a system without /proc.
    }
  }
}
