// The runner, as it is in the sources and in what is built.
import { dirname, extname, join } from 'node:path'
import { openFile, readWhole } from '../../io/read/read-file.ts'

export interface RunnerFile {
  /** Its ending says how Node reads it. */
  readonly name: string
  readonly bytes: Uint8Array
}

const FILE = 'module-runner.cjs'

export async function runnerFile(): Promise<RunnerFile> {
  const folder = dirname(import.meta.filename)
  const kind = extname(import.meta.filename)
  const isSource = kind === '.ts'
  // The library takes that of the program.
  const built = kind === '.js' ? join(folder, '../program', FILE) : join(folder, FILE)
  const path = isSource ? join(folder, 'runner.ts') : built
  const file = await openFile(path, { follow: true })
  try {
    return { name: isSource ? 'runner.mjs' : 'runner.cjs', bytes: await readWhole(file, path) }
  } finally {
    file.handle.close()
  }
}
