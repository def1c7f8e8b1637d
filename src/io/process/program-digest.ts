// The program that runs → one sha256 over its files, for a statement about what it made.
import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * What `sha256sum *.cjs | sha256sum` prints in the folder of the program, in the order of the C locale. Undefined for sources that were not
 * built, and for a program that bundles this one.
 */
export async function programDigest(
  folder: string = dirname(import.meta.filename),
): Promise<string | undefined> {
  const names = readdirSync(folder)
    .filter(name => name.endsWith('.cjs'))
    .sort()
  if (!names.includes('rlp.cjs')) return undefined
  const list = createHash('sha256')
  // One buffer for all: a program has hundreds of files, and as many buffers would stay for a while.
  const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  for (const name of names) list.update(`${sha256At(join(folder, name), buffer)}  ${name}\n`)
  return list.digest('hex')
}

const BUFFER_BYTES = 64 * 1024

function sha256At(path: string, buffer: Buffer): string {
  const file = openSync(path, 'r')
  try {
    const hash = createHash('sha256')
    for (let count = readSync(file, buffer); count > 0; count = readSync(file, buffer))
      hash.update(buffer.subarray(0, count))
    return hash.digest('hex')
  } finally {
    closeSync(file)
  }
}
