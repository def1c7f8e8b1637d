// fixtures/valid/<name>/ → the files of its bundle, and the corpus of texts that mutations begin with.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { read } from '../../src/agent/read-agent.ts'
import { digestManifest } from '../../src/pack/digest.ts'
import type { Tree } from '../../test/support/agent.ts'
import { ROOT } from '../../test/support/lint-fixtures.ts'
import { memoryFiles } from '../../test/support/memory.ts'

const known = new Map<string, Tree>()

/** Everything that would be packed: dot files and what `.bundleignore` leaves out (`drafts/`, `glossary/`) stay out. */
export function fixtureTree(name: string): Tree {
  const before = known.get(name)
  if (before !== undefined) return before
  const folder = join(ROOT, 'fixtures/valid', name)
  const listed = readFileSync(join(folder, 'manifest.toml'), 'utf8')
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    path =>
      statSync(join(folder, path)).isFile() && (path === 'manifest.toml' || listed.includes(`"${path}"`)),
  )
  const tree = Object.fromEntries(paths.sort().map(path => [path, readFileSync(join(folder, path))]))
  known.set(name, tree)
  return tree
}

export function textOf(tree: Tree, path: string): string {
  return Buffer.from(tree[path] as string).toString()
}

/** The tree with the digests that its files have now; as it is where the manifest leaves no place for them. */
export function digested(tree: Tree): Tree {
  return { ...tree, 'manifest.toml': digestManifest(read(memoryFiles(tree), 'agent')).text }
}
