// Chance → the files of a valid agent: what a campaign damages.
import { agentTree, type Tree } from '../../test/support/agent.ts'
import type { Random } from './random.ts'

const FOLDERS = ['', '', 'docs/', 'data/a/', 'bin/', 'x/y/z/'] as const
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789']

/** Any name, version and variant, up to eight more files of any size, sometimes with tools. */
export function randomAgent(random: Random, tools: readonly object[] = []): Tree {
  const name = `a${word(random, 8)}`
  const files: Record<string, string | Uint8Array> = {}
  const lower = new Set<string>()
  for (let n = random.below(8); n > 0; n--) {
    const path = `${random.pick(FOLDERS)}${word(random, 12)}${random.pick(['', '.md', '.bin'])}`
    // A file must not be in the way of a folder, nor a twin of another.
    if (path.split('/')[0] === 'x' && !path.includes('/')) continue
    if (lower.has(path)) continue
    lower.add(path)
    files[path] = random.bytes(random.pick([0, 1, 511, 512, 513, random.below(5000)]))
  }
  if (tools.length > 0) files['tools.json'] = JSON.stringify({ version: 1, tools })
  const version = `${random.below(9)}.${random.below(9)}.${random.below(9)}`
  return agentTree({ name, version, ...(random.once(4) && { variant: word(random, 6) }), files })
}

function word(random: Random, most: number): string {
  return Array.from({ length: random.between(1, most) }, () => random.pick(LETTERS)).join('')
}
