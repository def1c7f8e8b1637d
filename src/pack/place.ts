// Whether a bundle may be written to the requested path.
import { isAbsolute, relative } from 'node:path'
import type { Target } from '../io/find/find-agents.ts'
import { standingAt } from '../io/read/inspect-file.ts'
import { RlpError } from '../model/error.ts'

/** Refuses two agents with one file name. */
export function refuseTwice(written: Map<string, string>, path: string, out: string, label: string): void {
  const other = written.get(path)
  written.set(path, label)
  if (other === undefined) return
  throw new RlpError('EXISTS', `Cannot pack "${label}": ${other} has just been written to ${out}`, {
    hint: 'Give the agents different names or versions',
  })
}

/** An unsigned bundle can be made again at once; a signature or another file cannot. */
export async function refuseToLose(path: string, out: string, force: boolean): Promise<void> {
  const found = await standingAt(path)
  if (found === 'nothing' || found === 'unsigned-bundle') return
  if (found === 'no-file') {
    throw new RlpError('WRONG_FILE_TYPE', `Cannot write "${out}": a folder, a link or a device is there`, {
      hint: 'Choose another name with --out',
    })
  }
  if (force) return
  const what = found === 'signed-bundle' ? 'a signed bundle' : 'another file'
  throw new RlpError('EXISTS', `Cannot write "${out}": ${what} is there`, {
    hint:
      found === 'signed-bundle'
        ? 'Raise version in manifest.toml, and pack a new version; or choose another name with --out. --force replaces it, and its signatures are lost'
        : 'Choose another name with --out, or move it away; --force replaces it',
  })
}

/** A bundle inside the folder that it is made of would be a file of the next one; an archive is no place for its bundle either. */
export function refuseInside(target: Target, path: string, out: string): void {
  if (target.path === path) {
    throw new RlpError('USAGE', `Cannot write "${out}": it is the archive that is packed`, {
      hint: 'Choose another name with --out',
    })
  }
  const inner = relative(target.path, path)
  if (inner.startsWith('..') || isAbsolute(inner)) return
  throw new RlpError('USAGE', `Cannot write "${out}": it is inside the agent’s own folder`, {
    hint: 'Choose a folder outside with --out-dir, for example --out-dir ../dist',
  })
}
