// The entries of a foreign archive → Files, as if they had been unpacked and the folder read as a source: the same files stay out.
import { blake3Hex, NATIVE_FROM_BYTES, preferNative } from '../bundle/blake3.ts'
import { InspectBudget } from '../io/bundle/inspect-budget.ts'
import { IGNORE_FILE, type Ignore, ignoreFrom } from '../io/read/walk-tree.ts'
import { CASES_FOLDER, MANIFEST_FILE } from '../model/agent.ts'
import { byPath, type FileEntry, type Files, type Oddity } from '../model/files.ts'
import { agentPaths } from './foreign-paths.ts'
import type { ForeignEntry } from './foreign-reader.ts'
import { notPackable } from './foreign-refusals.ts'

const HEAD_BYTES = 8

/** @throws RlpError NOT_CONVERTIBLE, LIMIT_EXCEEDED */
export async function foreignFiles(entries: readonly ForeignEntry[], label: string): Promise<Files> {
  const inside = insideOf(entries, label)
  const ignoring = inside.find(({ path, kind }) => path === IGNORE_FILE && kind === 'file')
  const ignored = ignoring && (await ignoreFrom(ignoring.content, `${label}/${IGNORE_FILE}`))
  const out = new LeftOut(inside, ignored)
  const kept = inside.filter(entry => !out.leavesOut(entry))
  const odd = kept.find(({ kind }) => kind !== 'file' && kind !== 'folder')
  if (odd !== undefined) {
    const to = odd.target === undefined ? '' : ` to ${odd.target}`
    throw notPackable(label, `${odd.path} is a ${odd.kind}${to}; bundles hold regular files only`)
  }
  const files = kept.filter(({ kind }) => kind === 'file').sort(byPath)
  const total = files.reduce((sum, { content }) => sum + content.length, 0)
  if (total >= NATIVE_FROM_BYTES) await preferNative()
  const budget = new InspectBudget()
  return filesOf(
    files.map(({ path, content }) => fileOf(path, content, budget)),
    out.oddities.sort(byPath),
  )
}

/** The same files, with another content for one of them. */
export function withContent(files: Files, path: string, content: Uint8Array): Files {
  const budget = new InspectBudget()
  const list = files.list.map(entry =>
    fileOf(entry.path, entry.path === path ? content : (entry.content ?? new Uint8Array()), budget),
  )
  return filesOf(list, files.oddities)
}

function insideOf(entries: readonly ForeignEntry[], label: string): ForeignEntry[] {
  try {
    return agentPaths(entries)
  } catch (error) {
    throw error instanceof SyntaxError ? notPackable(label, error.message) : error
  }
}

/** What a source folder leaves out, by the same rules and in the same order as the walk through one. */
class LeftOut {
  readonly oddities: Oddity[] = []
  readonly #agents: ReadonlySet<string>
  readonly #ignored: Ignore | undefined
  readonly #known = new Map<string, boolean>([['', false]])

  constructor(entries: readonly ForeignEntry[], ignored: Ignore | undefined) {
    const manifests = entries.filter(({ path }) => path.endsWith(`/${MANIFEST_FILE}`))
    this.#agents = new Set(manifests.map(({ path }) => path.slice(0, -MANIFEST_FILE.length - 1)))
    this.#ignored = ignored
  }

  leavesOut({ path, kind }: Pick<ForeignEntry, 'path' | 'kind'>): boolean {
    const known = this.#known.get(path)
    if (known !== undefined) return known
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    const isBelow = this.leavesOut({ path: parent, kind: 'folder' })
    const what = isBelow ? undefined : this.#whatOf(path, kind === 'folder')
    if (what !== undefined) this.oddities.push({ path, what })
    this.#known.set(path, isBelow || what !== undefined)
    return isBelow || what !== undefined
  }

  #whatOf(path: string, isFolder: boolean): Oddity['what'] | undefined {
    if (path.slice(path.lastIndexOf('/') + 1).startsWith('.')) return 'dot-file'
    if (isFolder && this.#agents.has(path)) return 'other-agent'
    if (isFolder && path === CASES_FOLDER) return 'cases'
    return this.#ignored?.ignores(path, isFolder) ? 'ignored' : undefined
  }
}

function fileOf(path: string, content: Uint8Array, budget: InspectBudget): FileEntry {
  const head = content.slice(0, HEAD_BYTES)
  const isInspected = budget.takes(path, content.length, head)
  const digest = blake3Hex(content)
  return { path, size: content.length, head, digest, content, bytes: isInspected ? content : undefined }
}

function filesOf(list: readonly FileEntry[], oddities: readonly Oddity[]): Files {
  const index = new Map(list.map(entry => [entry.path, entry]))
  return {
    list,
    oddities,
    get: path => index.get(path),
    open: async function* (path) {
      yield index.get(path)?.content ?? new Uint8Array()
    },
  }
}
