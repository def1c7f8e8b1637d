import { readCapability } from '../../../format/capability/capability.ts'
import { capabilityFamily } from '../../../format/capability/families/index.ts'
import { entryProblem } from '../../../format/capability/grant-entry.ts'
import { plainPathProblem } from '../../../format/capability/plain-path.ts'
import { quoteText } from '../../../format/text/quote.ts'
import { type Agent, POLICY_FILE, TOOLS_FILE } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import type { Family } from '../../../model/policy.ts'
import { policyLists } from '../policy-lists.ts'
import type { Rule } from '../rule.ts'

export const capsPlainPath: Rule = {
  id: 'caps/plain-path',
  severity: 'error',
  scope: 'source',
  summary: 'a granted path is a pattern, or a line for a shell',
  why: 'Paths are compared as they are written, by most readers: "/home/*" is a folder called *, and "/usr/bin/jq -c" a program of that name. A reader that expands them grants more than was reviewed.',
  fix: 'Name each folder, and each program without its arguments.',
  *check(agent) {
    for (const found of pathsIn(agent)) {
      yield
      if (found === undefined) continue
      const { key, scope, prefix, file, pointer } = found
      if (entryProblem(key, scope) !== undefined) continue
      const problem = plainPathProblem(key, scope)
      if (problem === undefined) continue
      const { why, meant, fix } = problem
      const message = `${quoteText(scope)} ${why}`
      yield {
        file,
        place: { pointer },
        message,
        fix: meant === undefined ? fix : `Write ${quoteText(prefix + meant, 100)}`,
      }
    }
  },
}

interface PlacedPath {
  readonly key: Family
  readonly scope: string
  /** What is written before it. */
  readonly prefix: string
  readonly file: string
  readonly pointer: Pointer
}

/** Nothing in between, so that other work gets its turn. */
function* pathsIn(agent: Agent): Generator<PlacedPath | undefined> {
  for (const { key, entries, at } of policyLists(agent)) {
    if (!hasPaths(key)) continue
    for (const [index, scope] of entries)
      yield { key, scope, prefix: '', file: POLICY_FILE, pointer: [...at, index] }
  }
  for (const [index, { capabilities }] of (agent.tools?.tools ?? []).entries()) {
    yield undefined
    for (const [position, text] of capabilities.entries()) {
      const need = readCapability(text)
      if ('problem' in need || need.scope === undefined || !hasPaths(need.family)) continue
      const pointer = ['tools', index, 'capabilities', position]
      const { family: key, scope } = need
      yield { key, scope, prefix: `${key}:`, file: TOOLS_FILE, pointer }
    }
  }
}

function hasPaths(family: Family): boolean {
  return ['folder', 'program'].includes(capabilityFamily(family).scope)
}
