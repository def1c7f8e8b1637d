// Programs that tools of installed agents start: whether each is there, and who may write it.
import { isAbsolute } from 'node:path'
import { refuseForeign, refuseForeignWay } from '../io/owner/owner.ts'
import { Ways } from '../io/owner/ways.ts'
import { targetAt } from '../io/read/entry.ts'
import { writePath } from '../text/shell-words.ts'
import { transportKind } from '../tools/transports/index.ts'
import type { HealthCheck, HealthLine, JudgedAgent } from './check.ts'
import { wrongLine } from './look.ts'

/** More do not help on a line. */
const MOST_NAMED = 3

export const programs = {
  name: 'programs',
  async look(host) {
    const all = neededBy(await host.judged())
    if (all.size === 0) return [{ level: 'ok', what: 'programs', state: 'no installed tool starts one' }]
    return [...all]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([path, by]) => programLine(path, by))
  },
} as const satisfies HealthCheck

/** Programs by path, each with the tools that start it: `mailer: text.query`. */
function neededBy(judged: readonly JudgedAgent[]): Map<string, string[]> {
  const all = new Map<string, string[]>()
  for (const { label, agent = label, verification } of judged)
    for (const { id, transport } of verification.agent?.tools?.tools ?? []) {
      const { command } = transportKind(transport).record.program(transport) ?? {}
      if (command === undefined || !isAbsolute(command)) continue
      all.set(command, [...(all.get(command) ?? []), `${id} of ${agent}`])
    }
  return all
}

function programLine(path: string, by: readonly string[]): HealthLine {
  const what = `program ${path}`
  const more = by.length > MOST_NAMED ? ` and ${by.length - MOST_NAMED} more` : ''
  const needed = `${by.slice(0, MOST_NAMED).join(', ')}${more}`
  const wrong = (state: string, fix: string): HealthLine => ({ level: 'wrong', what, state, fix })
  try {
    const stats = targetAt(path)
    if (stats === undefined)
      return wrong(`it is not there: ${needed} cannot be called`, 'Install the program under this path')
    if (!stats.isFile()) return wrong(`it is not a file: ${needed} cannot be called`, 'Put the program there')
    if ((stats.mode & 0o111) === 0)
      return wrong(`it may not be run: ${needed} cannot be called`, `Run chmod +x ${writePath(path)}`)
    refuseForeignWay(path, new Ways())
    refuseForeign(`rely on "${path}"`, path, stats, 'file')
    return { level: 'ok', what, state: `started by ${needed}` }
  } catch (error) {
    return wrongLine(what, error)
  }
}
