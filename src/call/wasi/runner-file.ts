// The runner, as it is in the sources and in what is built.
import { basename, extname, join } from 'node:path'
import { openFile, readWhole, withFile } from '../../io/read/read-file.ts'
import { own } from '../../model/own.ts'

export interface RunnerFile {
  /** Its ending says how Node reads it. */
  readonly name: string
  readonly bytes: Uint8Array
}

const BESIDE = 'module-runner.cjs'
/** By the folder that this module is in. The library takes the file of the program. */
const ELSEWHERE: Readonly<Record<string, string>> = { wasi: 'runner.ts', library: `../program/${BESIDE}` }

export async function runnerFile(): Promise<RunnerFile> {
  const folder = import.meta.dirname
  const path = join(folder, own(ELSEWHERE, basename(folder)) ?? BESIDE)
  const bytes = await withFile(openFile(path, { follow: true }), readWhole)
  // The source has nothing but JavaScript in it.
  return { name: `runner${extname(path).replace('.ts', '.mjs')}`, bytes }
}
