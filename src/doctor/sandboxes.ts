// Whether programs of tools are held to their grants here, and what an administrator can do where they are not.
import { join } from 'node:path'
import { operatorConfig } from '../io/config.ts'
import { CONFIG_NAME } from '../io/home.ts'
import type { RunsAs } from '../io/owner/mounted.ts'
import { FIRST_NUMBER } from '../io/owner/other-user.ts'
import { closedRoot, nodeMount } from '../sandbox/mounts.ts'
import { trySandboxes, userNamed } from '../sandbox/sandbox.ts'
import type { HealthCheck, HealthLine } from './check.ts'
import { wrongLine } from './look.ts'

export const sandboxes = {
  name: 'sandbox',
  async look({ home, system, systemFolders, signal }) {
    const what = 'sandbox'
    try {
      const config = await operatorConfig({ system: join(system, CONFIG_NAME), home })
      const { sandbox } = config
      if (sandbox?.value === 'off')
        return [
          {
            level: 'ok',
            what,
            state: `${sandbox.from} leaves it out: programs of tools reach what you reach`,
          },
        ]
      const { working, problems } = await trySandboxes({
        env: process.env,
        signal,
        cwd: process.cwd(),
        told: [],
        user: userNamed(config),
        folders: systemFolders,
      })
      const [first] = problems
      if (first === undefined)
        return [
          { level: 'ok', what, state: `${working.name} holds programs of tools to their grants` },
          ...withoutHosts(what, userNamed(config)),
        ]
      const { kind, problem, hint } = first
      return [
        sandbox?.value === 'require'
          ? {
              level: 'wrong',
              what,
              state: `no program is started, as ${sandbox.from} requires one: ${kind}: ${problem}`,
              fix: hint,
            }
          : {
              level: 'warning',
              what,
              state: `programs of tools reach what you reach: ${kind}: ${problem}`,
              fix: hint,
            },
      ]
    } catch (error) {
      return [wrongLine(what, error)]
    }
  },
} as const satisfies HealthCheck

/** Programs that are granted hosts need Node, as the user that they run as. */
function withoutHosts(what: string, user: RunsAs | undefined): HealthLine[] {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  const as = user ?? (uid === 0 ? { uid: FIRST_NUMBER, gid: FIRST_NUMBER } : { uid, gid })
  const node = nodeMount({ root: closedRoot([]), as }, [])
  if (node === undefined || !('problem' in node)) return []
  return [{ level: 'warning', what, state: `no program reaches a host: ${node.problem}`, fix: node.hint }]
}
