// One target → its findings, after the safe fixes if they were asked for.
import { join } from 'node:path'
import { readSourceFolder } from '../io/bundle/read-source.ts'
import type { Target } from '../io/find/find-agents.ts'
import type { Setting } from '../io/setting.ts'
import { turnsOf } from '../io/wait/breathe.ts'
import { replaceFile } from '../io/write/replace-file.ts'
import type { Agent } from '../model/agent.ts'
import { applyRulesInTurns } from './apply-rules.ts'
import { findSecrets } from './find-secrets.ts'
import { type FixedFile, fix } from './fix.ts'
import type { Linted } from './linted.ts'
import { rulesOfRun } from './rules/index.ts'
import type { Prepared } from './rules/rule.ts'
import { type RuleSetting, suppress } from './suppress.ts'

export interface LintedTarget extends Linted {
  /** The agent's folder, absolute. */
  readonly folder: string
  /** The changes of the safe fixes. */
  readonly fixes: readonly FixedFile[]
  /** Whether they are on disk; if not, `agent` and `findings` are as if they were. */
  readonly isWritten: boolean
}

export interface LintTargetOptions {
  readonly now: Date
  readonly settings: readonly RuleSetting[]
  readonly fixes: 'none' | 'shown' | 'written'
}

export async function lintTarget(
  target: Target,
  options: LintTargetOptions,
  io: Setting,
): Promise<LintedTarget & { readonly agent: Agent }> {
  const { now, settings, fixes } = options
  const rules = rulesOfRun(settings)
  const before = await readSourceFolder(target, 'all', io)
  const fixed = fixes === 'none' ? { agent: before, files: [] } : fix(before, rules)
  const isWritten = fixes === 'written'
  if (isWritten) for (const file of fixed.files) await write(target, file, io)
  // Read again, because only the content on disk counts.
  const agent =
    isWritten && fixed.files.length > 0
      ? await readSourceFolder(target, 'all', { signal: io.signal })
      : fixed.agent
  const prepared = await prepareLint(agent, io.signal)
  const turn = turnsOf('checking the rules', io.signal)
  const found = await applyRulesInTurns(agent, rules, turn, { prepared, now })
  const findings = suppress(agent, found, { now, settings })
  return { agent, findings, folder: target.path, fixes: fixed.files, isWritten }
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

async function write(target: Target, { path, before, text }: FixedFile, io: Setting): Promise<void> {
  const label = `${target.label}/${path}`
  await replaceFile(join(target.path, path), text, { label, before, signal: io.signal })
}

/**
 * What `lint` is told beside the agent.
 * @throws RlpError CANCELLED when `signal` aborts
 */
export async function prepareLint(agent: Agent, signal?: AbortSignal): Promise<Prepared> {
  return { secrets: await findSecrets(agent, signal) }
}
