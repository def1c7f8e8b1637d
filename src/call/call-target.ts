// The agent of a command line, or none → the agents whose tools are meant.
import { oneAgent } from '../inspect/look-into.ts'
import { installedIn } from '../io/find/find-installed.ts'
import type { Root } from '../io/root/root-places.ts'
import type { Setting } from '../io/setting.ts'
import { RlpError } from '../model/error.ts'
import { type Opened, type OpenOptions, openAgent } from './callable.ts'

/** The named agent, or every installed one, including those that may not be used. */
export async function openAgents(
  doing: string,
  named: string | undefined,
  roots: readonly Root[],
  options: OpenOptions,
  io: Setting,
): Promise<Opened[]> {
  if (named !== undefined)
    return [await openAgent(doing, await oneAgent(doing, named, io, roots), options, io)]
  if (options.unverified || options.expect !== undefined) {
    throw new RlpError('USAGE', `Cannot ${doing} every installed agent with --unverified or --expect`, {
      hint: 'Name the agent',
    })
  }
  const opened: Opened[] = []
  const seen = new Set<string>()
  for (const root of roots) {
    for (const { path, label, agent: reference } of await installedIn(root)) {
      // The name of a folder from another source cannot be relied upon, and the first root counts.
      if (reference === undefined || seen.has(reference)) continue
      seen.add(reference)
      opened.push(await openAgent(doing, { path, label, reference }, options, io))
    }
  }
  return opened
}
