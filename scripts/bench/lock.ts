// `lock check` of a hundred agents, above a Node that does nothing.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from './group.ts'
import { makeBundles } from './inputs.ts'
import { alternate } from './measure.ts'
import { run } from './process.ts'
import { homeAt, rlp } from './rlp.ts'
import { above, type Row } from './row.ts'

const AGENTS = 100
const MOST_ABOVE = 400

export async function measureLock(context: Context): Promise<Row[]> {
  const { folder, rounds } = context
  const { home, folders } = makeBundles(folder, [AGENTS])
  const lock = join(folder, 'rlp.lock')
  const bundles = folders[0]?.path ?? ''
  await rlp(context, ['lock', 'add', bundles, '--lock', lock], home)
  const empty = join(folder, 'empty.js')
  writeFileSync(empty, '')
  const taken = await alternate(rounds, {
    own: () => rlp(context, ['lock', 'check', '--quiet', '--lock', lock], home),
    empty: () => run(process.execPath, [empty], { cwd: folder, env: homeAt(home) }),
  })
  return [
    above(
      { what: `lock check of ${AGENTS} agents`, own: taken.own, other: taken.empty, name: 'empty node' },
      MOST_ABOVE,
    ),
  ]
}
