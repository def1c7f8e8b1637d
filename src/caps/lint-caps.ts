// policy.caps of agents and the overrides of them on this host, or one override file → findings.
import { basename, dirname, join } from 'node:path'
import { findAgents } from '../io/find/find-agents.ts'
import type { Setting } from '../io/setting.ts'
import { lintTarget } from '../lint/lint-target.ts'
import type { Linted } from '../lint/linted.ts'
import { MANIFEST_FILE, POLICY_FILE } from '../model/agent.ts'
import type { Finding } from '../model/finding.ts'
import { overridesFor, referenceOf } from './overridden.ts'
import { excessFindings, type Override, readOverrideFile } from './overrides.ts'
import { isFileAt, readOverrideAt } from './read-override.ts'

/** What was found in an override file. */
export interface OverrideFindings {
  readonly path: string
  /** The agent that it is for; absent for a file that was named itself. */
  readonly for?: string
  readonly blake3: string | null
  readonly findings: readonly Finding[]
}

/** What was found in an agent's policy.caps, and in each override of it on this host. */
export interface AgentCapsFindings {
  readonly agent: string
  readonly name: string | null
  readonly findings: readonly Finding[]
  readonly overrides: readonly OverrideFindings[]
}

export type CapsFindings = OverrideFindings | AgentCapsFindings

export interface CheckedCaps {
  /** policy.caps and each override, or the one given file. */
  readonly parts: readonly Linted[]
  readonly told: CapsFindings
}

export async function lintCaps(
  paths: readonly string[],
  agentsDir: string,
  io: Setting,
): Promise<CheckedCaps[]> {
  const [path] = paths
  const isFile = path !== undefined && isFileAt(path, io.cwd)
  // The policy.caps of an agent is checked with the agent, because its other files say what it has to grant.
  const isOwn = isFile && isFileAt(join(dirname(path), MANIFEST_FILE), io.cwd)
  if (isFile && !(isOwn && basename(path) === POLICY_FILE)) {
    const override = readOverrideFile(await readOverrideAt(path, io.cwd))
    return [{ parts: [override], told: fileJson(override) }]
  }
  const agents = isFile ? [dirname(path)] : paths
  const targets = await findAgents(agents, { agentsDir, cwd: io.cwd })
  const checked: CheckedCaps[] = []
  for (const target of targets) {
    const linted = await lintTarget(target, { now: new Date(), settings: [], fixes: 'none' }, io)
    const { agent } = linted
    const findings = linted.findings.filter(({ rule, file }) => /^caps\//.test(rule) || file === POLICY_FILE)
    const overrides = ((await overridesFor(agent, io)) ?? []).map(override => ({
      ...override,
      findings: [...override.findings, ...(agent.policy ? excessFindings(agent.policy, override) : [])],
    }))
    checked.push({
      parts: [{ agent, findings }, ...overrides],
      told: { agent: agent.label, name: referenceOf(agent), findings, overrides: overrides.map(fileJson) },
    })
  }
  return checked
}

function fileJson({ label, for: target, digest, findings }: Override): OverrideFindings {
  return { path: label, ...(target !== '' && { for: target }), blake3: digest ?? null, findings }
}
