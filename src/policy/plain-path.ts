// A folder or a program as policy.caps and the capabilities of a tool name it → why it is not one plain path. Authors are held to it, and no
// bundle: readers compare what is written.
import type { Family } from '../model/policy.ts'
import { oddCommand, oddWords } from '../tools/command-oddities.ts'
import { capabilityFamily } from './families/index.ts'
import { plainFolder } from './folder.ts'

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
  const problem = { why: oddWords(odd), fix: 'Name each program by the path where it is installed' }
  return odd.is === 'line' ? { ...problem, meant: odd.words[0] } : problem
}

function folderProblem(path: string): PathProblem | undefined {
  const fix = 'Name each folder'
  const found = /[*?]|\[[^[\]]*\]|\$[A-Za-z_]/.exec(path)?.[0]
  if (found !== undefined) {
    const what = found.startsWith('$') ? 'a variable' : 'a pattern'
    return { why: `has ${what}, and is compared as it is written`, fix }
  }
  if (!path.includes('//')) return undefined
  const why = 'has an empty part, and is compared as it is written'
  return { why, meant: plainFolder(path), fix }
}
