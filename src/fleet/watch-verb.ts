// What the library offers of a folder of bundles that changes while it is used.
import { kindAt } from '../io/find/search-folders.ts'
import { type CallerOptions, type PathGiven, pathGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { folderNames } from '../io/read/folder-names.ts'
import { RlpError } from '../model/error.ts'
import { eachOf, type OneOrMore } from '../model/one-or-more.ts'
import { UsageError } from '../model/usage-error.ts'
import { type ExamineOptions, readWith } from '../verify/examine.ts'
import { type FolderGiven, fileInput } from '../verify/given.ts'
import { judgeCandidate } from '../verify/judge-candidate.ts'
import type { LoadedBundle } from '../verify/load.ts'
import { loadExamined } from '../verify/load-examined.ts'
import { agreeing } from '../verify/lock-given.ts'
import { type TrustOptions, trustInput } from '../verify/trust-given.ts'
import type { WatchEvent } from './watch-event.ts'
import { type WatchedBundle, WatchedBundles } from './watched-bundles.ts'

export interface WatchBundlesOptions extends CallerOptions, TrustOptions {
  /**
   * Which agent each file has to be: `name[@variant][@range]`, or `any`. Where it is left out, `<name>.agent.bundle` and
   * `<name>-<version>.agent.bundle` say it.
   */
  readonly expect?: (file: string) => string | undefined
  /** Accept sound bundles without signature. */
  readonly allowUnsigned?: boolean
  /** Locks of which each bundle has to be pinned in one, as each pins it that names its agent. */
  readonly lock?: OneOrMore<FolderGiven>
  /** Told of each change, in order, from the first look on. */
  readonly onEvent?: (event: WatchEvent) => void
  /** After so many milliseconds every bundle is judged again, by the policies, marks, overrides and clock of that time; 5,000. */
  readonly judgeEveryMs?: number
}

export interface BundleWatch {
  /** Those that may be used now, by the names of their files. Read it anew for each use. */
  readonly bundles: () => ReadonlyMap<string, LoadedBundle>
  /** Ends it. */
  close(): Promise<void>
}

/**
 * The bundles of a folder that may be used, kept up to date. Settles when each file of it was judged. A broken file leaves the last good one
 * in use; a revocation, an end or a new policy ends that too.
 *
 * @example
 * const watched = await watchBundles('bundles', { onEvent: ({ is, file }) => console.log(is, file) })
 * const mailer = watched.bundles().get('mailer.agent.bundle')
 *
 * @throws {@link RlpError} `NOT_FOUND`, `NO_PERMISSION` for a folder that cannot be read; `USAGE`, `CANCELLED`
 */
export async function watchBundlesIn(
  folder: PathGiven,
  options: WatchBundlesOptions = {},
): Promise<BundleWatch> {
  return runVerb('watchBundles', options, async (given, io) => {
    const { onEvent = () => {}, judgeEveryMs = 5_000, expect, allowUnsigned, lock } = given
    if (!(judgeEveryMs >= 100 && judgeEveryMs <= 2 ** 31 - 1))
      throw new UsageError('Cannot watch: judgeEveryMs is less than 100, or more than timers count', {
        field: 'judgeEveryMs',
        hint: 'Give a number of milliseconds',
      })
    const path = pathGiven(folder, io, 'watch')
    if (kindAt(path) !== 'folder')
      throw new RlpError('NOT_FOUND', `Cannot watch "${path}": there is no such folder`, {
        hint: 'Make it first',
      })
    const judging = {
      ...trustInput({ ...given, cwd: io.cwd, env: io.env }),
      allowUnsigned,
      locks: await agreeing(eachOf(lock, 'lock').map(one => fileInput(one, 'lock', io.cwd))),
    }
    const watched = new WatchedBundles({
      ...{ folder: path, onEvent, judgeEveryMs, signal: io.signal },
      open: (file, signal) => opened(file, expect?.(file) ?? impliedBy(file), { ...judging, signal }),
    })
    try {
      await watched.begin(() => folderNames(path))
    } catch (error) {
      await watched.close()
      throw error
    }
    return { bundles: () => watched.bundles, close: () => watched.close() }
  })
}

/** `mailer.agent.bundle` is no name that says a version; the agent is all that it says. */
function impliedBy(path: string): string | undefined {
  return /(?:^|[/\\])([a-z][a-z0-9_]*(?:@[a-z0-9][a-z0-9_-]*)?)\.agent\.bundle(?:\.gz)?$/.exec(path)?.[1]
}

async function opened(
  path: string,
  expected: string | undefined,
  options: ExamineOptions,
): Promise<WatchedBundle> {
  const reading = { ...options, expect: expected, mustExpect: true }
  const { candidate, expect, attested } = await readWith(path, reading, 'all')
  const judge = async (): Promise<WatchedBundle> => ({
    bundle: loadExamined(await judgeCandidate(candidate, expect, { ...options, attested }), options),
    again: judge,
  })
  return judge()
}
