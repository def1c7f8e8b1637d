// The entries of a foreign archive → the same below the agent's own folder. Refuses what would not unpack into one folder, each name once.
import { MANIFEST_FILE } from '../model/agent.ts'
import { FOLDER_LIMITS } from '../model/limits.ts'
import type { ForeignEntry } from './foreign-reader.ts'

/** What systems take as a path. Longer than our own limit is for lint to say, as of a folder. */
const LONGEST = 4096

/** @throws SyntaxError in words: the state of an archive that is refused */
export function agentPaths(entries: readonly ForeignEntry[]): ForeignEntry[] {
  const clean = entries.flatMap(entry => {
    const path = cleanPath(entry)
    return path === '' ? [] : [{ ...entry, path }]
  })
  refuseTwice(clean)
  const root = rootOf(clean)
  return clean
    .filter(({ path }) => path.startsWith(root) && path !== root.slice(0, -1))
    .map(entry => ({ ...entry, path: entry.path.slice(root.length) }))
}

/** Without `./` before it and, for a folder, `/` behind it. Empty for the folder that was packed itself. */
function cleanPath({ path, kind }: ForeignEntry): string {
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) throw new SyntaxError(`${path} is an absolute path`)
  if (path.length > LONGEST) throw new SyntaxError(`${path.slice(0, 100)}… is too long for a path`)
  const inner = kind === 'folder' ? path.replace(/\/$/, '') : path
  if (inner === '.' && kind === 'folder') return ''
  const segments = inner.replace(/^\.\//, '').split('/')
  if (segments.includes('..')) throw new SyntaxError(`${path} leads out of its folder`)
  if (segments.includes('') || segments.includes('.'))
    throw new SyntaxError(`${path} has an empty segment or one that is "."`)
  if (segments.length > FOLDER_LIMITS.depth)
    throw new SyntaxError(`${path.slice(0, 100)}… is more than ${FOLDER_LIMITS.depth} folders deep`)
  return segments.join('/')
}

/** A folder may be named again; an entry may be the folder of others only if it is a folder. */
function refuseTwice(entries: readonly ForeignEntry[]): void {
  const seen = new Map<string, ForeignEntry['kind']>()
  const add = (path: string, kind: ForeignEntry['kind']) => {
    const before = seen.get(path)
    if (before !== undefined && (before !== 'folder' || kind !== 'folder')) {
      const state = before === kind ? 'is there twice' : `is there as a ${before} and as a ${kind}`
      throw new SyntaxError(`${path} ${state}`)
    }
    seen.set(path, kind)
  }
  for (const { path, kind } of entries) {
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1))
      add(path.slice(0, end), 'folder')
    add(path, kind)
  }
}

/** The folder that holds everything, or the one in it, with its slash; or nothing. Dot files beside it are what some systems add. */
function rootOf(entries: readonly ForeignEntry[]): string {
  const paths = new Set(entries.map(({ path }) => path))
  for (let root = ''; ; ) {
    if (paths.has(root + MANIFEST_FILE)) return root
    const names = new Set(
      [...paths]
        .filter(path => path.startsWith(root) && path !== root.slice(0, -1))
        .map(path => path.slice(root.length).split('/', 1)[0] ?? ''),
    )
    const plain = [...names].filter(name => !name.startsWith('.'))
    const [only] = plain.length > 0 ? plain : names
    if (only === undefined || plain.length > 1) break
    root += `${only}/`
  }
  throw new SyntaxError(`there is no ${MANIFEST_FILE} at its top, nor in one folder that holds everything`)
}
