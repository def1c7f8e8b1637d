// Agent → the files that safe fixes would write, each as one change for all of its fixes. Nothing is written here.
import { read } from '../agent/read-agent.ts'
import { blake3Hex } from '../bundle/blake3.ts'
import { type Agent, SIGNATURE_FOLDER } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import { byPath, type FileEntry, type Files } from '../model/files.ts'
import { editToml } from '../toml/edit.ts'
import { askable } from './askable.ts'
import type { FixedFile } from './linted.ts'
import { RULES } from './rules/index.ts'
import { type FileFix, isFixable, type Rule } from './rules/rule.ts'

export interface Fixed {
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
