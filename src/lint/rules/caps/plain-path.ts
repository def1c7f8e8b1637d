import { readCapability } from '../../../format/capability/capability.ts'
import { capabilityFamily } from '../../../format/capability/families/index.ts'
import { entryProblem } from '../../../format/capability/grant-entry.ts'
import { oddCommand } from '../../../format/exec/odd-command.ts'
import { quoteText } from '../../../format/text/quote.ts'
import { type Agent, POLICY_FILE, TOOLS_FILE } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import type { Family } from '../../../model/policy.ts'
import { plainFolder } from '../folder-root.ts'
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
    for (const { key, scope, prefix, file, pointer } of pathsIn(agent)) {
      yield
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

function* pathsIn(agent: Agent): Generator<PlacedPath> {
  for (const { key, entries, at } of policyLists(agent)) {
    if (!hasPaths(key)) continue
    for (const [index, scope] of entries)
      yield { key, scope, prefix: '', file: POLICY_FILE, pointer: [...at, index] }
  }
  for (const [index, { capabilities }] of (agent.tools?.tools ?? []).entries()) {
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

interface PathProblem {
  readonly why: string
  /** The same path in plain form, if it has one. */
  readonly meant?: string
  readonly fix: string
}

/** Why a folder or a program, as a capability names it, is more than one path; undefined for other families. */
export function plainPathProblem(family: Family, path: string): PathProblem | undefined {
  const { scope } = capabilityFamily(family)
  if (scope === 'program') return programProblem(path)
  return scope === 'folder' ? folderProblem(path) : undefined
}

function programProblem(path: string): PathProblem | undefined {
  const odd = oddCommand(path)
  if (odd === undefined) return undefined
  const fix = 'Name each program by the path where it is installed'
  if (odd.is === 'line') return { why: 'is a program with its arguments', meant: odd.words[0], fix }
  if (odd.is === 'shell') return { why: `has ${quoteText(odd.found)}, which only a shell reads`, fix }
  return { why: `is below ${odd.folder}, where no program has a fixed place`, fix }
}

function folderProblem(path: string): PathProblem | undefined {
  const fix = 'Name each folder'
  const found = /[*?]|\[[^[\]]*\]|\{[^{}]*\}|\$[A-Za-z_{]/.exec(path)?.[0]
  if (found !== undefined) {
    const what = found.startsWith('$') ? 'a variable' : 'a pattern'
    return { why: `has ${what}, and is compared as it is written`, fix }
  }
  if (!path.includes('//')) return undefined
  const why = 'has an empty part, and is compared as it is written'
  return { why, meant: plainFolder(path), fix }
}
