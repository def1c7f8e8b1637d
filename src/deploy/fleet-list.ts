// A list of bundles → its lines, one by one, as they are read.
import { resolve } from 'node:path'
import { decodeText } from '../format/text/decode.ts'
import { boundedLines } from '../io/bounded-lines.ts'
import { openFile, readChunks } from '../io/read-file.ts'
import type { Setting } from '../io/setting.ts'
import { byteLimit, LIST_LINE_BYTES } from '../model/limits.ts'

/** A name, or why the line has none. */
export type ListedName = { readonly name: string } | { readonly problem: string }

/** @param file a path, or `-` for standard input. Empty lines are left out */
export async function* listedNames(file: string, setting: Setting): AsyncGenerator<ListedName> {
  for await (const { bytes } of boundedLines(chunksOf(file, setting), LIST_LINE_BYTES)) {
    if (bytes === undefined)
      yield {
        problem: `a line of the list is longer than ${byteLimit(LIST_LINE_BYTES)}: write one path a line`,
      }
    else {
      const read = decodeText(bytes)
      if (read.ok) yield { name: read.text.replace(/\r$/, '') }
      else if (read.problem.code !== 'empty')
        yield { problem: `a line of the list is no text: ${read.problem.message}` }
    }
  }
}

async function* chunksOf(file: string, { cwd, stdin }: Setting): AsyncGenerator<Uint8Array> {
  if (file === '-') {
    yield* stdin()
    return
  }
  const open = await openFile(resolve(cwd, file), { follow: true, label: file })
  try {
    yield* readChunks(open, file)
  } finally {
    open.handle.close()
  }
}
