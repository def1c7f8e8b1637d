// A folder → the agent that its manifest declares; undefined where it cannot be told, which lint has words for.
import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reference } from '../format/agent-name.ts'
import { readManifest } from '../format/manifest.ts'
import { parseToml } from '../format/toml/parse.ts'
import { MANIFEST_FILE } from '../model/agent.ts'
import { PARSE_LIMITS } from '../model/limits.ts'
import { isSystemError } from '../model/system-error.ts'

export function declaredAgent(folder: string): Reference | undefined {
  const path = join(folder, MANIFEST_FILE)
  try {
    const stat = lstatSync(path)
    // A pipe under this name would never end.
    if (!stat.isFile() || stat.size > PARSE_LIMITS.textBytes) return undefined
    const parsed = parseToml(MANIFEST_FILE, readFileSync(path))
    if (!parsed.ok) return undefined
    const { name, variant } = readManifest(parsed.document.value)
    return name === undefined ? undefined : { name, variant }
  } catch (error) {
    if (isSystemError(error)) return undefined
    throw error
  }
}
