// Writes a new agent: its folder appears whole, then the opening. If something fails before that, neither is left.
import { basename, dirname, join, sep } from 'node:path'
import type { PathGiven } from '../io/library/caller.ts'
import { hasBuild } from '../io/read/compare.ts'
import { entryAt, entryOrNothing } from '../io/read/entry.ts'
import { openFile, readWhole, withFile } from '../io/read/read-file.ts'
import type { Setting } from '../io/setting.ts'
import { makeParents } from '../io/write/make-parents.ts'
import { writeTree } from '../io/write/new-files.ts'
import { writeAtomic } from '../io/write/write-atomic.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { quoted } from '../text/printable.ts'

/** Where the agent and its opening go. Labels are as people wrote them. */
export interface ScaffoldPlace {
  readonly path: string
  readonly label: string
  readonly openingPath: string
  readonly opening: string
}

/** A new agent before it is written. */
interface NewAgent {
  readonly name: string
  /** By their paths below its folder, without the placeholder where a build is kept. */
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly kept: string | undefined
  /** The text of its opening, if it gets one. */
  readonly opening: string | undefined
}

export interface OpeningGiven {
  /** Its file; `examples/openings/<name>.yaml` where this is left out. */
  readonly path?: PathGiven
  /** What it is for; `run the <name> agent` where this is left out. */
  readonly goal?: string
  /** Its parameter; `prompt` where this is left out. */
  readonly param?: string
}

export interface ScaffoldResult {
  /** The agent's name. */
  readonly agent: string
  /** The agent's folder, absolute. */
  readonly path: string
  /** Below it. */
  readonly files: readonly string[]
  /** Those that were there before. */
  readonly replaced: readonly string[]
  /** The placeholder among them, which does nothing; undefined if a build is kept. */
  readonly stub: string | undefined
  /** The build that was there and stays, below the folder; undefined if there is none. */
  readonly kept: string | undefined
  /** The opening's file, absolute. */
  readonly opening: string | undefined
  /** Whether a file is new, or has other content now. */
  readonly changed: boolean
}

/**
 * A placeholder never replaces a build, not even with `force`.
 *
 * @returns the build that stays, below the agent's folder; undefined where there is none
 */
export async function keepBuild(
  files: Map<string, Uint8Array>,
  path: string,
  name: string,
  isThere: boolean,
): Promise<string | undefined> {
  const binary = `bin/${name}.wasm`
  if (!isThere || !(await hasBuild(join(path, binary)))) return undefined
  files.delete(binary)
  return binary
}

export async function writeScaffold(
  place: ScaffoldPlace,
  agent: NewAgent,
  force: boolean,
  io: Pick<Setting, 'signal'>,
): Promise<ScaffoldResult> {
  const { name, files, kept, opening } = agent
  const text = opening === undefined ? undefined : new TextEncoder().encode(opening)
  const changed = (await differs(place.path, files)) || (text !== undefined && (await isOther(place, text)))
  const replaced = await writeBoth(place, files, text, force, io)
  return {
    agent: name,
    path: place.path,
    files: [...files.keys()],
    replaced,
    stub: kept === undefined ? `bin/${name}.wasm` : undefined,
    kept,
    opening: text && place.openingPath,
    changed,
  }
}

function isOther({ openingPath }: ScaffoldPlace, text: Uint8Array): Promise<boolean> {
  return differs(dirname(openingPath), new Map([[basename(openingPath), text]]))
}

async function writeBoth(
  place: ScaffoldPlace,
  files: ReadonlyMap<string, Uint8Array>,
  opening: Uint8Array | undefined,
  force: boolean,
  io: Pick<Setting, 'signal'>,
): Promise<string[]> {
  const options = { force, label: place.label, signal: io.signal }
  if (opening === undefined) return writeTree(place.path, files, options)
  const undo = await makeParents(dirname(place.openingPath))
  let replaced: string[] = []
  try {
    await writeAtomic(place.openingPath, opening, {
      label: place.opening,
      before: async () => {
        if (!force && isTaken(place)) throw openingTaken(place.opening)
        replaced = await writeTree(place.path, files, options)
      },
    })
  } catch (error) {
    await undo()
    throw error
  }
  return replaced
}

/** @param field the option that names the opening's file */
export function refuseInAgent({ path, openingPath, opening }: ScaffoldPlace, field: string): void {
  if (openingPath !== path && !openingPath.startsWith(path + sep)) return
  throw new UsageError(`Cannot write the opening to ${quoted(opening)}: it is in the agent’s folder`, {
    field,
    hint: 'An opening runs agents and belongs beside them, for example in examples/openings',
  })
}

export function isTaken({ openingPath, opening }: ScaffoldPlace): boolean {
  const entry = entryAt(openingPath)
  if (!entry?.isDirectory()) return entry !== undefined
  throw new RlpError('WRONG_FILE_TYPE', `Cannot write "${opening}": it is a folder`, {
    hint: 'Name a file with --opening-path',
  })
}

export function openingTaken(label: string): RlpError {
  return new RlpError('EXISTS', `Cannot create "${label}": path already exists`, {
    hint: 'Choose another file with --opening-path, or add --force to replace it',
  })
}

export interface Replacement {
  /** Below the folder. */
  readonly path: string
  readonly before: Uint8Array
  readonly text: string
}

/** The files that replace one of other content. @throws RlpError NO_PERMISSION, CHANGED_WHILE_READING */
export async function replacementsIn(
  folder: string,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<Replacement[]> {
  const replaced: Replacement[] = []
  for (const [path, content] of files) {
    const before = await bytesAt(folder, path)
    if (before === undefined || Buffer.compare(before, content) === 0) continue
    replaced.push({ path, before, text: Buffer.from(content).toString() })
  }
  return replaced
}

/** Whether a file is missing, or has other content. */
async function differs(folder: string, files: ReadonlyMap<string, Uint8Array>): Promise<boolean> {
  for (const [path, content] of files) {
    const before = await bytesAt(folder, path).catch(unreadable)
    if (before === undefined || Buffer.compare(before, content) !== 0) return true
  }
  return false
}

/** A file that may not be read can still be replaced, and is not known to be the same. */
function unreadable(error: unknown): undefined {
  if (error instanceof RlpError && error.code === 'NO_PERMISSION') return
  throw error
}

/** Undefined for what is no file, and for a link: it is replaced itself, and what it leads to stays. */
async function bytesAt(folder: string, path: string): Promise<Uint8Array | undefined> {
  const place = join(folder, path)
  if (entryOrNothing(place)?.isFile() !== true) return undefined
  return withFile(openFile(place, { follow: false, label: path }), readWhole)
}
