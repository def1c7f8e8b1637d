// `digest` of one file of 256 MB, against `b3sum` with one thread.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { settle } from './disk.ts'
import type { Context } from './group.ts'
import { makeAgent, makeLarge } from './inputs.ts'
import { alternate } from './measure.ts'
import { CannotRun, run, versionOf } from './process.ts'
import { rlp } from './rlp.ts'
import { notMeasured, type Row, timesAsLong } from './row.ts'

const BYTES = 256_000_000
const MOST = 2

export async function measureDigest(context: Context): Promise<Row[]> {
  const { folder, rounds } = context
  const what = 'digest of one file of 256 MB'
  if ((await versionOf('b3sum')) === undefined) return [notMeasured(what, 'no b3sum')]
  const agent = makeAgent(folder, { name: 'one_large' })
  const manifest = join(agent, 'manifest.toml')
  const stale = readFileSync(manifest)
  const file = join(agent, 'model.bin')
  makeLarge(file, BYTES)
  const digest = () => rlp(context, ['agent', 'digest', agent])
  const b3sum = () => run('b3sum', ['--num-threads', '1', '--no-names', file])
  await digest()
  // Both hashed the file, and found the same.
  if (!readFileSync(manifest, 'utf8').includes((await b3sum()).trim()))
    throw new CannotRun('rlp agent digest and b3sum differ')
  const found = await alternate(rounds, {
    // The manifest as it was before: each run has a digest to write.
    digest: {
      before: async () => {
        writeFileSync(manifest, stale)
        await settle(folder)
      },
      work: digest,
    },
    b3sum,
  })
  const pair = { what, own: found.digest, other: found.b3sum }
  return [timesAsLong({ ...pair, name: 'b3sum --num-threads 1' }, MOST)]
}
