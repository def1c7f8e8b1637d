// Folders as policies grant them: a folder, and everything below it.
/** No file system has a longer path, and the roots above it are looked up one by one. */
const LONGEST_PATH = 4096

/**
 * Whether a folder is one of the roots or below one. `~` never matches a root before it: the home folder is not known to be below `/`.
 */
export function isUnder(roots: ReadonlySet<string>, folder: string): boolean {
  for (const root of rootsAbove(folder)) {
    if (roots.has(root)) return true
  }
  return false
}

/** A folder and each one above it, as roots. None if the folder is not a root itself. */
export function rootsAbove(folder: string): string[] {
  const roots: string[] = []
  const path = rootOf(folder)
  if (path === undefined) return roots
  for (let end = path.length; end >= 0; end = end > 0 ? path.lastIndexOf('/', end - 1) : -1)
    roots.push(path.slice(0, end))
  return roots
}

/** What the system opens by that name: slashes that follow each other count as one. */
export function plainFolder(folder: string): string {
  return folder.replace(/\/{2,}/g, '/')
}

/** The root that the system opens by the name of a folder. Grants are compared as they are written; what they reach is not. */
export function openedRoot(folder: string): string | undefined {
  return rootOf(plainFolder(folder))
}

/** The folders that are ones. */
export function rootsOf(folders: readonly string[]): ReadonlySet<string> {
  return new Set(folders.flatMap(folder => rootOf(folder) ?? []))
}

/**
 * A folder without the slash at its end, so that `/` is empty. Undefined for a path that is not absolute, or has `.` or `..` in it: such
 * a path leads elsewhere than its beginning.
 */
export function rootOf(folder: string): string | undefined {
  if (folder.length > LONGEST_PATH || !/^~?\//.test(folder)) return undefined
  // A backslash separates segments on some systems; control characters make a path look like another, or end it.
  if (/[\\\x00-\x1f\x7f-\x9f\u2028\u2029]/.test(folder)) return undefined
  if (folder.split('/').some(segment => segment === '..' || segment === '.')) return undefined
  return folder.endsWith('/') ? folder.slice(0, -1) : folder
}
