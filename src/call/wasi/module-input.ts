// A named file, standard input, or what a program hands in → chunks for a module that runs.
import { resolve } from 'node:path'
import { closingChunks, type OpenFile, openFile } from '../../io/read/read-file.ts'
import type { Setting } from '../../io/setting.ts'

/**
 * The file is opened before anything runs.
 * @param name a path; `-` or undefined for standard input
 * @throws RlpError NOT_FOUND, WRONG_FILE_TYPE, NO_PERMISSION
 */
export async function moduleInput(name: string | undefined, io: Setting): Promise<AsyncIterable<Uint8Array>> {
  if (name === undefined || name === '-') return io.stdin()
  return copiesOf(await openFile(resolve(io.cwd, name), { follow: true, label: name }))
}

async function* copiesOf(file: OpenFile): AsyncGenerator<Uint8Array> {
  // A chunk is overwritten while the program still reads it.
  for await (const chunk of closingChunks(file)) yield Uint8Array.from(chunk)
}
