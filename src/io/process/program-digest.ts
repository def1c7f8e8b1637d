// The program that runs → one sha256 over its files, for a statement about what it made.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * What `sha256sum *.cjs | sha256sum` prints in the folder of the program, in the order of the C locale. Undefined for sources that were not
 * built, and for a program that bundles this one.
 */
export async function programDigest(
  folder: string = dirname(import.meta.filename),
): Promise<string | undefined> {
  const names = (await readdir(folder)).filter(name => name.endsWith('.cjs')).sort()
  if (!names.includes('rlp.cjs')) return undefined
  const list = createHash('sha256')
  for (const name of names) {
    const one = createHash('sha256').update(await readFile(join(folder, name)))
    list.update(`${one.digest('hex')}  ${name}\n`)
  }
  return list.digest('hex')
}
