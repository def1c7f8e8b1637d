// What the manifest names in tables that no reader knows: an entry under another key, files under another table.
import { artifactsOf, KIND_OF_ENTRY } from '../../agent/manifest.ts'
import { type Agent, MANIFEST_FILE, SIGNATURE_FOLDER } from '../../model/agent.ts'
import { isTable, own } from '../../model/own.ts'
import { probablyMeant } from '../../text/did-you-mean.ts'
import { once } from './once.ts'

/** Whether a key was meant to name the entry: `entry_wsam`, `entry`, `entrypoint`, `wasm`. */
export function isEntry(key: string | number | undefined): boolean {
  if (typeof key !== 'string') return false
  return (
    /^(?:entry.*|main|wasm|binary)$/i.test(key) ||
    probablyMeant(key, Object.keys(KIND_OF_ENTRY)) !== undefined
  )
}

export function entryKeyFor(path: string): string {
  return path.endsWith('.wasm') ? 'entry_wasm' : 'entry_native'
}

/** The key of the manifest that names an entry under a name that no reader knows, and the path that it names. */
export function misnamedEntry(root: unknown): { readonly key: string; readonly path: string } | undefined {
  const agent = isTable(root) ? own(root, 'agent') : undefined
  for (const table of [agent, root]) {
    if (!isTable(table)) continue
    for (const [key, value] of Object.entries(table)) {
      const path = isTable(value) ? own(value, 'path') : undefined
      if (typeof path === 'string' && isEntry(key) && !Object.hasOwn(KIND_OF_ENTRY, key)) return { key, path }
    }
  }
  return undefined
}

/** The file that the entry means, which is not there: one beside it that nothing names, with nearly its name or the only module. */
export const meantEntryFile = (agent: Agent): string | undefined => meantEntry(agent).path

const meantEntry = once((agent: Agent): { readonly path: string | undefined } => {
  const { manifest, files } = agent
  const entry = manifest?.entries.find(({ path }) => files.get(path) === undefined)
  if (manifest === undefined || entry === undefined) return { path: undefined }
  const named = new Set(artifactsOf(manifest).map(({ path }) => path))
  const folder = folderOf(entry.path)
  const others = files.list
    .map(({ path }) => path)
    .filter(path => folderOf(path) === folder && !named.has(path) && !path.startsWith(SIGNATURE_FOLDER))
  const modules = entry.path.endsWith('.wasm') ? others.filter(path => path.endsWith('.wasm')) : []
  return { path: probablyMeant(entry.path, others) ?? (modules.length === 1 ? modules[0] : undefined) }
})

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

/** The files that tables name which no reader knows, up to two levels down. */
export const strayPaths = once((agent: Agent): ReadonlySet<string> => {
  const root = agent.documents.get(MANIFEST_FILE)?.value
  const named = new Set<string>()
  const look = (table: unknown, depth: number): void => {
    if (!isTable(table)) return
    const path = own(table, 'path')
    if (typeof path === 'string') named.add(path)
    if (depth > 0) for (const inner of Object.values(table)) look(inner, depth - 1)
  }
  if (isTable(root))
    for (const [key, table] of Object.entries(root)) if (key !== 'schemas' && key !== 'lint') look(table, 2)
  // What is below another table called files, with its digest.
  const files = isTable(root) ? own(root, 'files') : undefined
  if (isTable(files)) for (const path of Object.keys(files)) named.add(path)
  return named
})
