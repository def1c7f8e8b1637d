// Folders that a grant may name: those of other tests are in memory, below /dev, which is granted to no program.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'

/** A function that makes folders which every user can reach; they are gone when the file's tests end. */
export function grantable(name: string): (sub: string) => string {
  let base: string | undefined
  let count = 0
  after(() => {
    if (base !== undefined) rmSync(base, { recursive: true, force: true })
  })
  return sub => {
    if (base === undefined) {
      base = mkdtempSync(`/var/tmp/rlp-${name}-`)
      chmodSync(base, 0o755)
    }
    const path = join(base, `${++count}-${sub}`)
    mkdirSync(path, { mode: 0o755 })
    return path
  }
}
