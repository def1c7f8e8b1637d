// The path rule of a bundle (DESIGN §3.5): which names may stand in an archive, and why a name may not.

/** Longest path a bundle's file may have, below the root folder: what fits a ustar header beside `agent.bundle/`. */
const NAME_BYTES = 100
const PREFIX_BYTES = 155

const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._@+-]*$/
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$)$/i

/**
 * What is wrong with a path as the name of a bundle's file, or undefined when it may stand.
 *
 * The words are a sentence's end: `<path> <words>`.
 */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'is empty'
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'is absolute'
  if (path.includes('\\')) return 'has a backslash; bundles use / on every system'
  for (const segment of path.split('/')) {
    if (segment === '') return 'has an empty segment'
    if (segment === '.' || segment === '..') return `has a "${segment}" segment`
    if (!SEGMENT.test(segment)) {
      return segment.startsWith('.')
        ? 'has a segment that begins with a dot'
        : 'has a character other than letters, digits and . _ @ + -'
    }
    if (segment.endsWith('.')) return 'has a segment that ends in a dot'
    if (isDeviceName(segment)) return 'has a Windows device name'
  }
  // Another spelling would be the same folder on a file system that ignores case, and nothing in it would be a signature.
  if (/^signatures(?:\/|$)/i.test(path) && !/^SIGNATURES(?:\/|$)/.test(path))
    return 'differs from SIGNATURES only in case'
  return splitUstarName(`agent.bundle/${path}`) === undefined ? 'is too long for a ustar header' : undefined
}

/**
 * A path split into ustar's `prefix` and `name` as GNU tar does it: whole in `name` up to 100 bytes, else cut at the last slash
 * that leaves at most 155 bytes before it. Undefined when the path does not fit.
 */
export function splitUstarName(path: string): { prefix: string; name: string } | undefined {
  if (path.length <= NAME_BYTES) return { prefix: '', name: path }
  const cut = path.lastIndexOf('/', PREFIX_BYTES)
  const name = path.slice(cut + 1)
  return cut > 0 && name.length > 0 && name.length <= NAME_BYTES
    ? { prefix: path.slice(0, cut), name }
    : undefined
}

/** Two paths that cannot stand side by side on every file system. */
export interface PathClash {
  readonly first: string
  readonly second: string
  /** A sentence’s end: `<second> <words>`. */
  readonly words: string
}

/** Paths that a file system which ignores case would take for one, and files that would have to be folders. */
export function* pathClashes(paths: Iterable<string>): Generator<PathClash> {
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
        yield { first: other.part, second: part, words: `and ${other.part} differ only in case` }
        break
      } else if (other.isFile || end === -1) {
        yield { first: other.part, second: path, words: `needs ${part} to be a folder and a file` }
        break
      }
    }
  }
}

/** Whether Windows opens a device instead of a file of this name, whatever the extension: `nul.txt` is `nul`. */
export function isDeviceName(segment: string): boolean {
  return DEVICE.test(segment.split('.', 1)[0] ?? '')
}
