// Reads names and small texts that completion offers words from. Both functions answer a Tab, so they have bounds, never wait, and treat what
// cannot be read as empty.
import { opendirSync, readFileSync, statSync } from 'node:fs'

const MOST_ENTRIES = 1000
const MOST_BYTES = 1_048_576

/** Returns the sorted names in a folder. Of a large folder, it reads only the entries that the system lists first. */
export function someNames(folder: string): string[] {
  return orNothing([], () => {
    const open = opendirSync(folder)
    const names: string[] = []
    for (let entry = open.readSync(); entry !== null && names.length < MOST_ENTRIES; entry = open.readSync())
      names.push(entry.name)
    open.closeSync()
    return names.sort()
  })
}

/** Returns the text of a regular file, also behind a link. A pipe, a device or a large file is empty. */
export function smallText(path: string): string {
  return orNothing('', () => {
    const stat = statSync(path)
    // A file of /proc has no size, and perhaps no end.
    const isSmall = stat.isFile() && stat.size > 0 && stat.size <= MOST_BYTES
    return isSmall ? readFileSync(path, 'utf8') : ''
  })
}

function orNothing<T>(nothing: T, work: () => T): T {
  try {
    return work()
  } catch {
    // A Tab shows no errors.
    return nothing
  }
}
