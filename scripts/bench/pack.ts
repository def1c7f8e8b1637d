// `pack` of a middling agent, against `mcpb pack` and `npm pack` of the same files.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writes } from './disk.ts'
import type { Context } from './group.ts'
import { makeAgent, makeLarge } from './inputs.ts'
import { MCPB, mcpbVersion, writeMcpbManifest } from './mcpb.ts'
import { alternate } from './measure.ts'
import { run, versionOf } from './process.ts'
import { rlp } from './rlp.ts'
import { asFast, notMeasured, type Row } from './row.ts'

const FILES = 200
const FILE_BYTES = 100_000
const LEAST = 8
const WHAT = '200 files, 20 MB'

/** An npm that reaches for nobody's cache and no network. */
function npmAt(folder: string): Readonly<Record<string, string>> {
  return {
    HOME: folder,
    npm_config_cache: join(folder, 'npm-cache'),
    npm_config_update_notifier: 'false',
    npm_config_offline: 'true',
  }
}

export async function measurePack(context: Context): Promise<Row[]> {
  const { folder, rounds } = context
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

  const bundle = join(folder, 'middling.agent.bundle')
  const zip = join(theirs, 'middling.mcpb')
  const tarball = join(theirs, 'middling-1.0.0.tgz')
  const pack = ['agent', 'pack', agent, '--out']
  const hasMcpb = mcpbVersion() !== undefined
  const hasNpm = (await versionOf('npm')) !== undefined
  const found = await alternate(rounds, {
    rlp: writes(bundle, () => rlp(context, [...pack, bundle])),
    gzip: writes(`${bundle}.gz`, () => rlp(context, [...pack, `${bundle}.gz`, '--gzip'])),
    mcpb: hasMcpb ? writes(zip, () => run(process.execPath, [MCPB, 'pack', source, zip])) : undefined,
    npm: hasNpm ? writes(tarball, () => packWithNpm(source, theirs)) : undefined,
  })
  const rows = (what: string, own: number, least?: number) =>
    (['mcpb', 'npm'] as const).map((name): Row => {
      const other = found[name]
      if (Number.isNaN(other)) return notMeasured(`${what} of ${WHAT}`, `no ${name}`)
      return asFast({ what: `${what} of ${WHAT}`, own, other, name: `${name} pack` }, least)
    })
  return [...rows('pack', found.rlp, LEAST), ...rows('pack --gzip', found.gzip)]
}

function packWithNpm(source: string, target: string): Promise<string> {
  const args = ['pack', '--ignore-scripts', '--pack-destination', target]
  return run('npm', args, { cwd: source, env: npmAt(target) })
}
