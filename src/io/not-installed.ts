// A name that is not installed → where it is, and what to type: sources and packed bundles lie beside the current folder.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readReference, referenceText } from '../format/agent-name.ts'
import { writeWords } from '../format/text/shell-words.ts'
import { MANIFEST_FILE } from '../model/agent.ts'
import { ioNow } from './fail.ts'
import { isFile, kindAt } from './search-folders.ts'

/** The command that would work for `arg`, and why; undefined if nothing of this name is here. */
export function foundElsewhere(command: string, arg: string, cwd: string): string | undefined {
  const reference = readReference(arg)
  if (reference === undefined) return undefined
  const packed = packedOf(referenceText(reference), cwd)
  if (packed !== undefined) return `It is packed, not installed: ${command} ${writeWords([packed])}`
  const source = `agents/${arg}`
  if (!isFile(join(cwd, source, MANIFEST_FILE))) return undefined
  return `${source} is its source, and this command takes bundles: pack it first with rlp agent pack ${writeWords([arg])}`
}

/** The newest by name of the files that pack has written. */
function packedOf(agent: string, cwd: string): string | undefined {
  for (const folder of ['dist', '.']) {
    if (kindAt(join(cwd, folder)) !== 'folder') continue
    const names = ioNow(`read the folder "${folder}"`, () => readdirSync(join(cwd, folder)))
    const found = names
      .filter(name => name.startsWith(`${agent}-`) && /\.agent\.bundle(?:\.gz)?$/.test(name))
      .sort()
      .at(-1)
    if (found !== undefined) return folder === '.' ? found : `${folder}/${found}`
  }
  return undefined
}
