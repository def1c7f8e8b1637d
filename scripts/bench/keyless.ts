// What a keyless signature costs beside one of a key: the first one of a process, a further one, and a further one beside the library that proves it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundleFromJSON } from '@sigstore/bundle'
import { TrustedRoot } from '@sigstore/protobuf-specs'
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify'
import { agentTree, bundleOf, digestOf } from '../../test/support/agent.ts'
import { JOB_ANCHOR } from '../../test/support/sigstore-world.ts'
import type { Context } from './group.ts'
import { makeSigned } from './inputs.ts'
import { alternate } from './measure.ts'
import { rlp } from './rlp.ts'
import { above, type Row, timesAsLong } from './row.ts'

const FIRST_MS = 150
const FURTHER_MS = 30
const AS_LONG = 1.3
/** Loads of one round. */
const LOADS = 20

type Library = typeof import('../../src/index.ts')

export async function measureKeyless(context: Context): Promise<Row[]> {
  const { folder, dist, rounds } = context
  const fixture = (name: string) => readFileSync(join('fixtures/keyless', `${name}.json`))
  mkdirSync(join(folder, 'keys'))
  const keyed = makeSigned(join(folder, 'keys'))
  const bundle = join(folder, 'mini-1.0.0.agent.bundle')
  const home = join(folder, 'home')
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(bundle, bundleOf(agentTree({ name: 'mini' })))
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
  const { loadBundle } = (await import(pathToFileURL(join(dist, 'library/index.js')).href)) as Library
  const material = toTrustMaterial(TrustedRoot.fromJSON(JSON.parse(fixture('root').toString())))
  const line = fixture('signature').toString()
  // From memory: what the file beside a bundle costs is not what is compared.
  const loads = (bytes: Buffer, home: string, attestations: Buffer | false) => async () => {
    for (let count = 0; count < LOADS; count++)
      await loadBundle(new Uint8Array(bytes), { expect: 'mini', home, attestations })
  }
  const further = await alternate(rounds, {
    keyless: loads(readFileSync(bundle), home, fixture('signature')),
    key: loads(keyed.bytes, keyed.home, false),
    library: () => {
      for (let count = 0; count < LOADS; count++)
        new Verifier(material).verify(toSignedEntity(bundleFromJSON(JSON.parse(line))))
    },
  })
  const each = {
    own: further.keyless / LOADS,
    other: further.key / LOADS,
    library: further.library / LOADS,
  }
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
