// `push` and `pull`, with Debian's registry on this machine, against `skopeo copy` between the same registry and a folder.
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startRegistry } from './debian-registry.ts'
import { freeBytes, settle } from './disk.ts'
import type { Context } from './group.ts'
import { makeAgent, makeLarge } from './inputs.ts'
import { alternate, type Contender } from './measure.ts'
import { run, versionOf } from './process.ts'
import { homeAt, peakOf, rlp } from './rlp.ts'
import { above, mb, memory, notMeasured, type Row, timesAsLong } from './row.ts'

const MEGABYTE = 1_000_000
/** Files of a bundle have at most so many. */
const PART_BYTES = 500 * MEGABYTE
const SIZES = { small: 0, travelling: 200, large: 1000 } as const
/** Each bundle as files, packed and stored, and one that was pulled. */
const ROOM_BYTES = 5000 * MEGABYTE
const TEXT_BYTES = 8000

const REACH = { pull: 1, push: 1.5, copy: 1.2, unchanged: 150, bytes: 130e6 }
const UNSIGNED = '--allow-unsigned'

export async function measureRegistry(context: Context): Promise<Row[]> {
  const { folder, rounds } = context
  const what = 'push and pull of 200 MB'
  for (const tool of ['docker-registry', 'skopeo'])
    if ((await versionOf(tool)) === undefined) return [notMeasured(what, `no ${tool}`)]
  if (freeBytes(folder) < ROOM_BYTES) return [notMeasured(what, `less than ${mb(ROOM_BYTES)} free`)]

  const registry = await startRegistry(folder)
  try {
    const bundles = await makeAll(context)
    const [at, forSkopeo] = [`oci://${registry.host}/bench/`, `docker://${registry.host}/bench`]
    const push = (bundle: string) => ['agent', 'push', bundle, at, UNSIGNED]
    const pull = (name: string) => ['agent', 'pull', `${at}${name}:1.0.0`, '--out-dir', out, UNSIGNED]
    const [out, copied] = [join(folder, 'out'), join(folder, 'copied')]
    const policy = join(folder, 'policy.json')
    writeFileSync(policy, '{"default":[{"type":"insecureAcceptAnything"}]}')
    const skopeo = (...args: string[]) =>
      run('skopeo', ['--policy', policy, 'copy', '--quiet', ...args], {
        env: homeAt(join(folder, 'no-home')),
      })
    const fetch = () => skopeo('--src-tls-verify=false', `${forSkopeo}/travelling:1.0.0`, `dir:${copied}`)
    const send = () => skopeo('--dest-tls-verify=false', `dir:${kept}`, `${forSkopeo}/travelling:1.0.0`)
    const kept = join(folder, 'kept')
    for (const bundle of Object.values(bundles)) await rlp(context, push(bundle))
    await skopeo('--src-tls-verify=false', `${forSkopeo}/travelling:1.0.0`, `dir:${kept}`)
    const empty = join(folder, 'empty.js')
    writeFileSync(empty, '')

    const installed = join(folder, 'installed')
    const install = (name: string) => [
      ...['agent', 'install', `${at}${name}:1.0.0`, '--root', join(installed, 'agents'), UNSIGNED, '--yes'],
    ]
    const installedPeak = async (name: string) => {
      const peak = await peakOf(context, [...install(name), '--force'], join(installed, 'home'))
      rmSync(installed, { recursive: true })
      return peak
    }
    const peaks = {
      travelling: await pulledPeak(context, out, pull('travelling')),
      large: await pulledPeak(context, out, pull('large')),
      installed: await installedPeak('travelling'),
      largeInstalled: await installedPeak('large'),
    }
    const away = (work: Contender['work']): Contender => ({
      work,
      async before() {
        for (const path of [out, copied]) rmSync(path, { recursive: true, force: true })
        await settle(folder)
      },
    })
    const pulls = await alternate(rounds, {
      pull: away(() => rlp(context, pull('travelling'))),
      skopeo: away(fetch),
      synced: away(async () => {
        await fetch()
        for (const name of readdirSync(copied)) await run('sync', [join(copied, name)])
      }),
    })
    const unchanged = await alternate(rounds, {
      small: () => rlp(context, push(bundles.small)),
      large: () => rlp(context, push(bundles.travelling)),
      node: () => run(process.execPath, [empty]),
      hashes: () => run('sha256sum', [bundles.travelling]),
    })
    const nothing = (work: Contender['work']): Contender => ({
      work,
      async before() {
        registry.forget()
        await settle(folder)
      },
    })
    const pushes = await alternate(rounds, {
      push: nothing(() => rlp(context, push(bundles.travelling))),
      skopeo: nothing(send),
    })
    // From a layout folder: the registry holds nothing of it yet.
    const layout = join(folder, 'layout')
    await rlp(context, ['agent', 'push', bundles.travelling, `oci-layout:${layout}`, UNSIGNED])
    const copies = await alternate(rounds, {
      copy: nothing(() => rlp(context, ['agent', 'copy', `oci-layout:${layout}:1.0.0`, at])),
      skopeo: nothing(() =>
        skopeo('--dest-tls-verify=false', `oci:${layout}:1.0.0`, `${forSkopeo}/travelling:1.0.0`),
      ),
    })
    const toPull = { what: 'pull and verify of 200 MB', own: pulls.pull }
    return [
      timesAsLong({ ...toPull, other: pulls.skopeo, name: 'skopeo copy' }, REACH.pull),
      timesAsLong({ ...toPull, other: pulls.synced, name: 'skopeo copy, sync' }),
      memory('pull of 200 MB: memory', peaks.travelling, REACH.bytes),
      memory('pull of 1 GB: memory', peaks.large, REACH.bytes),
      memory('install of 200 MB: memory', peaks.installed, REACH.bytes),
      memory('install of 1 GB: memory', peaks.largeInstalled, REACH.bytes),
      timesAsLong(
        { what: 'push of 200 MB', own: pushes.push, other: pushes.skopeo, name: 'skopeo copy' },
        REACH.push,
      ),
      timesAsLong(
        { what: 'copy of 200 MB', own: copies.copy, other: copies.skopeo, name: 'skopeo copy' },
        REACH.copy,
      ),
      above(
        {
          what: 'push of what is there: small',
          own: unchanged.small,
          other: unchanged.node,
          name: 'node, empty file',
        },
        REACH.unchanged,
      ),
      timesAsLong({
        what: 'push of what is there: 200 MB',
        own: unchanged.large,
        other: unchanged.hashes,
        name: 'sha256sum of it',
      }),
    ]
  } finally {
    registry.stop()
  }
}

type Bundles = Readonly<Record<keyof typeof SIZES, string>>

async function makeAll(context: Context): Promise<Bundles> {
  const made: Record<string, string> = {}
  for (const [name, megabytes] of Object.entries(SIZES)) {
    const text = 'text of a page\n'.repeat(TEXT_BYTES / 15)
    const agent = makeAgent(context.folder, { name, files: { 'README.md': text } })
    for (let left = megabytes * MEGABYTE, index = 0; left > 0; left -= PART_BYTES, index++)
      makeLarge(join(agent, `part${index}.bin`), Math.min(left, PART_BYTES), index + 1)
    await rlp(context, ['agent', 'digest', agent])
    const bundle = join(context.folder, `${name}-1.0.0.agent.bundle`)
    await rlp(context, ['agent', 'pack', agent, '--out', bundle])
    rmSync(agent, { recursive: true })
    made[name] = bundle
  }
  return made as Bundles
}

async function pulledPeak(context: Context, out: string, args: readonly string[]): Promise<number> {
  rmSync(out, { recursive: true, force: true })
  return peakOf(context, args)
}
