import { POLICY_FILE, TOOLS_FILE } from '../../../model/agent.ts'
import type { Problem } from '../../../model/finding.ts'
import type { Family } from '../../../model/policy.ts'
import { readCapability } from '../../../policy/capability.ts'
import { entryProblem } from '../../../policy/grant-entry.ts'
import { plainPathProblem } from '../../../policy/plain-path.ts'
import { quoteText } from '../../../text/quote.ts'
import { policyLists, toolsOf } from '../agent-parts.ts'
import type { Rule } from '../rule.ts'

export const capsPlainPath: Rule = {
  id: 'caps/plain-path',
  severity: 'error',
  scope: 'source',
  summary: 'a granted path is a pattern, or a line for a shell',
  why: 'Paths are compared as they are written, by most readers: "/home/*" is a folder called *, and "/usr/bin/jq -c" a program of that name. A reader that expands them grants more than was reviewed.',
  fix: 'Name each folder, and each program without its arguments.',
  looks: 'agent',
  needs: {},
  check({ agent }, report) {
    for (const { key, entries, at } of policyLists(agent)) {
      for (const [index, path] of entries) {
        const words = wordsFor(key, path, '')
        if (words !== undefined) report({ file: POLICY_FILE, place: { pointer: [...at, index] }, ...words })
      }
    }
    // Many tools need the same.
    const plain = new Set<string>()
    for (const { index, tool } of toolsOf(agent)) {
      for (let position = 0; position < tool.capabilities.length; position++) {
        const text = tool.capabilities[position] ?? ''
        const words = plain.has(text) ? undefined : wordsOf(text)
        if (words === undefined) plain.add(text)
        else
          report({
            file: TOOLS_FILE,
            place: { pointer: ['tools', index, 'capabilities', position] },
            ...words,
          })
      }
    }
  },
}

function wordsOf(capability: string): Pick<Problem, 'message' | 'fix'> | undefined {
  const need = readCapability(capability)
  if ('problem' in need || need.scope === undefined) return undefined
  return wordsFor(need.family, need.scope, `${need.family}:`)
}

/** @param prefix what is written before the path */
function wordsFor(key: Family, path: string, prefix: string): Pick<Problem, 'message' | 'fix'> | undefined {
  // Another rule reports a path that cannot be granted at all.
  const problem = plainPathProblem(key, path)
  if (problem === undefined || entryProblem(key, path) !== undefined) return undefined
  const { why, meant, fix } = problem
  return {
    message: `${quoteText(path)} ${why}`,
    fix: meant === undefined ? fix : `Write ${quoteText(prefix + meant, 100)}`,
  }
}
