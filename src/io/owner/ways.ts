// Remembers what is on the ways to the files of one judgement. The ways to policies, marks and overrides begin alike, and each folder and link is
// looked at once.
import { readlinkSync, type Stats } from 'node:fs'
import { sep } from 'node:path'
import { ioError } from '../fail.ts'
import { entryOrNothing } from '../read/entry.ts'

/** A folder, link or file on a way. A link is not followed. */
export interface Segment {
  readonly uid: number
  readonly mode: number
  readonly kind: 'folder' | 'link' | 'other'
}

/**
 * The ways of one judgement, as they were when it first looked. Make one for each judgement, and another one to read what was changed meanwhile.
 * It never remembers a file, or a look that failed.
 */
export class Ways {
  /** Undefined for what is missing. */
  readonly #seen = new Map<string, Segment | undefined>()
  readonly #targets = new Map<Segment, string>()

  /**
   * Returns what is on a way: perhaps what an earlier look saw.
   * @throws RlpError as {@link entryOrNothing}
   */
  at(path: string): Segment | undefined {
    const seen = this.#seen.get(path)
    return seen !== undefined || this.#seen.has(path) ? seen : this.#look(path)
  }

  /**
   * Looks at a file before it is opened. Only that it, or a folder above it, is missing may be what an earlier look saw.
   * @throws RlpError as {@link entryOrNothing}
   */
  file(path: string): Segment | undefined {
    return this.#isMissing(path) ? undefined : this.#look(path)
  }

  /**
   * Returns where a link leads, as it is written there. It is remembered with the link, so that no other user leads it elsewhere after its owner was checked.
   * @param link what was seen at the path
   * @param doing in the grammar of messages
   * @throws RlpError
   */
  target(path: string, link: Segment, doing: string): string {
    const known = this.#targets.get(link)
    if (known !== undefined) return known
    try {
      const target = readlinkSync(path)
      this.#targets.set(link, target)
      return target
    } catch (cause) {
      throw ioError(doing, cause)
    }
  }

  #look(path: string): Segment | undefined {
    const stats = entryOrNothing(path)
    const seen = stats && { uid: stats.uid, mode: stats.mode, kind: kindOf(stats) }
    if (seen?.kind === 'other') this.#seen.delete(path)
    else this.#seen.set(path, seen)
    return seen
  }

  /** By the nearest folder above that is known. */
  #isMissing(path: string): boolean {
    for (let end = path.length; end > 0; end = path.lastIndexOf(sep, end - 1)) {
      const at = path.slice(0, end)
      if (this.#seen.has(at)) return this.#seen.get(at) === undefined
    }
    return false
  }
}

function kindOf(stats: Stats): Segment['kind'] {
  if (stats.isDirectory()) return 'folder'
  return stats.isSymbolicLink() ? 'link' : 'other'
}
