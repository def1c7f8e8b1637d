// How fast bytes are hashed, packed and verified, against the tools that do one of these alone.
import { cpSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeAgent, makeLarge, RLP } from './inputs.ts'
import { alternate, peakOf, run, versionOf, WITH_PEAK } from './measure.ts'
import { mb, ms, type Row, times } from './table.ts'

const PEAK_BYTES = 150e6

/** `pack` of a middling agent, against `npm pack` and, where its command line is named, `mcpb pack` of the same files. */
export async function packRows(folder: string, mcpb: string | undefined): Promise<Row[]> {
  const agent = makeAgent(folder, { name: 'middling' })
  mkdirSync(join(agent, 'data'))
  for (let index = 0; index < 200; index++)
    makeLarge(join(agent, 'data', `part${index}.bin`), 100_000, index + 1)
  rlp(folder, 'agent', 'digest', agent)
  const bundle = join(folder, 'middling.agent.bundle')
  const theirs = join(folder, 'theirs')
  mkdirSync(theirs)
  // A copy: what the others need to find there would be one file more for us.
  const source = join(theirs, 'middling')
  cpSync(agent, source, { recursive: true })
  writeFileSync(join(source, 'package.json'), '{"name":"middling","version":"1.0.0"}')
  writeFileSync(
    join(source, 'manifest.json'),
    JSON.stringify({
      manifest_version: '0.2',
      name: 'middling',
      version: '1.0.0',
      description: 'For the bench',
      author: { name: 'bench' },
      server: {
        type: 'binary',
        entry_point: 'bin/middling.wasm',
        mcp_config: { command: 'bin/middling.wasm' },
      },
    }),
  )
  const others: Record<string, () => unknown> = {
    'npm pack': () => run('npm', ['pack', '--ignore-scripts', '--pack-destination', theirs], { cwd: source }),
  }
  if (mcpb !== undefined) {
    others['mcpb pack'] = () => run(process.execPath, [mcpb, 'pack', source, join(theirs, 'middling.mcpb')])
  }
  const ours = () => rlp(folder, 'agent', 'pack', agent, '--out', bundle, '--force')
  const found = await alternate<string>({ rlp: ours, ...others })
  return Object.keys(others).map(name => {
    const [time = Number.NaN, own = Number.NaN] = [found[name], found['rlp']]
    return {
      what: 'rlp agent pack, 200 files, 20 MB',
      rlp: ms(own),
      against: `${ms(time)} ${name}`,
      result: times(own / time),
      reach: '',
    }
  })
}

/** `digest` of one file of 256 MB, against `b3sum` with one thread. */
export async function digestRow(folder: string): Promise<Row> {
  const what = 'rlp agent digest --check, one file of 256 MB'
  if (versionOf('b3sum') === undefined) return skipped(what, 'b3sum')
  const agent = makeAgent(folder, { name: 'one_large' })
  const file = join(agent, 'model.bin')
  makeLarge(file, 256_000_000)
  rlp(folder, 'agent', 'digest', agent)
  const found = await alternate({
    rlp: () => rlp(folder, 'agent', 'digest', agent, '--check'),
    b3sum: () => run('b3sum', ['--num-threads', '1', file]),
  })
  const ratio = found.rlp / found.b3sum
  return {
    what,
    rlp: ms(found.rlp),
    against: `${ms(found.b3sum)} b3sum --num-threads 1`,
    result: times(ratio),
    reach: '<= 3x',
    isMet: ratio <= 3,
  }
}

/** `pack` and `verify` of 1 GB, against `tar cf` and `b3sum` of the same files; and how much memory they hold. */
export async function largeRows(folder: string): Promise<Row[]> {
  if (versionOf('b3sum') === undefined) return [skipped('rlp agent pack and verify, 1 GB', 'b3sum')]
  const agent = makeAgent(folder, { name: 'large' })
  const parts = [1, 2, 3, 4].map(index => join(agent, `part${index}.bin`))
  for (const [index, part] of parts.entries()) makeLarge(part, 250_000_000, index + 1)
  rlp(folder, 'agent', 'digest', agent)
  const bundle = join(folder, 'large-1.0.0.agent.bundle')
  const tar = join(folder, 'large.tar')
  const pack = ['agent', 'pack', agent, '--out', bundle, '--force']
  const verify = ['agent', 'verify', bundle, '--allow-unsigned']
  const peaks = { pack: peak(folder, pack), verify: peak(folder, verify) }
  const found = await alternate({
    pack: () => rlp(folder, ...pack),
    verify: () => rlp(folder, ...verify),
    tar: () => run('tar', ['cf', tar, agent]),
    b3sum: () => run('b3sum', ['--num-threads', '1', ...parts]),
  })
  const row = (what: 'pack' | 'verify', name: string, time: number): Row => ({
    what: `rlp agent ${what}, ${mb(statSync(bundle).size)}`,
    rlp: `${ms(found[what])}, ${mb(peaks[what])} at the peak`,
    against: `${ms(time)} ${name}`,
    result: times(found[what] / time),
    reach: `< ${mb(PEAK_BYTES)}`,
    isMet: peaks[what] < PEAK_BYTES,
  })
  const rows = [
    row('pack', 'tar cf, then b3sum', found.tar + found.b3sum),
    row('verify', 'b3sum --num-threads 1', found.b3sum),
  ]
  rmSync(tar)
  return rows
}

function rlp(cwd: string, ...args: string[]): string {
  return run(process.execPath, [RLP, ...args], { cwd, env: { RUNLOOP_HOME: join(cwd, 'no-home') } })
}

function peak(cwd: string, args: readonly string[]): number {
  const env = { RUNLOOP_HOME: join(cwd, 'no-home') }
  return peakOf(run(process.execPath, [...WITH_PEAK, RLP, ...args], { cwd, env }))
}

function skipped(what: string, tool: string): Row {
  return { what, rlp: '', against: '', result: `not measured: no ${tool}`, reach: '' }
}
