// The program, once compiled → a folder beside it that Node takes it from the next time ("Module compile cache" in Node's documentation).
import { lstatSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Node 22.8 and later. */
interface CompileCache {
  readonly enableCompileCache?: (folder: string) => unknown
}

/**
 * What lies there runs in place of what was reviewed, so nobody may write there who could not write the program: the folder is inside the
 * program's own, both belong to whoever runs it, and nobody else may enter it. Where that cannot be, nothing is kept. A folder that
 * somebody has chosen with `NODE_COMPILE_CACHE` stays theirs, and with `NODE_DISABLE_COMPILE_CACHE` there is none.
 *
 * @param program the file that Node was called with
 */
export function keepCompiledCode(program: string): void {
  // Only what was built is CommonJS; whoever runs the sources is changing them.
  if (!program.endsWith('.cjs')) return
  // The second one counts for Node even when it is empty.
  if (process.env['NODE_COMPILE_CACHE'] || process.env['NODE_DISABLE_COMPILE_CACHE'] !== undefined) return
  // It has no such thing, and to load `node:module` takes it half a millisecond.
  if (process.versions.node.startsWith('20.')) return
  const { enableCompileCache } = process.getBuiltinModule('node:module') as CompileCache
  const folder = join(dirname(program), 'compiled')
  if (enableCompileCache !== undefined && isOwn(folder)) enableCompileCache(folder)
}

/** Whether a folder, which is made if nothing is there, belongs to this user alone. Windows says that in other words: nothing is kept. */
function isOwn(folder: string): boolean {
  const user = process.getuid?.()
  const look = (path: string) => lstatSync(path, { throwIfNoEntry: false })
  try {
    const around = look(dirname(folder))
    // In somebody else's folder, even root leaves nothing that they could not remove; and nothing in one for reading only.
    if (user === undefined || around?.uid !== user || (around.mode & 0o200) === 0) return false
    if (look(folder) === undefined) mkdirSync(folder, { mode: 0o700 })
    const there = look(folder)
    return there?.isDirectory() === true && there.uid === user && (there.mode & 0o077) === 0
  } catch (error) {
    // The disk, Node's permissions or a package manager that keeps the program in an archive refuse it, or a process that runs beside
    // this one was faster. Each says so with a code, and none of that is in the way of a start.
    if (typeof (error as NodeJS.ErrnoException).code !== 'string') throw error
    return false
  }
}
