// `pack` and `verify` of 1 GB, against `tar` and `b3sum` of the same bytes; and how much memory they hold.
import { join } from 'node:path'
import { freeBytes, settle, writes } from './disk.ts'
import type { Context } from './group.ts'
import { makeAgent, makeLarge } from './inputs.ts'
import { alternate } from './measure.ts'
import { run, versionOf } from './process.ts'
import { peakOf, rlp } from './rlp.ts'
import { mb, memory, notMeasured, type Row, timesAsLong } from './row.ts'

const PARTS = 4
const PART_BYTES = 250_000_000
/** The files, two bundles of them, and an archive of `tar`. */
const ROOM_BYTES = 4.2 * PARTS * PART_BYTES

const REACH = { pack: 1.2, verify: 1, bytes: 150e6 }

export async function measureLarge(context: Context): Promise<Row[]> {
  const { folder, rounds } = context
  const what = 'pack and verify of 1 GB'
  for (const tool of ['b3sum', 'tar'])
    if ((await versionOf(tool)) === undefined) return [notMeasured(what, `no ${tool}`)]
  if (freeBytes(folder) < ROOM_BYTES) return [notMeasured(what, `less than ${mb(ROOM_BYTES)} free`)]

  const agent = makeAgent(folder, { name: 'large' })
  const parts = Array.from({ length: PARTS }, (_, index) => join(agent, `part${index}.bin`))
  for (const [index, part] of parts.entries()) makeLarge(part, PART_BYTES, index + 1)
  await rlp(context, ['agent', 'digest', agent])
  const bundle = join(folder, 'large-1.0.0.agent.bundle')
  const packed = join(folder, 'packed.agent.bundle')
  const archive = join(folder, 'large.tar')
  const pack = (file: string) => ['agent', 'pack', agent, '--force', '--out', file]
  const verify = ['agent', 'verify', bundle, '--allow-unsigned']
  const peaks = { pack: await peakOf(context, pack(bundle)), verify: await peakOf(context, verify) }
  const tar = () => run('tar', ['cf', archive, '-C', folder, 'large'])
  const calm = (work: () => unknown) => ({ before: () => settle(folder), work })
  const found = await alternate(rounds, {
    pack: writes(packed, () => rlp(context, pack(packed))),
    verify: calm(() => rlp(context, verify)),
    write: writes(archive, tar),
    synced: writes(archive, async () => {
      await tar()
      await run('sync', [archive])
    }),
    b3sum: calm(() => run('b3sum', ['--num-threads', '1', ...parts])),
    // Into the memory of `tar`, and out of it into nothing: a pipe would cost it another copy.
    read: calm(() => run('tar', ['xOf', bundle], { isSilent: true })),
  })
  const toPack = { what: 'pack of 1 GB', own: found.pack }
  const toVerify = { what: 'verify of 1 GB', own: found.verify }
  return [
    timesAsLong({ ...toPack, other: found.write + found.b3sum, name: 'tar cf + b3sum' }, REACH.pack),
    timesAsLong({ ...toPack, other: found.synced + found.b3sum, name: 'tar cf, sync + b3sum' }),
    memory('pack of 1 GB: memory', peaks.pack, REACH.bytes),
    timesAsLong({ ...toVerify, other: found.read + found.b3sum, name: 'tar xOf + b3sum' }, REACH.verify),
    memory('verify of 1 GB: memory', peaks.verify, REACH.bytes),
  ]
}
