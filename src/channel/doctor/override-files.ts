// Overrides of policy.caps: whether each can be used, and whether an agent is installed that it is for.
import { join } from 'node:path'
import { findOverrides, overridePaths } from '../../caps/find-overrides.ts'
import { readOverrideFile } from '../../caps/overrides.ts'
import { readReference } from '../../format/version/reference.ts'
import { homeLabel } from '../../io/home.ts'
import { entryOrNothing } from '../../io/read/entry.ts'
import { folderNames } from '../../io/read/folder-names.ts'
import type { OverrideFile } from '../../model/override.ts'
import type { HealthCheck, HealthLine, LookedHost } from './check.ts'

export const overrideFiles = {
  name: 'overrides',
  async look(host) {
    const { home, system } = host
    const agents = (await host.judged()).flatMap(({ agent }) => readReference(agent ?? '') ?? [])
    const found = new Map<string, OverrideFile>()
    for (const agent of agents)
      for (const file of await findOverrides(agent, { home, system })) found.set(file.label, file)
    const known = agents.flatMap(agent => overridePaths(agent, { home, system }).map(({ path }) => path))
    const lines = [...[...found.values()].map(lineOf), ...strays(host, new Set(known))]
    return lines.length > 0 ? lines : [{ level: 'ok', what: 'overrides', state: 'there are none' }]
  },
} as const satisfies HealthCheck

function lineOf(file: OverrideFile): HealthLine {
  const what = `override ${file.label}`
  const { findings } = readOverrideFile(file)
  const worst = findings.find(({ severity }) => severity === 'error') ?? findings[0]
  if (worst === undefined) return { level: 'ok', what, state: `it holds for ${file.for}` }
  const level = worst.severity === 'error' ? 'wrong' : 'warning'
  return { level, what, state: worst.message, fix: worst.fix }
}

/** Files that are there, and that no installed agent is held to. A misspelt name is one of them. */
function strays({ home, system }: LookedHost, known: ReadonlySet<string>): HealthLine[] {
  const all = [
    ...folderNames(join(system, 'policy-overrides')).map(name => join(system, 'policy-overrides', name)),
    ...folderNames(join(home, 'policy-overrides')).map(name =>
      join(home, 'policy-overrides', name, 'policy.caps'),
    ),
    ...folderNames(join(home, 'caps/overrides')).map(name => join(home, 'caps/overrides', name)),
  ]
  return all
    .filter(path => !known.has(path) && entryOrNothing(path) !== undefined)
    .map(path => ({
      ...{ level: 'warning', what: `override ${homeLabel(path)}`, state: 'no installed agent is held to it' },
      fix: 'If its name is misspelt, correct it (docs/operator.md#overrides); if the agent is gone, remove the file',
    }))
}
