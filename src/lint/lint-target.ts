// Lints one agent's folder, after the safe fixes if they were asked for. No rule can wait for the disk, so whatever rules need to know of
// it, such as which files git ignores, is found out first.
import { basename } from 'node:path'
import type { Target } from '../io/find/find-agents.ts'
import { gitIgnored } from '../io/find/git-ignored.ts'
import { entryAt } from '../io/read/entry.ts'
import { readSourceFolder } from '../io/read/read-tree.ts'
import type { Setting } from '../io/setting.ts'
import { turnsOf } from '../io/wait/breathe.ts'
import type { Agent } from '../model/agent.ts'
import { findSecrets } from './find-secrets.ts'
import { applyRulesInTurns, askable } from './lint-run.ts'
import type { LintedTarget } from './linted.ts'
import { rulesOfRun } from './rules/index.ts'
import type { Prepared } from './subjects.ts'
import { type RuleSetting, suppress } from './suppress.ts'

export interface LintTargetOptions {
  readonly now: Date
  readonly settings: readonly RuleSetting[]
  readonly fixes: 'none' | 'shown' | 'written'
}

/** A file can only be one of agentcli's; whatever else is named is an agent. */
export function isToolsFile({ path }: Target): boolean {
  return basename(path).endsWith('.json') && entryAt(path)?.isFile() === true
}

export async function lintTarget(
  target: Target,
  options: LintTargetOptions,
  io: Setting,
): Promise<LintedTarget & { readonly agent: Agent }> {
  const { now, settings, fixes } = options
  const rules = rulesOfRun(settings)
  const before = await readSourceFolder(target, 'all', io)
  const { agent, files } =
    fixes === 'none'
      ? { agent: before, files: [] }
      : await (await import('./fix.ts')).fixTarget(target, before, rules, fixes, io)
  const prepared = await prepareLint(agent, target.path, io.signal)
  const turn = turnsOf('checking the rules', io.signal)
  const found = await applyRulesInTurns(agent, rules, turn, { prepared, now })
  const findings = suppress(agent, found, { now, settings })
  const { skipped } = askable(agent, rules)
  return { label: target.label, agent, findings, folder: target.path, fixes: files, skipped }
}

/** The same with only the files that have findings: thousands of agents must not be held in memory. */
export function toBeReported(linted: LintedTarget): LintedTarget {
  const { label, manifest, documents, unreadable } = linted.agent
  const files = new Set(linted.findings.map(({ file }) => file))
  const agent = {
    label,
    manifest,
    documents: new Map([...documents].filter(([path]) => files.has(path))),
    unreadable: unreadable.filter(({ path }) => files.has(path)),
  }
  return { ...linted, agent }
}

/**
 * Looks for credentials in the files, and for files that git ignores.
 * @param folder of the agent's source, absolute; undefined for one that is in an archive
 * @throws RlpError CANCELLED when `signal` aborts
 */
export async function prepareLint(
  agent: Agent,
  folder?: string | undefined,
  signal?: AbortSignal,
): Promise<Prepared> {
  const paths = agent.files.list.map(({ path }) => path)
  return {
    secrets: await findSecrets(agent, signal),
    ignored: folder === undefined ? [] : await gitIgnored(folder, paths),
  }
}
