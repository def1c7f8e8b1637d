// The runner, as it is in the sources and in what is built.
import { dirname, join } from 'node:path'
import { openFile, readWhole } from '../../io/read/read-file.ts'

export interface RunnerFile {
  /** Its ending says how Node reads it. */
  readonly name: string
  readonly bytes: Uint8Array
}

export async function runnerFile(): Promise<RunnerFile> {
  const folder = dirname(import.meta.filename)
  const isSource = import.meta.filename.endsWith('.ts')
  // The library and the program share it.
  const path = isSource ? join(folder, 'runner.ts') : join(folder, '../program/module-runner.cjs')
  const file = await openFile(path, { follow: true })
  try {
    return { name: isSource ? 'runner.mjs' : 'runner.cjs', bytes: await readWhole(file, path) }
  } finally {
    file.handle.close()
  }
}
