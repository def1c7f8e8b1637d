// The compiled program → a folder beside it, from which Node takes it at the next start ("Module compile cache" in Node's documentation).
import { lstatSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Node 22.8 and later. */
interface CompileCache {
  readonly enableCompileCache?: (folder: string) => unknown
}

/**
 * Cached code runs in place of the reviewed program, so only a user who may write the program may write the cache: the folder is inside
 * the program's own, both belong to the current user, and no other user may enter it. If that is impossible, nothing is cached.
 * `NODE_COMPILE_CACHE` and `NODE_DISABLE_COMPILE_CACHE` are respected.
 * @param program the file that Node was called with
 */
export function keepCompiledCode(program: string): void {
  // Only the built program is CommonJS. Its sources change too often to cache.
  if (!program.endsWith('.cjs')) return
  // Node reads the second one as set even if it is empty.
  if (process.env['NODE_COMPILE_CACHE'] || process.env['NODE_DISABLE_COMPILE_CACHE'] !== undefined) return
  // Node 20 has no compile cache, and loading `node:module` would take it half a millisecond.
  if (process.versions.node.startsWith('20.')) return
  const { enableCompileCache } = process.getBuiltinModule('node:module') as CompileCache
  const folder = join(dirname(program), 'compiled')
  if (enableCompileCache !== undefined && isOwn(folder)) enableCompileCache(folder)
}

/**
 * Whether a folder belongs to this user alone; a missing folder is created. False on Windows, which has no user ids: nothing is cached
 * there.
 */
function isOwn(folder: string): boolean {
  const user = process.getuid?.()
  const look = (path: string) => lstatSync(path, { throwIfNoEntry: false })
  try {
    const around = look(dirname(folder))
    // In another user's folder, even root must not create files that this user cannot remove. Nor in a read-only folder.
    if (user === undefined || around?.uid !== user || (around.mode & 0o200) === 0) return false
    if (look(folder) === undefined) mkdirSync(folder, { mode: 0o700 })
    const there = look(folder)
    return there?.isDirectory() === true && there.uid === user && (there.mode & 0o077) === 0
  } catch (error) {
    // The disk, Node's permissions, or a package manager that keeps the program in an archive may refuse it, or another process was
    // faster. Each of these errors has a code, and none may stop the start.
    if (typeof (error as NodeJS.ErrnoException).code !== 'string') throw error
    return false
  }
}
