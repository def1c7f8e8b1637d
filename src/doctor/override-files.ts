// Overrides of policy.caps: whether each can be used, what of it has no effect, and whether an agent is installed that it is for.
import { basename, join } from 'node:path'
import { findOverrides, overridePaths, readOverridePath } from '../caps/find-overrides.ts'
import { heldAgainst, type Override, readOverrideFile } from '../caps/overrides.ts'
import { homeLabel } from '../io/home.ts'
import { Ways } from '../io/owner/ways.ts'
import { entryOrNothing } from '../io/read/entry.ts'
import { folderNames } from '../io/read/real-path.ts'
import type { Finding } from '../model/finding.ts'
import { readReference } from '../version/reference.ts'
import type { HealthCheck, HealthLine, JudgedAgent, LookedHost } from './check.ts'

export const overrideFiles = {
  name: 'overrides',
  async look(host) {
    const { home, system } = host
    const found = new Map<string, Override>()
    const known = new Set<string>()
    for (const { agent, verification } of await host.judged()) {
      const reference = readReference(agent ?? '')
      if (reference === undefined) continue
      for (const { path } of overridePaths(reference, { home, system })) known.add(path)
      for (const file of await findOverrides(reference, new Ways(), { home, system }))
        found.set(file.label, heldAgainstAgent(readOverrideFile(file), verification))
    }
    const held = [...found.values()].flatMap(one => overrideLines(one, `it holds for ${one.for}`))
    const lines = [...held, ...(await strays(host, known))]
    return lines.length > 0 ? lines : [{ level: 'ok', what: 'overrides', state: 'there are none' }]
  },
} as const satisfies HealthCheck

function heldAgainstAgent(override: Override, { agent }: JudgedAgent['verification']): Override {
  return agent?.policy === undefined ? override : heldAgainst(agent.policy, override)
}

/** A line for each finding, or the one line that all is well. */
export function overrideLines({ label, digest, findings }: Override, wellState: string): HealthLine[] {
  const what = `override ${label}`
  if (findings.length === 0) return [{ level: 'ok', what, state: wellState }]
  return findings.map(finding => ({
    level: finding.severity === 'error' ? 'wrong' : 'warning',
    what,
    // A file that could not be read has no lines.
    state: digest === undefined ? finding.message : placed(finding),
    fix: finding.fix,
  }))
}

function placed({ line, message }: Finding): string {
  return `line ${line}: ${message}`
}

/** Files that are there, and that no installed agent is held to. A misspelt name is one of them, or the agent runs from its folder. */
async function strays({ home, system }: LookedHost, known: ReadonlySet<string>): Promise<HealthLine[]> {
  const all = [
    ...folderNames(join(system, 'policy-overrides')).map(name => join(system, 'policy-overrides', name)),
    ...folderNames(join(home, 'policy-overrides')).map(name =>
      join(home, 'policy-overrides', name, 'policy.caps'),
    ),
    ...folderNames(join(home, 'caps/overrides')).map(name => join(home, 'caps/overrides', name)),
  ]
  const lines: HealthLine[] = []
  for (const path of all) {
    if (known.has(path) || entryOrNothing(path) === undefined) continue
    lines.push({
      level: 'warning',
      what: `override ${homeLabel(path)}`,
      state: 'no installed agent is held to it',
      fix: 'If its name is misspelt, correct it (docs/operator.md#overrides); if the agent is gone, remove the file',
    })
    const file = mayBeFor(path) ? await readOverridePath({ for: '', path }, new Ways(), home) : undefined
    if (file !== undefined)
      lines.push(...overrideLines(readOverrideFile(file), '').filter(({ level }) => level !== 'ok'))
  }
  return lines
}

/** Whether an agent exists for which the file would be read. */
function mayBeFor(path: string): boolean {
  return /\.(?:caps|toml)$/.test(basename(path))
}
