// A host → what every check says of it. A check that fails is a line of its own, and hides no other.
import { join } from 'node:path'
import { readOverrideAt } from '../caps/find-overrides.ts'
import { readOverrideFile } from '../caps/overrides.ts'
import { type ChannelPlaces, channelPlaces } from '../io/channel-places.ts'
import { runloopHome, SYSTEM_FOLDER, TRUST_POLICY_NAME } from '../io/home.ts'
import { Ways } from '../io/owner/ways.ts'
import { installedIn } from '../io/root/find-installed.ts'
import { rootsFor } from '../io/root/roots.ts'
import type { Setting } from '../io/setting.ts'
import { refuseIfAborted } from '../io/write/write-atomic.ts'
import { isObstacle } from '../model/error.ts'
import { asFlags } from '../text/flag-name.ts'
import { readTrustPolicies } from '../trust/read-trust.ts'
import { verifyWith } from '../verify/examine.ts'
import { installedOf, judgingInstalled } from '../verify/judge-candidate.ts'
import type { HealthCheck, HealthLine, JudgedAgent, LookedHost } from './check.ts'
import { overrideFiles, overrideLines } from './override-files.ts'

export interface CheckedHealth extends HealthLine {
  readonly check: string
}

/** @param system and `channels` are for tests */
export async function thisHost(
  { cwd, signal }: Pick<Setting, 'cwd' | 'signal'>,
  system: string = SYSTEM_FOLDER,
  channels: readonly ChannelPlaces[] = channelPlaces(),
): Promise<LookedHost> {
  const home = runloopHome()
  const now = new Date()
  const roots = await rootsFor(undefined, cwd)
  let judged: Promise<readonly JudgedAgent[]> | undefined
  const judge = async () => {
    const found: JudgedAgent[] = []
    for (const root of roots)
      for (const { path, label, agent } of await installedIn(root)) {
        const options = { label, expect: agent ?? 'any', isForPerson: true, signal }
        found.push({ label, agent, verification: await verifyWith(path, options, 'parsed') })
      }
    return found
  }
  return {
    home,
    system,
    roots,
    channels,
    now,
    signal,
    policies: () =>
      readTrustPolicies({ system: join(system, TRUST_POLICY_NAME), home, channels: [], now }, new Ways()),
    async installedMarks(agent) {
      const ways = new Ways()
      const judge = judgingInstalled(await readTrustPolicies({ now }, ways), { signal })
      return installedOf(agent, { signal }, judge, ways)
    },
    judged() {
      judged ??= judge()
      return judged
    },
  }
}

export async function lookAt(
  host: LookedHost,
  checks: readonly HealthCheck[],
): Promise<readonly CheckedHealth[]> {
  const all: CheckedHealth[] = []
  for (const { name, look } of checks) {
    refuseIfAborted(host.signal)
    const lines = await look(host).catch(error => [wrongLine(name, error)])
    all.push(...lines.map(line => ({ check: name, ...line, state: plainly(line.state) })))
  }
  return all
}

/** Override files that need not be in use yet, each as it would be read. */
export async function lookAtOverrides(
  paths: readonly string[],
  cwd: string,
): Promise<readonly CheckedHealth[]> {
  const all: CheckedHealth[] = []
  for (const path of paths) {
    const lines = await readOverrideAt(path, cwd).then(
      file => overrideLines(readOverrideFile(file), 'nothing is wrong with it'),
      error => [wrongLine(`override ${path}`, error)],
    )
    all.push(...lines.map(line => ({ check: overrideFiles.name, ...line })))
  }
  return all
}

/** Something is as it must not be, or cannot be looked at. */
export function wrongLine(what: string, error: unknown): HealthLine {
  if (!isObstacle(error)) throw error
  const { message, hint } = error
  return { level: 'wrong', what, state: message, fix: hint && asFlags(hint) }
}

/** *Cannot rely on "x": others may write it* → the state alone, where the message is about the very thing. */
function plainly(message: string): string {
  return message.replace(/^Cannot rely on (?:"[^"]*": )?/, '')
}
