// fixtures/slips: one sound agent, and the slips that authors make in it, each as an edit of its files.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepareLint } from '../../src/lint/lint-target.ts'
import type { Tree } from './agent.ts'
import { agentOfTree, type FoundProblem, problemsIn, withDigests } from './follow-fix.ts'
import { ROOT } from './lint-fixtures.ts'

/** A slip, and what lint is expected to say of it. */
export interface Slip {
  readonly slip: string
  /** Each replaces one text, which is there. */
  readonly edits?: readonly { readonly in: string; readonly find: string; readonly write: string }[]
  /** Further files; null for one that is gone. */
  readonly files?: Readonly<Record<string, string | null>>
  /** `<severity> <rule> <file> <message>`, in the order of the walk. */
  readonly findings: readonly { readonly finding: string; readonly fix: string }[]
}

export const SLIPS = join(ROOT, 'fixtures/slips')
export const SLIP_LABEL = 'note_keeper'

export function slipClasses(): string[] {
  return readdirSync(SLIPS)
    .filter(name => name.endsWith('.json'))
    .map(name => name.slice(0, -'.json'.length))
    .sort()
}

export function slipsOf(name: string): Slip[] {
  return JSON.parse(readFileSync(join(SLIPS, `${name}.json`), 'utf8')) as Slip[]
}

export function soundTree(): Tree {
  const base = join(SLIPS, 'agent')
  const paths = readdirSync(base, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    paths.flatMap(entry => {
      if (!entry.isFile()) return []
      const path = join(entry.parentPath, entry.name)
      const bytes = readFileSync(path)
      const name = path.slice(base.length + 1).replaceAll('\\', '/')
      return [[name, name.endsWith('.wasm') ? new Uint8Array(bytes) : bytes.toString('utf8')]]
    }),
  )
}

/** The agent with a slip, and with right digests where the slip is not in the manifest. */
export function treeWithSlip(sound: Tree, { slip, edits = [], files = {} }: Slip): Tree {
  const tree: Tree = { ...sound }
  for (const [path, text] of Object.entries(files))
    if (text === null) delete tree[path]
    else tree[path] = text
  for (const { in: file, find, write } of edits) {
    const text = String(tree[file])
    if (!text.includes(find)) throw new Error(`${slip}: ${file} has no ${find}`)
    tree[file] = text.replace(find, () => write)
  }
  return edits.some(({ in: file }) => file === 'manifest.toml') ? tree : withDigests(tree, SLIP_LABEL)
}

export async function slipProblems(tree: Tree): Promise<FoundProblem[]> {
  const agent = agentOfTree(tree, SLIP_LABEL)
  return problemsIn(agent, await prepareLint(agent), '')
}

export function slipLine({ rule, problem }: FoundProblem): string {
  return `${rule.severity} ${rule.id} ${problem.file} ${problem.message}`
}
