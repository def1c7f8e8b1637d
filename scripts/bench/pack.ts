// `pack` of a middling agent, against `mcpb pack` and `npm pack` of the same files.
import { cpSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { writes } from './disk.ts'
import type { Context } from './group.ts'
import { makeAgent } from './inputs.ts'
import { MCPB, mcpbVersion, writeMcpbManifest } from './mcpb.ts'
import { alternate } from './measure.ts'
import { type Runtime, runtimes } from './nodes.ts'
import { writeLikely, writeRandom } from './parts.ts'
import { run, versionOf } from './process.ts'
import { rlp } from './rlp.ts'
import { asFast, notMeasured, type Row } from './row.ts'

/** What is packed. */
interface Sample {
  readonly name: string
  readonly what: string
  readonly write: (agent: string) => void
  readonly least?: number
  /** Whether it is also compressed, by the Node that runs this: that takes as long on every one. */
  readonly isCompressed?: true
}

const SAMPLES: readonly Sample[] = [
  { name: 'middling', what: '200 files, 20 MB', write: writeLikely, least: 8, isCompressed: true },
  { name: 'random', what: '200 files, random', write: writeRandom },
]

interface Tools {
  readonly mcpb: boolean
  readonly npm: boolean
}

export async function measurePack(context: Context): Promise<Row[]> {
  const tools = { mcpb: mcpbVersion() !== undefined, npm: (await versionOf('npm')) !== undefined }
  const rows: Row[] = []
  for (const sample of SAMPLES) rows.push(...(await measureSample(sample, context, tools)))
  return rows
}

async function measureSample(sample: Sample, context: Context, tools: Tools): Promise<Row[]> {
  const { name } = sample
  const agent = makeAgent(context.folder, { name })
  sample.write(agent)
  await rlp(context, ['agent', 'digest', agent])
  // A copy: what the others need to find there would be two files more for us.
  const source = join(context.folder, 'theirs', name)
  cpSync(agent, source, { recursive: true })
  writeFileSync(join(source, 'package.json'), JSON.stringify({ name, version: '1.0.0' }))
  writeMcpbManifest(source, name, `bin/${name}.wasm`)
  const rows: Row[] = []
  for (const runtime of runtimes()) rows.push(...(await measureOn(runtime, sample, context, tools)))
  return rows
}

async function measureOn(
  { name, path }: Runtime,
  sample: Sample,
  context: Context,
  tools: Tools,
): Promise<Row[]> {
  const { folder, rounds } = context
  const agent = join(folder, sample.name)
  const theirs = join(folder, 'theirs')
  const source = join(theirs, sample.name)
  const bundle = `${agent}.agent.bundle`
  const zip = `${source}.mcpb`
  const tarball = `${source}-1.0.0.tgz`
  const pack = (out: string, ...options: string[]) =>
    writes(out, () => rlp(context, ['agent', 'pack', agent, '--out', out, ...options], undefined, path))
  const withGzip = sample.isCompressed && path === process.execPath
  const found = await alternate(rounds, {
    rlp: pack(bundle),
    gzip: withGzip ? pack(`${bundle}.gz`, '--gzip') : undefined,
    mcpb: tools.mcpb ? writes(zip, () => run(path, [MCPB, 'pack', source, zip])) : undefined,
    npm: tools.npm ? writes(tarball, () => packWithNpm(path, source, theirs)) : undefined,
  })
  const rows = (command: string, own: number, least?: number) =>
    (['mcpb', 'npm'] as const).map((tool): Row => {
      const what = `${command} of ${sample.what}, ${name}`
      const other = found[tool]
      if (Number.isNaN(other)) return notMeasured(what, `no ${tool}`)
      return asFast({ what, own, other, name: `${tool} pack` }, least)
    })
  return [...rows('pack', found.rlp, sample.least), ...(withGzip ? rows('pack --gzip', found.gzip) : [])]
}

/** By this Node, without a cache and without network. */
function packWithNpm(node: string, source: string, target: string): Promise<string> {
  const args = ['pack', '--ignore-scripts', '--pack-destination', target]
  const env = {
    PATH: `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}`,
    HOME: target,
    npm_config_cache: join(target, 'npm-cache'),
    npm_config_update_notifier: 'false',
    npm_config_offline: 'true',
  }
  return run('npm', args, { cwd: source, env })
}
