// Guesses which name an author meant: the key of an entry, or a table or a file of the manifest.
import { artifactsOf, KIND_OF_ENTRY } from '../../agent/manifest.ts'
import { type Agent, MANIFEST_FILE, POLICY_FILE, SIGNATURE_FOLDER, TOOLS_FILE } from '../../model/agent.ts'
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

/** The table of the manifest that names a file, for files that have one of their own. */
export const OWN_TABLES: ReadonlyMap<string, string> = new Map([
  [POLICY_FILE, '[artifacts.policy]'],
  [TOOLS_FILE, '[artifacts.tools]'],
])
