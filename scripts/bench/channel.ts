// Trust channels: how many requests an update makes of Debian's registry, and what a channel adds to `verify` beside a plain policy file.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { channelWith, pinOf, publish, withHeartbeat, withRelease } from '../../test/support/channel-world.ts'
import { made, policyText, RELEASE } from '../../test/support/install-world.ts'
import { type Counter, countRequests, startRegistry } from './debian-registry.ts'
import type { Context } from './group.ts'
import { alternate } from './measure.ts'
import { run, versionOf } from './process.ts'
import { rlp } from './rlp.ts'
import { above, notMeasured, type Row } from './row.ts'

const REACH = { same: 2, release: 6, verify: 3 }

export async function measureChannel(context: Context): Promise<Row[]> {
  const { folder, rounds } = context
  if ((await versionOf('docker-registry')) === undefined)
    return [notMeasured('trust update', 'no docker-registry')]
  const registry = await startRegistry(folder)
  const counter = await countRequests(registry.port)
  try {
    const reference = `oci://${counter.host}/trust/house`
    const now = new Date()
    const first = channelWith(policyText(), now)
    await publish(first, reference)
    const [plain, followed, empty] = ['plain', 'followed', 'empty.js'].map(name => join(folder, name)) as [
      string,
      string,
      string,
    ]
    for (const home of [plain, followed]) mkdirSync(home, { mode: 0o700 })
    writeFileSync(join(plain, 'trust-policy.toml'), policyText(), { mode: 0o600 })
    writeFileSync(empty, '')
    const bundle = join(folder, 'mini-1.0.0.agent.bundle')
    writeFileSync(bundle, made({}, RELEASE))
    await rlp(context, ['trust', 'follow', reference, '--root', pinOf(first)], followed)
    const update = () => rlp(context, ['trust', 'update'], followed)
    const same = await counted(counter, update)
    await publish(
      withHeartbeat(withRelease(first, `${policyText()}\n# newer\n`, now), new Date(now.getTime() + 1000)),
      reference,
    )
    const release = await counted(counter, update)
    const verify = (home: string) => () => rlp(context, ['agent', 'verify', bundle], home)
    const times = await alternate(rounds * 4, {
      followed: verify(followed),
      plain: verify(plain),
      node: () => run(process.execPath, [empty]),
    })
    return [
      requests('trust update, nothing new', same, REACH.same),
      requests('trust update, a new release', release, REACH.release),
      above(
        {
          what: 'verify with a channel',
          own: times.followed,
          other: times.plain,
          name: 'with a policy file',
        },
        REACH.verify,
      ),
    ]
  } finally {
    counter.stop()
    registry.stop()
  }
}

async function counted({ seen }: Counter, work: () => Promise<unknown>): Promise<number> {
  // A registry elsewhere is not asked whether it speaks http.
  const count = () => seen.requests - seen.settling
  const before = count()
  await work()
  return count() - before
}

function requests(what: string, count: number, reach: number): Row {
  return {
    what,
    rlp: `${count} requests`,
    against: '',
    result: '',
    reach: `<= ${reach}`,
    isMet: count <= reach,
  }
}
