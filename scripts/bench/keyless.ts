// What a keyless signature costs beside one of a key: the first one of a process, a further one, and a further one beside the library that proves it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentTree, bundleOf, digestOf } from '../../test/support/agent.ts'
import { JOB_ANCHOR } from '../../test/support/sigstore-world.ts'
import type { Context } from './group.ts'
import { makeSigned } from './inputs.ts'
import { alternate, median, ROUNDS } from './measure.ts'
import { run } from './process.ts'
import { rlp } from './rlp.ts'
import { above, type Row, timesAsLong } from './row.ts'

const FIRST_MS = 150
const FURTHER_MS = 30
const AS_LONG = 1.3

export async function measureKeyless(context: Context): Promise<Row[]> {
  const { folder, dist, rounds } = context
  const fixture = (name: string) => readFileSync(join('fixtures/keyless', `${name}.json`))
  mkdirSync(join(folder, 'keys'))
  const tree = agentTree({ name: 'mini' })
  const keyed = makeSigned(join(folder, 'keys'), tree)
  const bundle = join(folder, 'mini-1.0.0.agent.bundle')
  const home = join(folder, 'home')
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(bundle, bundleOf(tree))
  writeFileSync(`${bundle}.intoto.jsonl`, fixture('signature'))
  writeFileSync(join(home, 'root.json'), fixture('root'))
  writeFileSync(
    join(home, 'trust-policy.toml'),
    `[anchors]
ci = { ${JOB_ANCHOR} }
[rules]
ci = { allow_caps = "any", allow_net = "any", allow_exec = true }
[sigstore]
trusted_root = { file = "root.json", blake3 = "${digestOf(fixture('root'))}" }
`,
    { mode: 0o600 },
  )
  const first = await alternate(rounds, {
    keyless: () => rlp(context, ['agent', 'verify', bundle], home),
    key: () => rlp(context, ['agent', 'verify', keyed.bundle], keyed.home),
  })
  const given = {
    dist,
    rounds: Math.max(rounds, ROUNDS),
    keyless: { bundle, home },
    keyed: { bundle: keyed.bundle, home: keyed.home },
    root: join(home, 'root.json'),
  }
  const printed = await run(process.execPath, [
    join(import.meta.dirname, 'keyless-loads.mjs'),
    JSON.stringify(given),
  ])
  const taken = JSON.parse(printed) as Readonly<Record<'keyless' | 'key' | 'library', readonly number[]>>
  const each = { own: median(taken.keyless), other: median(taken.key), library: median(taken.library) }
  return [
    above(
      { what: 'verify of a keyless bundle', own: first.keyless, other: first.key, name: 'of a key' },
      FIRST_MS,
    ),
    above(
      { what: 'a further one, in a process', own: each.own, other: each.other, name: 'of a key' },
      FURTHER_MS,
    ),
    timesAsLong(
      {
        what: 'what is above a key, in a process',
        own: each.own - each.other,
        other: each.library,
        name: '@sigstore/verify',
      },
      AS_LONG,
    ),
  ]
}
