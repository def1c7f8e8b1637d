// npm run hosts: many hosts follow one channel in Debian's registry; a key is revoked; eight processes update them all at once. Each must answer
// `revoked` afterwards, and none `trusted`. Exit 1 when one does not.
import { fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { addFollowed } from '../src/follow/followed-list.ts'
import { updateChannel } from '../src/follow/update-all.ts'
import { userPlaces } from '../src/io/channel-places.ts'
import { verifyBundle } from '../src/library/generated/index.ts'
import { readDigestText } from '../src/text/digest-text.ts'
import { channelWith, pinOf, publish, withHeartbeat, withRelease } from '../test/support/channel-world.ts'
import { made, policyText, RELEASE } from '../test/support/install-world.ts'
import { startRegistry } from './bench/debian-registry.ts'

const PROCESSES = 8
const { values, positionals } = parseArgs({
  options: { hosts: { type: 'string', default: '1000' } },
  allowPositionals: true,
})
const [role, ...rest] = positionals

if (role === 'worker') await work(rest)
else await main(Number(values.hosts))

async function main(hosts: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'rlp-hosts-'))
  const registry = await startRegistry(folder)
  try {
    const reference = `oci://${registry.host}/trust/house`
    const now = new Date()
    const first = channelWith(policyText(), now)
    await publish(first, reference)
    const bundle = join(folder, 'mini-1.0.0.agent.bundle')
    writeFileSync(bundle, made({}, RELEASE))
    const homes = Array.from({ length: hosts }, (_, index) => join(folder, 'homes', String(index)))
    for (const home of homes) mkdirSync(home, { recursive: true, mode: 0o700 })
    const about = [reference, pinOf(first), bundle]
    say('before the revocation', await all(homes, about))
    const revoking = `${policyText()}\n[revoked]\n"${RELEASE.anchor}" = { reason = "laptop lost" }\n`
    await publish(withHeartbeat(withRelease(first, revoking, now), new Date(now.getTime() + 1000)), reference)
    const started = performance.now()
    const after = await all(homes, about)
    say(
      `after it, updated in ${((performance.now() - started) / 1000).toFixed(1)} s by ${PROCESSES} processes`,
      after,
    )
    if (after.get('revoked') !== hosts) process.exitCode = 1
  } finally {
    registry.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function say(when: string, words: ReadonlyMap<string, number>): void {
  console.log(`${when}: ${[...words].map(([word, count]) => `${count} ${word}`).join(', ')}`)
}

/** Every process has its share of the homes. */
async function all(homes: readonly string[], about: readonly string[]): Promise<Map<string, number>> {
  const words = new Map<string, number>()
  await Promise.all(
    Array.from({ length: PROCESSES }, (_, at) => {
      const mine = homes.filter((_, index) => index % PROCESSES === at)
      const child = fork(import.meta.filename, ['worker', ...about, ...mine], { execArgv: process.execArgv })
      child.on('message', word => words.set(String(word), (words.get(String(word)) ?? 0) + 1))
      return new Promise<void>((resolve, reject) => {
        child.on('error', reject)
        child.on('exit', code => (code === 0 ? resolve() : reject(new Error(`a process ended with ${code}`))))
      })
    }),
  )
  return words
}

async function work([reference = '', pin = '', bundle = '', ...homes]: readonly string[]): Promise<void> {
  const { signal } = new AbortController()
  for (const home of homes) {
    const places = userPlaces(home)
    const channel = { name: 'house', reference, root: readDigestText(pin) ?? '' }
    await addFollowed(channel, places, signal)
    const updating = { access: { env: {} }, signal, now: new Date(), dryRun: false }
    const { refused } = await updateChannel(channel, places, updating)
    if (refused !== undefined) throw new Error(refused.problem)
    const { verdict } = await verifyBundle(bundle, { expect: 'mini', home })
    process.send?.(verdict)
  }
}
