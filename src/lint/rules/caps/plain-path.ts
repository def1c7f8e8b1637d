import { readCapability } from '../../../format/capability/capability.ts'
import { capabilityFamily } from '../../../format/capability/families/index.ts'
import { entryProblem } from '../../../format/capability/grant-entry.ts'
import { oddCommand } from '../../../format/exec/odd-command.ts'
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
    for (const { key, scope, file, pointer } of pathsIn(agent)) {
      yield
      if (entryProblem(key, scope) !== undefined) continue
      const problem = capabilityFamily(key).scope === 'program' ? programProblem(scope) : folderProblem(scope)
      if (problem === undefined) continue
      yield { file, place: { pointer }, message: `${quoteText(scope)} ${problem.why}`, fix: problem.fix }
    }
  },
}

interface PlacedPath {
  readonly key: Family
  readonly scope: string
  readonly file: string
  readonly pointer: Pointer
}

function* pathsIn(agent: Agent): Generator<PlacedPath> {
  for (const { key, entries, at } of policyLists(agent)) {
    if (!hasPaths(key)) continue
    for (const [index, scope] of entries) yield { key, scope, file: POLICY_FILE, pointer: [...at, index] }
  }
  for (const [index, { capabilities }] of (agent.tools?.tools ?? []).entries()) {
    for (const [position, text] of capabilities.entries()) {
      const need = readCapability(text)
      if ('problem' in need || need.scope === undefined || !hasPaths(need.family)) continue
      const pointer = ['tools', index, 'capabilities', position]
      yield { key: need.family, scope: need.scope, file: TOOLS_FILE, pointer }
    }
  }
}

function hasPaths(family: Family): boolean {
  return ['folder', 'program'].includes(capabilityFamily(family).scope)
}

interface PathProblem {
  readonly why: string
  readonly fix: string
}

function programProblem(path: string): PathProblem | undefined {
  const odd = oddCommand(path)
  if (odd === undefined) return undefined
  if (odd.is === 'line')
    return {
      why: 'is a program with its arguments',
      fix: `Name the program alone: ${quoteText(odd.words[0])}`,
    }
  if (odd.is === 'shell')
    return { why: `has ${quoteText(odd.found)}, which only a shell reads`, fix: 'Name each program' }
  return {
    why: `is below ${odd.folder}, where no program has a fixed place`,
    fix: 'Name the path where the program is installed',
  }
}

function folderProblem(path: string): PathProblem | undefined {
  const found = /[*?]|\[[^\]]*\]|\{[^}]*\}|\$[A-Za-z_{]/.exec(path)?.[0]
  if (found !== undefined) {
    const what = found.startsWith('$') ? 'a variable' : 'a pattern'
    return { why: `has ${what}, and is compared as it is written`, fix: 'Name each folder' }
  }
  if (!path.includes('//')) return undefined
  const plain = path.replace(/\/{2,}/g, '/')
  return { why: 'has an empty part, and is compared as it is written', fix: `Write ${quoteText(plain)}` }
}
