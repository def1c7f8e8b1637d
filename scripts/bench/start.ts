// How long the command takes from nothing: whole processes, against `node` with an empty file and against `mcpb`.
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Context } from './group.ts'
import { makeAgent, makeSigned } from './inputs.ts'
import { MCPB, MCPB_VERIFY_EXITS, mcpbVersion, signedMcpb } from './mcpb.ts'
import { alternate } from './measure.ts'
import { type Runtime, runtimes } from './nodes.ts'
import { run } from './process.ts'
import { homeAt, programOf } from './rlp.ts'
import { above, asFast, notMeasured, type Row, timesAsLong } from './row.ts'

/** Node 20 takes long to start itself: a ratio there, milliseconds above it later. */
const REACH = {
  version: { ratio: 1.5, above: 20 },
  lint: { ratio: 1.8, above: undefined },
  verify: { ratio: 1.7, above: 40 },
} as const
const AS_FAST_AS_MCPB = 2

const WHAT = {
  version: '--version',
  lint: 'lint of a clean agent',
  verify: 'verify of a small signed bundle',
} as const
type Command = keyof typeof WHAT
type Theirs = 'version' | 'verify'

interface Inputs {
  readonly empty: string
  readonly home: string
  readonly program: string
  /** A second one, which is made to forget its compiled code. */
  readonly fresh: string
  readonly ours: Readonly<Record<Command, readonly string[]>>
  /** What it is called with; why not, where it cannot be. */
  readonly theirs: Readonly<Record<Theirs, readonly string[] | string>>
}

export async function measureStart({ folder, dist, rounds }: Context): Promise<Row[]> {
  const empty = join(folder, 'empty.js')
  writeFileSync(empty, '')
  const agent = makeAgent(folder, { files: { 'README.md': 'For the bench.\n' } })
  const { bundle, home } = makeSigned(folder)
  const ours = {
    version: ['--version'],
    lint: ['agent', 'lint', agent],
    verify: ['agent', 'verify', bundle],
  }
  const fresh = join(folder, 'fresh')
  cpSync(dirname(dist), fresh, { recursive: true, verbatimSymlinks: true })
  const inputs = {
    empty,
    home,
    program: programOf({ dist }),
    fresh: programOf({ dist: join(fresh, 'dist') }),
    ours,
    theirs: await argumentsOfMcpb(folder),
  }
  const rows: Row[] = []
  for (const runtime of runtimes()) rows.push(...(await measureOn(runtime, inputs, rounds)))
  return rows
}

async function argumentsOfMcpb(folder: string): Promise<Inputs['theirs']> {
  if (mcpbVersion() === undefined) return { version: 'no mcpb', verify: 'no mcpb' }
  const file = await signedMcpb(folder)
  return { version: ['--version'], verify: file === undefined ? 'no openssl to sign with' : ['verify', file] }
}

async function measureOn(
  { name, major, path }: Runtime,
  { empty, home, program, fresh, ours, theirs }: Inputs,
  rounds: number,
): Promise<Row[]> {
  const start = (args: readonly string[], exits: readonly number[] = [0]) =>
    run(path, args, { env: homeAt(home), exits })
  const { version, verify } = theirs
  const forget = () => rmSync(join(dirname(fresh), 'compiled'), { recursive: true, force: true })
  const found = await alternate(rounds, {
    node: () => start([empty]),
    version: () => start([program, ...ours.version]),
    lint: () => start([program, ...ours.lint]),
    verify: () => start([program, ...ours.verify]),
    // It compiles everything and leaves that behind for the next one.
    first: { work: () => start([fresh, ...ours.verify]), before: forget },
    'mcpb --version': typeof version === 'string' ? undefined : () => start([MCPB, ...version]),
    'mcpb verify': typeof verify === 'string' ? undefined : () => start([MCPB, ...verify], MCPB_VERIFY_EXITS),
  })
  const toNode = (what: Command): Row => {
    const label = `${WHAT[what]}, ${name}`
    const pair = { what: label, own: found[what], other: found.node, name: 'node, empty file' }
    const reach = REACH[what]
    if (major <= 20) return timesAsLong(pair, reach.ratio)
    return reach.above === undefined ? timesAsLong(pair) : above(pair, reach.above)
  }
  const toMcpb = (what: Theirs, other: 'mcpb --version' | 'mcpb verify'): Row => {
    const label = `${WHAT[what]}, ${name}`
    const why = theirs[what]
    if (typeof why === 'string') return notMeasured(label, why)
    return asFast({ what: label, own: found[what], other: found[other], name: other }, AS_FAST_AS_MCPB)
  }
  const first = {
    what: `the first verify ever, ${name}`,
    own: found.first,
    other: found.node,
    name: 'node, empty file',
  }
  return [
    ...(['version', 'lint', 'verify'] as const).map(toNode),
    above(first),
    toMcpb('version', 'mcpb --version'),
    toMcpb('verify', 'mcpb verify'),
  ]
}
