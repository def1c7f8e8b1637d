// A named file, or standard input → chunks for a module that runs.
import { resolve } from 'node:path'
import { type OpenFile, openFile, readChunks } from '../../io/read/read-file.ts'
import type { Setting } from '../../io/setting.ts'

/**
 * The file is opened before anything runs.
 * @param name a path; `-` or undefined for standard input
 * @param onLost told why no more can be read; then the input has no end, and the module must not take it for whole
 * @throws RlpError NOT_FOUND, WRONG_FILE_TYPE, NO_PERMISSION
 */
export async function moduleInput(
  name: string | undefined,
  io: Setting,
  onLost: (error: unknown) => void,
): Promise<AsyncIterable<Uint8Array>> {
  if (name === undefined || name === '-') return untilLost(() => io.stdin(), onLost)
  const file = await openFile(resolve(io.cwd, name), { follow: true, label: name })
  return untilLost(() => chunksOf(file, name), onLost)
}

async function* untilLost(
  open: () => AsyncIterable<Uint8Array>,
  onLost: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* open()
  } catch (error) {
    onLost(error)
    await new Promise(() => {})
  }
}

async function* chunksOf(file: OpenFile, name: string): AsyncGenerator<Uint8Array> {
  try {
    // A chunk is overwritten while the program still reads it.
    for await (const chunk of readChunks(file, name)) yield Uint8Array.from(chunk)
  } finally {
    file.handle.close()
  }
}
