// A folder for one test file, gone when its tests have ended; and what is in a folder, for "nothing was written".
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

/** Makes folders below one temporary folder that is removed at the end. Every user may look into it. */
export function temporary(name: string): (part: string) => string {
  const root = mkdtempSync(join(tmpdir(), `rlp-${name}-`))
  chmodSync(root, 0o755)
  after(() => {
    makeRemovable(Buffer.from(root))
    rmSync(root, { recursive: true, force: true })
  })
  let count = 0
  return part => {
    const folder = join(root, `${++count}-${part.replace(/[^a-z0-9]+/gi, '-').slice(0, 40)}`)
    mkdirSync(folder)
    return folder
  }
}

/** Folders that cannot be looked into cannot be removed, except by root. Paths are bytes: a name need not be text. */
function makeRemovable(folder: Buffer): void {
  if (process.getuid?.() === 0) return
  chmodSync(folder, 0o755)
  for (const name of readdirSync(folder, 'buffer')) {
    const path = Buffer.concat([folder, Buffer.from('/'), name])
    if (lstatSync(path).isDirectory()) makeRemovable(path)
  }
}

/** Everything below a folder, by path: kind, inode, size, date of change and content. Equal before and after: nothing was written. */
export function snapshot(folder: string): Record<string, string> {
  const all: Record<string, string> = {}
  const pending = ['']
  for (let below = pending.pop(); below !== undefined; below = pending.pop()) {
    for (const name of unlessForbidden(() => readdirSync(join(folder, below))) ?? []) {
      const path = join(below, name)
      const stat = unlessForbidden(() => lstatSync(join(folder, path)))
      all[path] = 'out of sight'
      if (stat === undefined) continue
      if (stat.isDirectory()) pending.push(path)
      const isSmall = stat.isFile() && stat.size < 1_000_000
      const content = isSmall && unlessForbidden(() => readFileSync(join(folder, path), 'latin1'))
      all[path] = `${stat.mode.toString(8)} ${stat.ino} ${stat.mtimeMs} ${content || stat.size}`
    }
  }
  return all
}

function unlessForbidden<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return undefined
    throw error
  }
}
