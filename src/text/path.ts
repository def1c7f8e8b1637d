// The path rule of a bundle (docs/spec/archive.md, A-20 to A-24): which names an archive may hold, and why others are refused.

/** Longest path of a bundle's file, below the root folder: what fits a ustar header with `agent.bundle/`. */
const NAME_BYTES = 100
const PREFIX_BYTES = 155

const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._@+-]*$/
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$)$/i

/**
 * Why a path cannot be the name of a bundle's file; undefined if it can.
 * The words end a sentence: `<path> <words>`.
 */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'is empty'
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'is absolute'
  if (path.includes('\\')) return 'has a backslash; bundles use / on every system'
  for (const segment of path.split('/')) {
    if (segment === '') return 'has an empty segment'
    if (segment === '.' || segment === '..') return `has a "${segment}" segment`
    if (!SEGMENT.test(segment))
      return segment.startsWith('.')
        ? 'has a segment that begins with a dot'
        : 'has a character other than letters, digits and . _ @ + -'
    if (segment.endsWith('.')) return 'has a segment that ends in a dot'
    if (isDeviceName(segment)) return 'has a Windows device name'
  }
  // On a file system that ignores case, another spelling would be the same folder, and its files would not count as signatures.
  if (/^signatures(?:\/|$)/i.test(path) && !/^SIGNATURES(?:\/|$)/.test(path))
    return 'differs from SIGNATURES only in case'
  return splitUstarName(`agent.bundle/${path}`) === undefined ? 'is too long for a ustar header' : undefined
}

/**
 * A path split into ustar's `prefix` and `name` as GNU tar does it: whole in `name` up to 100 bytes, else cut at the last slash that
 * leaves at most 155 bytes before it. Undefined if the path does not fit.
 */
export function splitUstarName(path: string): { prefix: string; name: string } | undefined {
  if (path.length <= NAME_BYTES) return { prefix: '', name: path }
  const cut = path.lastIndexOf('/', PREFIX_BYTES)
  const name = path.slice(cut + 1)
  return cut > 0 && name.length > 0 && name.length <= NAME_BYTES
    ? { prefix: path.slice(0, cut), name }
    : undefined
}

/** Two paths that cannot both exist on every file system. */
interface PathClash {
  readonly first: string
  readonly second: string
  /** The end of a sentence: `<second> <words>`. */
  readonly words: string
}

/** Paths that are equal on a file system that ignores case, and files that other paths need as folders. */
export function pathClashes(paths: Iterable<string>): PathClash[] {
  const clashes: PathClash[] = []
  const seen = new Map<string, { readonly part: string; readonly isFile: boolean }>()
  for (const path of paths) {
    // Every prefix counts too: "Bin/a" and "bin/b" would share a folder.
    let end = 0
    while (end !== -1) {
      end = path.indexOf('/', end + 1)
      const part = end === -1 ? path : path.slice(0, end)
      const other = seen.get(part.toLowerCase())
      if (other === undefined) seen.set(part.toLowerCase(), { part, isFile: end === -1 })
      else if (other.part !== part) {
        clashes.push({ first: other.part, second: part, words: `and ${other.part} differ only in case` })
        break
      } else if (other.isFile || end === -1) {
        clashes.push({ first: other.part, second: path, words: `needs ${part} to be a folder and a file` })
        break
      }
    }
  }
  return clashes
}

/** Whether Windows opens a device in place of a file of this name, with any extension: `nul.txt` is `nul`. */
export function isDeviceName(segment: string): boolean {
  return DEVICE.test(segment.split('.', 1)[0] ?? '')
}
