// Installed agents: whether each is still trusted here, and what of it ends soon.

import { type InstalledAgent, judgeInstalled } from '../install/installed.ts'
import { homeLabel } from '../io/home.ts'
import { writePath } from '../text/shell-words.ts'
import { AHEAD_DAYS, endsSoon } from '../verify/ends-soon.ts'
import type { HealthCheck, HealthLine } from './check.ts'

export const installedAgents = {
  name: 'agents',
  async look(host) {
    const { roots, now, signal } = host
    const { agents: rows } = await judgeInstalled(roots, { isForPerson: true, signal })
    if (rows.length === 0) return [{ level: 'ok', what: 'agents', state: 'none is installed' }]
    const ending = (await host.judged()).flatMap(({ label, verification: { bundle, notAfter } }) =>
      bundle === undefined
        ? []
        : endsSoon({ notAfter, policies: [], counted: [], now, days: AHEAD_DAYS }).map(
            ({ message, hint }): HealthLine => ({
              level: 'warning',
              what: `agent ${label}`,
              state: message,
              fix: hint,
            }),
          ),
    )
    return [...rows.map(agentLine), ...ending]
  },
} as const satisfies HealthCheck

function agentLine(row: InstalledAgent): HealthLine {
  const { agent, version, verdict, reasons, marks, allowed, folder, source_dir } = row
  const what = `agent ${agent} ${version ?? ''}`.trimEnd()
  const fixed = (level: HealthLine['level'], state: string, fix: string) => ({ level, what, state, fix })
  const again = `Install ${agent} again from its bundle`
  const isAllowed = verdict === 'unsigned' && allowed.includes('unsigned')
  if (verdict !== 'trusted' && !isAllowed)
    return fixed(
      'wrong',
      `${verdict}: ${reasons[0] ?? ''}`,
      `rlp agent verify ${writePath(agent)} says all that was checked; rlp agent uninstall ${writePath(agent)} removes it`,
    )
  if (marks.includes('changed')) return fixed('wrong', 'it is not the file that rlp installed', again)
  if (marks.includes('folder_changed'))
    return fixed('wrong', `the folder ${homeLabel(folder?.path ?? '')} is not what its bundle holds`, again)
  if (marks.includes('interrupted')) return fixed('warning', 'an install of it was interrupted', again)
  if (marks.includes('folder_missing') || marks.includes('folder_not_compared'))
    return fixed(
      'warning',
      `the folder ${homeLabel(folder?.path ?? '')} is missing, or cannot be read`,
      again,
    )
  if (marks.includes('shadowed'))
    return fixed(
      'warning',
      `another root before ${homeLabel(source_dir)} has the same agent`,
      `rlp agent uninstall ${writePath(agent)} in one of them`,
    )
  const waived = allowed.find(one => one === 'unsigned' || one === 'dev')
  if (waived !== undefined)
    return fixed(
      'warning',
      `${verdict}, and let in by --allow-${waived}`,
      'Install a version that needs no exception',
    )
  const waivers = allowed.length === 0 ? '' : `, allowed: ${allowed.join(', ')}`
  return { level: 'ok', what, state: `${verdict}${waivers}` }
}
