// `pack` of a middling agent, against `mcpb pack` and `npm pack` of the same files.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { writes } from './disk.ts'
import type { Context } from './group.ts'
import { makeAgent, makeLarge } from './inputs.ts'
import { MCPB, mcpbVersion, writeMcpbManifest } from './mcpb.ts'
import { alternate } from './measure.ts'
import { type Runtime, runtimes } from './nodes.ts'
import { run, versionOf } from './process.ts'
import { rlp } from './rlp.ts'
import { asFast, notMeasured, type Row } from './row.ts'

const FILES = 200
const FILE_BYTES = 100_000
const LEAST = 8
const WHAT = '200 files, 20 MB'

export async function measurePack(context: Context): Promise<Row[]> {
  const { folder } = context
  const agent = makeAgent(folder, { name: 'middling' })
  mkdirSync(join(agent, 'data'))
  for (let index = 0; index < FILES; index++)
    makeLarge(join(agent, 'data', `part${index}.bin`), FILE_BYTES, index + 1)
  await rlp(context, ['agent', 'digest', agent])
  const theirs = join(folder, 'theirs')
  // A copy: what the others need to find there would be two files more for us.
  const source = join(theirs, 'middling')
  cpSync(agent, source, { recursive: true })
  writeFileSync(join(source, 'package.json'), '{"name":"middling","version":"1.0.0"}')
  writeMcpbManifest(source, 'middling', 'bin/middling.wasm')
  const tools = { mcpb: mcpbVersion() !== undefined, npm: (await versionOf('npm')) !== undefined }
  const rows: Row[] = []
  for (const runtime of runtimes()) rows.push(...(await measureOn(runtime, context, agent, theirs, tools)))
  return rows
}

async function measureOn(
  { name, path }: Runtime,
  context: Context,
  agent: string,
  theirs: string,
  tools: { readonly mcpb: boolean; readonly npm: boolean },
): Promise<Row[]> {
  const { folder, rounds } = context
  const source = join(theirs, 'middling')
  const bundle = join(folder, 'middling.agent.bundle')
  const zip = join(theirs, 'middling.mcpb')
  const tarball = join(theirs, 'middling-1.0.0.tgz')
  const pack = (out: string, ...options: string[]) =>
    writes(out, () => rlp(context, ['agent', 'pack', agent, '--out', out, ...options], undefined, path))
  // Compressing takes as long on every Node.
  const withGzip = path === process.execPath
  const found = await alternate(rounds, {
    rlp: pack(bundle),
    gzip: withGzip ? pack(`${bundle}.gz`, '--gzip') : undefined,
    mcpb: tools.mcpb ? writes(zip, () => run(path, [MCPB, 'pack', source, zip])) : undefined,
    npm: tools.npm ? writes(tarball, () => packWithNpm(path, source, theirs)) : undefined,
  })
  const rows = (what: string, own: number, least?: number) =>
    (['mcpb', 'npm'] as const).map((tool): Row => {
      const label = `${what} of ${WHAT}, ${name}`
      const other = found[tool]
      if (Number.isNaN(other)) return notMeasured(label, `no ${tool}`)
      return asFast({ what: label, own, other, name: `${tool} pack` }, least)
    })
  return [...rows('pack', found.rlp, LEAST), ...(withGzip ? rows('pack --gzip', found.gzip) : [])]
}

/** By this Node, with nobody's cache and no network. */
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
