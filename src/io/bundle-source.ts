// What people name to install → the path of a bundle that is there. Nothing is ever fetched.
import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MANIFEST_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import { io } from './fail.ts'
import type { Target } from './find-agents.ts'

/**
 * @param arg a path, or a `file://` url
 * @throws RlpError USAGE for any other url, NOT_FOUND, WRONG_FILE_TYPE for a manifest by itself
 */
export async function bundleSource(arg: string, cwd: string): Promise<Target> {
  const path = resolve(cwd, /^file:/i.test(arg) ? pathOfUrl(arg) : refuseUrl(arg))
  const found = await io(`install "${arg}"`, () => stat(path))
  if (found.isFile() && basename(path) === MANIFEST_FILE) {
    throw new RlpError('WRONG_FILE_TYPE', `Cannot install "${arg}": it is a manifest by itself`, {
      hint: 'Name the folder that it stands in, or better the bundle that rlp agent pack made of it',
    })
  }
  return { path, label: arg }
}

function refuseUrl(arg: string): string {
  const [, scheme] = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(arg) ?? []
  if (scheme === undefined) return arg
  throw new RlpError('USAGE', `Cannot install "${arg}": rlp fetches nothing from the network`, {
    hint: 'Download it first, then name the file',
  })
}

function pathOfUrl(arg: string): string {
  try {
    return fileURLToPath(arg)
  } catch (cause) {
    // Node’s words for a host, an encoded slash or a text that is no url.
    throw new RlpError('USAGE', `Cannot install "${arg}": it names no file of this machine`, {
      cause,
      hint: 'Write file:// and an absolute path',
    })
  }
}
