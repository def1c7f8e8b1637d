// The compiled program → a folder beside it, from which the next start takes it: most of a start is the engine compiling code that runs
// once (docs/performance.md).
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { Script } from 'node:vm'

/** What the engine compiled of a file, and the commands that have added to it. */
interface Kept {
  readonly code: Buffer
  readonly commands: readonly string[]
}

/** A file whose compiled code is kept at the end. */
interface Loaded extends Kept {
  readonly script: Script
  readonly source: Buffer
  readonly path: string
}

/** So often, a command adds what it called beyond what was kept. After that, 5 ms would add hardly anything. */
const STARTS_OF_EACH = 2
/** Of all commands, whatever the words of a command line are. */
const MOST_STARTS = 100
/** What Node puts around a file of CommonJS. */
const HEAD = '(function (exports, require, module, __filename, __dirname) { '
const TAIL = '\n})'

/**
 * Kept code runs in place of the reviewed program, so only a user who may write the program may write it: the folder is inside the
 * program's own, both belong to the current user, and no other user may enter it. If that is impossible, nothing is kept.
 * @param program the file that Node was called with; the other files of the program are beside it, and are not loaded yet
 * @param words of the command line
 * @returns what keeps the code that was compiled; to be called at the end
 */
export function keepCompiledCode(program: string, words: readonly string[]): () => void {
  const nothing = () => {}
  // Only the built program is CommonJS. Its sources change too often to keep.
  if (!program.endsWith('.cjs')) return nothing
  if (isLeftToNode()) return nothing
  const folder = join(dirname(program), 'compiled')
  return isOwn(folder) ? loadThrough(folder, program, commandOf(words)) : nothing
}

/** Whether the user asked for what only Node's own loader does. */
function isLeftToNode(): boolean {
  const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE, NODE_V8_COVERAGE, NODE_OPTIONS } = process.env
  // Node reads the second one as set even if it is empty. Of kept code, coverage says less.
  if (NODE_COMPILE_CACHE || NODE_DISABLE_COMPILE_CACHE !== undefined || NODE_V8_COVERAGE) return true
  // Node 20 compares each file that its loader compiles with a policy.
  return `${process.execArgv} ${NODE_OPTIONS}`.includes('--experimental-policy')
}

/**
 * Node's own compile cache is not used: Node 20 has none, and later versions keep what is compiled when a file is read. Here, what was
 * called until the end is kept as well.
 */
function loadThrough(folder: string, program: string, command: string): () => void {
  const { extensions } = createRequire(program)
  const usual = extensions['.js']
  const loaded: Loaded[] = []
  extensions['.cjs'] = (module, file) => {
    if (dirname(file) !== dirname(program)) return usual(module, file)
    const source = readFileSync(file)
    const path = join(folder, `${basename(file)}-${process.version}-${process.arch}`)
    const kept = keptOf(source, path)
    const script = new Script(`${HEAD}${source}${TAIL}`, {
      filename: file,
      columnOffset: -HEAD.length,
      ...(kept && { cachedData: kept.code }),
    })
    // The engine takes no code of another build of Node, or of one with other flags.
    const taken = script.cachedDataRejected === false ? kept : undefined
    const { code, commands } = taken ?? { code: Buffer.alloc(0), commands: [] }
    const isLearned =
      commands.length >= MOST_STARTS || commands.filter(one => one === command).length >= STARTS_OF_EACH
    if (!isLearned) loaded.push({ script, source, path, code, commands: [...commands, command] })
    const { exports } = module
    const require = (id: string) => module.require(id)
    script.runInThisContext().call(exports, exports, require, module, file, dirname(file))
  }
  return () => loaded.forEach(keep)
}

/** The first two words, which name a command or do no harm: "agent lint". */
function commandOf(words: readonly string[]): string {
  const isName = (word: string) => /^-{0,2}[a-z][a-z-]{0,20}$/.test(word)
  return words.slice(0, 2).filter(isName).join(' ')
}

/** Undefined if nothing is kept of a source, if it was compiled from another source, or if it is damaged. */
function keptOf(source: Buffer, path: string): Kept | undefined {
  const bytes = unlessRefused(() => readFileSync(path))
  if (bytes === undefined) return undefined
  const line = bytes.lastIndexOf('\n')
  const end = line - source.length
  if (end <= 0 || !source.equals(bytes.subarray(end, line))) return undefined
  const code = bytes.subarray(0, end)
  const [mark, ...commands] = bytes.toString('latin1', line + 1).split(',')
  return mark === markOf(code) ? { code, commands } : undefined
}

/** In words of four bytes. A disk loses whole sectors, of at least twice as many. */
const STRIDE = 64

/**
 * The engine hardly notices damage, and may crash. A checksum over every byte would take a start longer than reading a second copy of the
 * code, so one word of each half of a sector is in it.
 */
function markOf(code: Buffer): string {
  const words = new Int32Array(code.buffer, code.byteOffset, code.length >> 2)
  let sum = code.length
  for (let at = 0; at < words.length; at += STRIDE) sum = (Math.imul(sum, 31) + (words[at] ?? 0)) | 0
  return sum.toString(16)
}

/** The code, then its source, then a line with a mark of the code and the commands. */
function keep({ script, source, path, code, commands }: Loaded): void {
  const made = script.createCachedData()
  // The engine drops what was not called for long.
  const longer = made.length > code.length ? made : code
  const unfinished = `${path}.${process.pid}`
  const isKept = unlessRefused(() => {
    const bytes = Buffer.concat([longer, source, Buffer.from(`\n${[markOf(longer), ...commands]}`)])
    writeFileSync(unfinished, bytes, { mode: 0o600, flag: 'wx' })
    renameSync(unfinished, path)
    return true
  })
  if (!isKept) unlessRefused(() => rmSync(unfinished, { force: true }))
}

/**
 * Whether a folder belongs to this user alone; a missing folder is created. False on Windows, which has no user ids: nothing is kept there.
 */
function isOwn(folder: string): boolean {
  const user = process.geteuid?.()
  const look = (path: string) => lstatSync(path, { throwIfNoEntry: false })
  const isSo = unlessRefused(() => {
    const around = look(dirname(folder))
    // In another user's folder, even root must not create files that this user cannot remove. Nor in a read-only folder.
    if (user === undefined || around?.uid !== user || (around.mode & 0o200) === 0) return false
    if (look(folder) === undefined) mkdirSync(folder, { mode: 0o700 })
    const there = look(folder)
    return there?.isDirectory() === true && there.uid === user && (there.mode & 0o077) === 0
  })
  return isSo ?? false
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
