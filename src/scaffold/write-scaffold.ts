// A new agent's files → disk: the folder appears whole, then the opening; a failure before that leaves neither.
import { dirname, join, sep } from 'node:path'
import { quoted } from '../format/text/printable.ts'
import { hasBuild } from '../io/bundle/has-build.ts'
import { entryAt } from '../io/read/entry.ts'
import type { Setting } from '../io/setting.ts'
import { makeParents } from '../io/write/make-parents.ts'
import { writeAtomic } from '../io/write/write-atomic.ts'
import { writeTree } from '../io/write/write-tree.ts'
import { RlpError } from '../model/error.ts'
import { UsageError } from '../model/usage-error.ts'

/** Where the agent and its opening go. Labels are as people wrote them. */
export interface ScaffoldPlace {
  readonly path: string
  readonly label: string
  readonly openingPath: string
  readonly opening: string
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

/** @returns the files that were there before and are others now */
export async function writeScaffold(
  place: ScaffoldPlace,
  files: ReadonlyMap<string, Uint8Array>,
  opening: string | undefined,
  force: boolean,
  io: Pick<Setting, 'signal'>,
): Promise<string[]> {
  const options = { force, label: place.label, signal: io.signal }
  if (opening === undefined) return writeTree(place.path, files, options)
  const undo = await makeParents(dirname(place.openingPath))
  let replaced: string[] = []
  try {
    await writeAtomic(place.openingPath, new TextEncoder().encode(opening), {
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
