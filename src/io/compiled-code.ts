// The compiled program → a folder beside it, from which the next start takes it: most of a start is the engine compiling code that runs
// once (docs/performance.md).
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { Script } from 'node:vm'

/** A file that was compiled here, and where its compiled code belongs. */
interface Compiled {
  readonly script: Script
  readonly source: Buffer
  readonly path: string
}

/** What Node puts around a file of CommonJS. */
const HEAD = '(function (exports, require, module, __filename, __dirname) { '
const TAIL = '\n})'

/**
 * Kept code runs in place of the reviewed program, so only a user who may write the program may write it: the folder is inside the
 * program's own, both belong to the current user, and no other user may enter it. If that is impossible, nothing is kept.
 * `NODE_COMPILE_CACHE` and `NODE_DISABLE_COMPILE_CACHE` are respected.
 * @param program the file that Node was called with; the other files of the program are beside it, and are not loaded yet
 * @returns what keeps the code that was compiled; to be called at the end
 */
export function keepCompiledCode(program: string): () => void {
  const nothing = () => {}
  // Only the built program is CommonJS. Its sources change too often to keep.
  if (!program.endsWith('.cjs')) return nothing
  // The first makes Node keep it by itself. Node reads the second one as set even if it is empty.
  if (process.env['NODE_COMPILE_CACHE'] || process.env['NODE_DISABLE_COMPILE_CACHE'] !== undefined)
    return nothing
  const folder = join(dirname(program), 'compiled')
  return isOwn(folder) ? loadThrough(folder, program) : nothing
}

/**
 * Node's own compile cache is not used: Node 20 has none, and later versions keep what is compiled when a file is read. Here, what was
 * called until the end is kept as well.
 */
function loadThrough(folder: string, program: string): () => void {
  const { extensions } = createRequire(program)
  const usual = extensions['.js']
  const compiled: Compiled[] = []
  extensions['.cjs'] = (module, file) => {
    if (dirname(file) !== dirname(program)) return usual(module, file)
    const source = readFileSync(file)
    const path = join(folder, `${basename(file)}-${process.version}-${process.arch}`)
    const cachedData = keptOf(source, path)
    const script = new Script(`${HEAD}${source}${TAIL}`, {
      filename: file,
      columnOffset: -HEAD.length,
      ...(cachedData && { cachedData }),
    })
    // The engine takes no code of another build of Node, or of one with other flags.
    if (cachedData === undefined || script.cachedDataRejected) compiled.push({ script, source, path })
    const { exports } = module
    script.runInThisContext().call(exports, exports, createRequire(file), module, file, dirname(file))
  }
  return () => compiled.forEach(keep)
}

/** The compiled code of a source: undefined if there is none, if it was compiled from another source, or if it is damaged. */
function keptOf(source: Buffer, path: string): Buffer | undefined {
  const bytes = unlessRefused(() => readFileSync(path))
  if (bytes === undefined) return undefined
  const end = bytes.length - source.length
  const [first, second] = [bytes.subarray(0, end / 2), bytes.subarray(end / 2, end)]
  return end > 0 && source.equals(bytes.subarray(end)) && first.equals(second) ? first : undefined
}

/** Twice, because the engine does not notice damage, and may crash: nothing shows it as fast as a copy. Then its source. */
function keep({ script, source, path }: Compiled): void {
  const code = script.createCachedData()
  const unfinished = `${path}.${process.pid}`
  const isKept = unlessRefused(() => {
    writeFileSync(unfinished, Buffer.concat([code, code, source]), { mode: 0o600 })
    renameSync(unfinished, path)
    return true
  })
  if (!isKept) unlessRefused(() => rmSync(unfinished, { force: true }))
}

/**
 * Whether a folder belongs to this user alone; a missing folder is created. False on Windows, which has no user ids: nothing is kept there.
 */
function isOwn(folder: string): boolean {
  const user = process.getuid?.()
  const look = (path: string) => lstatSync(path, { throwIfNoEntry: false })
  const answer = unlessRefused(() => {
    const around = look(dirname(folder))
    // In another user's folder, even root must not create files that this user cannot remove. Nor in a read-only folder.
    if (user === undefined || around?.uid !== user || (around.mode & 0o200) === 0) return false
    if (look(folder) === undefined) mkdirSync(folder, { mode: 0o700 })
    const there = look(folder)
    return there?.isDirectory() === true && there.uid === user && (there.mode & 0o077) === 0
  })
  return answer === true
}

/**
 * Undefined if the disk, Node's permissions, or a package manager that keeps the program in an archive refuses it, or another process was
 * faster. Each of these errors has a code, and none may stop the program.
 */
function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).code !== 'string') throw error
    return undefined
  }
}
