// A named file, standard input, or what a program hands in → chunks for a module that runs.
import { resolve } from 'node:path'
import { type OpenFile, openFile, readChunks } from '../../io/read/read-file.ts'
import type { Setting } from '../../io/setting.ts'

/**
 * The file is opened before anything runs.
 * @param name a path; `-` or undefined for standard input
 * @throws RlpError NOT_FOUND, WRONG_FILE_TYPE, NO_PERMISSION
 */
export async function moduleInput(name: string | undefined, io: Setting): Promise<AsyncIterable<Uint8Array>> {
  if (name === undefined || name === '-') return io.stdin()
  return chunksOf(await openFile(resolve(io.cwd, name), { follow: true, label: name }), name)
}

async function* chunksOf(file: OpenFile, name: string): AsyncGenerator<Uint8Array> {
  try {
    // A chunk is overwritten while the program still reads it.
    for await (const chunk of readChunks(file, name)) yield Uint8Array.from(chunk)
  } finally {
    file.handle.close()
  }
}
