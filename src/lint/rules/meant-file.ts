// A required file that has another name.

import { type Agent, MANIFEST_FILE, POLICY_FILE, TOOLS_FILE } from '../../model/agent.ts'
import { probablyMeant } from '../../text/did-you-mean.ts'
import { once } from './once.ts'

export const REQUIRED_FILES = [MANIFEST_FILE, POLICY_FILE, TOOLS_FILE] as const

type RequiredFile = (typeof REQUIRED_FILES)[number]

/** Other formats that people write such a file in. */
const OTHER_ENDING = /^[a-z]+\.(?:json|toml|ya?ml|caps)$/

/** The fix for a required file that is missing, if a file at the root has its name with a slip or with another ending. */
export function renameTo(path: RequiredFile, agent: Agent): string | undefined {
  const found = misnamedFiles(agent).get(path)
  return found === undefined ? undefined : `Rename ${found} to ${path}`
}

/** The required file that a file was meant to be; undefined if it was not. */
export function requiredMeant(path: string, agent: Agent): RequiredFile | undefined {
  return REQUIRED_FILES.find(required => misnamedFiles(agent).get(required) === path)
}

const misnamedFiles = once((agent: Agent): ReadonlyMap<RequiredFile, string> => {
  const { files } = agent
  const missing = REQUIRED_FILES.filter(path => files.get(path) === undefined)
  if (missing.length === 0) return new Map()
  const others = files.list
    .map(({ path }) => path)
    .filter(path => !path.includes('/') && !REQUIRED_FILES.some(required => required === path))
  return new Map(
    missing.flatMap(path => {
      const stem = path.slice(0, path.indexOf('.') + 1)
      const found =
        others.find(other => OTHER_ENDING.test(other) && other.startsWith(stem)) ??
        probablyMeant(path, others)
      return found === undefined ? [] : [[path, found] as const]
    }),
  )
})
