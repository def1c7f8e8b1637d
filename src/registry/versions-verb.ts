// What the library offers of lists: the versions that are stored somewhere.
import type { CallerOptions } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { reachWith } from '../io/wait/reach.ts'
import { type FolderGiven, homeIn } from '../verify/given.ts'
import { type ListedVersions, versionsAt } from './stored-versions.ts'

export interface ListVersionsOptions extends CallerOptions {
  /** The folder whose config.toml may name a mirror, in place of `$RUNLOOP_HOME` or `~/.runloop`; `false` for none. */
  readonly home?: FolderGiven | false
}

/**
 * The tags of a repository or a layout folder: versions, the newest first, and the others.
 *
 * @example
 * const { versions } = await listVersions('oci://registry.example/agents/mailer')
 * console.log(versions[0]?.version)
 *
 * @throws {@link RlpError} `NOT_STORED` for a repository that is not there; `UNREACHABLE`, `NO_PERMISSION`, `STORE` as the registry is; `USAGE`,
 * `CANCELLED`
 */
export async function listVersionsPath(
  from: string,
  options: ListVersionsOptions = {},
): Promise<ListedVersions> {
  return runVerb('listVersions', options, async (given, io) =>
    versionsAt(from, io.cwd, reachWith(io, homeIn(given, io.cwd))),
  )
}
