// Finds the files of a folder that git leaves out of the checkout that it is in. Reads .gitignore files only: git itself would run what the
// settings of a stranger's checkout name.
import { dirname, join, relative, sep } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { entryOrNothing } from '../read/entry.ts'
import { readFile } from '../read/read-file.ts'
import { type Ignore, ignoreFrom } from '../read/walk-tree.ts'

/** Folders above one that are searched for a checkout. */
const MOST_ABOVE = 40
/** A longer list of patterns is not looked at. */
const MOST_BYTES = 64 * 1024

/**
 * @param folder absolute
 * @param paths of files below it, with / between their parts
 * @returns those that are ignored, in their order; none where there is no checkout, or where the whole folder is ignored
 */
export async function gitIgnored(folder: string, paths: readonly string[]): Promise<string[]> {
  const root = checkoutAround(folder)
  if (root === undefined) return []
  const patterns = new Patterns(root)
  const inside = relative(root, folder).split(sep).filter(Boolean)
  if (await patterns.leavesOut(inside)) return []
  const ignored: string[] = []
  for (const path of paths)
    if (await patterns.leavesOut([...inside, ...path.split('/')], true)) ignored.push(path)
  return ignored
}

function checkoutAround(folder: string): string | undefined {
  let at = folder
  for (let level = 0; level < MOST_ABOVE; level++) {
    if (entryOrNothing(join(at, '.git')) !== undefined) return at
    const above = dirname(at)
    if (above === at) return undefined
    at = above
  }
  return undefined
}

class Patterns {
  readonly #root: string
  readonly #files = new Map<string, Promise<readonly Ignore[]>>()
  readonly #folders = new Map<string, boolean>()

  constructor(root: string) {
    this.#root = root
  }

  /** Whether a path from the root, or a folder on the way, is ignored. What is in an ignored folder cannot be taken back. */
  async leavesOut(steps: readonly string[], isFile = false): Promise<boolean> {
    for (let length = 1; length <= steps.length; length++) {
      const part = steps.slice(0, length)
      const isFolder = !isFile || length < steps.length
      const key = part.join('/')
      const known = isFolder ? this.#folders.get(key) : undefined
      const isIgnored = known ?? (await this.#says(part, isFolder))
      if (isFolder) this.#folders.set(key, isIgnored)
      if (isIgnored) return true
    }
    return false
  }

  /** The deepest file with a pattern for the path decides. */
  async #says(steps: readonly string[], isFolder: boolean): Promise<boolean> {
    for (let above = steps.length - 1; above >= 0; above--) {
      const path = steps.slice(above).join('/')
      for (const file of await this.#filesIn(steps.slice(0, above))) {
        const said = file.says(path, isFolder)
        if (said !== undefined) return said
      }
    }
    return false
  }

  #filesIn(steps: readonly string[]): Promise<readonly Ignore[]> {
    const key = steps.join('/')
    const known = this.#files.get(key) ?? this.#read(steps)
    this.#files.set(key, known)
    return known
  }

  async #read(steps: readonly string[]): Promise<readonly Ignore[]> {
    const names = steps.length === 0 ? ['.gitignore', '.git/info/exclude'] : ['.gitignore']
    const files: Ignore[] = []
    for (const name of names) {
      const file = await patternsIn(join(this.#root, ...steps, name))
      if (file !== undefined) files.push(file)
    }
    return files
  }
}

/** Undefined if there are none, or none that can be read: this is advice, and no reason to stop. */
async function patternsIn(path: string): Promise<Ignore | undefined> {
  try {
    if (entryOrNothing(path)?.isFile() !== true) return undefined
    const bytes = await readFile(path, { follow: false, most: MOST_BYTES, larger: () => undefined })
    return bytes && (await ignoreFrom(bytes, path))
  } catch (error) {
    if (error instanceof RlpError) return undefined
    throw error
  }
}
