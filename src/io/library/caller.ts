// What a caller of the library says of the world around a job → the job's setting, and the paths that it names.

import { basename, resolve } from 'node:path'
import { RlpError, UsageError } from '../../model/error.ts'
import { kindName } from '../../model/kind-name.ts'
import type { OnProgress } from '../../model/progress.ts'
import { isOciReference } from '../../oci/scheme.ts'
import { isUrl, pathOfUrl } from '../file-url.ts'
import type { Target } from '../find/search-folders.ts'
import { absolute } from '../layout-folder.ts'
import type { Setting } from '../setting.ts'
import { anySignal } from '../wait/any-signal.ts'

/** A path, or a `file:` url. */
export type PathGiven = string | URL

/** What every job of the library takes. */
export interface CallerOptions {
  /** Where relative paths begin; the folder of the process where it is left out. */
  readonly cwd?: string | undefined
  /** Environment variables; those of the process where it is left out. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Gives up: the promise is rejected with the code `CANCELLED`, whose `cause` is the reason of the signal, and nothing is half written. */
  readonly signal?: AbortSignal | undefined
}

/** What a job takes that reads or writes a bundle or a folder of any size. */
export interface LongOptions extends CallerOptions {
  /** Told now and then how many bytes are done. What it throws ends the job. */
  readonly onProgress?: OnProgress | undefined
}

/** @param options a copy of them */
export function settingOf(options: LongOptions): Setting {
  const { cwd, env, signal, onProgress } = options
  return {
    onProgress,
    cwd: resolve(cwd ?? ''),
    env: env ?? process.env,
    signal: anySignal(signal ?? new AbortController().signal),
    stdin: () => {
      throw new UsageError('Cannot read standard input: a library has none', { hint: 'Name a file' })
    },
  }
}

/**
 * @param doing for messages: `pack`
 * @throws RlpError USAGE for what is no path
 */
export function pathGiven(given: PathGiven, { cwd }: Pick<Setting, 'cwd'>, doing: string): string {
  if (typeof given === 'string' && given !== '' && !given.includes('\0'))
    return /^file:\/\//i.test(given) ? pathOfUrl(given, doing) : resolve(cwd, given)
  if (isUrl(given)) return pathOfUrl(given, doing)
  const is =
    given === '' ? 'is empty' : typeof given === 'string' ? 'has a zero byte' : `is ${kindName(given)}`
  throw new RlpError('USAGE', `Cannot ${doing}: the path ${is}`, { hint: 'Name a path or a file: URL' })
}

/** What is at a path, called as the caller calls it. */
export function targetGiven(given: PathGiven, io: Pick<Setting, 'cwd'>, doing: string): Target {
  if (typeof given === 'string' && isOciReference(given))
    return { path: absolute(given, io.cwd), label: given }
  const path = pathGiven(given, io, doing)
  return { path, label: typeof given === 'string' && !/^file:/i.test(given) ? given : basename(path) }
}
