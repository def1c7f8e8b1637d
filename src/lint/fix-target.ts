// Applies the safe fixes to an agent's folder. Few runs of lint ask for them.
import { join } from 'node:path'
import type { Target } from '../io/find/find-agents.ts'
import { readSourceFolder } from '../io/read/read-tree.ts'
import type { Setting } from '../io/setting.ts'
import { replaceFile } from '../io/write/replace-file.ts'
import type { Agent } from '../model/agent.ts'
import { type Fixed, fix } from './fix.ts'
import type { Rule } from './rules/rule.ts'

/**
 * Returns the agent after the fixes, and what they change.
 * @param fixes whether they are written, or only shown as if they were
 */
export async function fixTarget(
  target: Target,
  before: Agent,
  rules: readonly Rule[],
  fixes: 'shown' | 'written',
  { signal }: Setting,
): Promise<Fixed> {
  const fixed = fix(before, rules)
  if (fixes === 'shown' || fixed.files.length === 0) return fixed
  for (const { path, before, text } of fixed.files) {
    const label = `${target.label}/${path}`
    await replaceFile(join(target.path, path), text, { label, before, signal })
  }
  // Read again, because only the content on disk counts.
  return { agent: await readSourceFolder(target, 'all', { signal }), files: fixed.files }
}
