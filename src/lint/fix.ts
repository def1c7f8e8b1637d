// Applies the safe fixes to an agent's folder, or only says what they would write: one change for each file, with all of its fixes. Loaded
// on demand, because few runs of lint ask for it.

import { join } from 'node:path'
import { read } from '../agent/read-agent.ts'
import { blake3Hex } from '../bundle/blake3.ts'
import type { Target } from '../io/find/find-agents.ts'
import { readSourceFolder } from '../io/read/read-tree.ts'
import type { Setting } from '../io/setting.ts'
import { replaceFile } from '../io/write/replace-file.ts'
import { type Agent, SIGNATURE_FOLDER } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import { byPath, type FileEntry, type Files } from '../model/files.ts'
import { editToml } from '../toml/edit.ts'
import { askable } from './lint-run.ts'
import type { FixedFile } from './linted.ts'
import { RULES } from './rules/index.ts'
import { type FileFix, isFixable, type Rule } from './rules/rule.ts'

interface Fixed {
  /** As it would be read after the files were written. */
  readonly agent: Agent
  /** In the order of their paths. */
  readonly files: readonly FixedFile[]
}

/**
 * Applies every rule's safe fix, round after round, because one fix can make another possible (an unreadable manifest has no table to add
 * a key to). A rule gets one fix per file. An unpacked bundle is left alone: a change would break its signature.
 * @throws TypeError for a rule whose fix is not safe, which is our bug
 */
export function fix(agent: Agent, rules: readonly Rule[] = RULES): Fixed {
  const applied = new Map<string, { text: string; what: string[] }>()
  const done = new Set<string>()
  let now = agent
  for (let round = nextRound(now, rules, done); round.size > 0; round = nextRound(now, rules, done)) {
    for (const [path, { text, what }] of round)
      applied.set(path, { text, what: [...(applied.get(path)?.what ?? []), what] })
    now = read(withTexts(now.files, round), now.label, now.form)
  }
  const files = [...applied]
    .map(([path, change]) => ({ path, before: agent.files.get(path)?.bytes, ...change }))
    .sort(byPath)
  return { agent: now, files }
}

/** At most one fix per file: the next one has to see its result. */
function nextRound(agent: Agent, rules: readonly Rule[], done: Set<string>): Map<string, FileFix> {
  const round = new Map<string, FileFix>()
  if (agent.files.list.some(({ path }) => path.startsWith(`${SIGNATURE_FOLDER}/`))) return round
  const asked = askable(agent, rules)
  for (const rule of asked.rules) {
    for (const fix of fixesOf(rule, asked.agent)) {
      const key = `${rule.id} ${fix.path}`
      if (done.has(key) || round.has(fix.path)) continue
      assertSafe(rule, fix)
      done.add(key)
      round.set(fix.path, fix)
    }
  }
  return round
}

function fixesOf(rule: Rule, agent: Agent): readonly FileFix[] {
  try {
    return rule.autofix?.(agent, editToml) ?? []
  } catch (error) {
    // The file cannot be edited in place: the finding stays, and says what to do by hand.
    if (error instanceof RlpError && error.code === 'NOT_EDITABLE') return []
    throw error
  }
}

/** policy.caps holds an agent's permissions, and the binary its code: a fix must not change them without being asked. */
function assertSafe(rule: Rule, { path }: FileFix): void {
  if (!isFixable(path)) throw new TypeError(`${rule.id} may not fix ${path}`)
}

function withTexts(files: Files, changes: ReadonlyMap<string, FileFix>): Files {
  const changed = new Map([...changes.values()].map(({ path, text }) => [path, entryOf(path, text)]))
  const list = [...files.list.filter(({ path }) => !changed.has(path)), ...changed.values()].sort(byPath)
  const index = new Map(list.map(file => [file.path, file]))
  return {
    list,
    oddities: files.oddities,
    get: path => index.get(path),
    open: path => {
      const bytes = changed.get(path)?.bytes
      return bytes === undefined ? files.open(path) : once(bytes)
    },
  }
}

function entryOf(path: string, text: string): FileEntry {
  const bytes = new TextEncoder().encode(text)
  return { path, size: bytes.length, bytes, head: bytes.subarray(0, 8), digest: blake3Hex(bytes) }
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

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
