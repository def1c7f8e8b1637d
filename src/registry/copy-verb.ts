// What the library offers of copy: one stored bundle to another registry or layout folder.
import { absolute } from '../io/layout-folder.ts'
import type { LongOptions } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { reachWith } from '../io/wait/reach.ts'
import { type FolderGiven, homeIn } from '../verify/given.ts'
import { type Copied, copyBundle } from './copy.ts'
import { pushTarget } from './push-target.ts'

export interface CopyOptions extends LongOptions {
  /** Move a tag that names other content. */
  readonly force?: boolean
  /** Look what is there, and store nothing: the answer says what would be. */
  readonly dryRun?: boolean
  /** False copies the bundle alone, without the signatures and statements that are attached to it. */
  readonly attach?: boolean
  /** The folder whose config.toml may name a mirror of `from`, in place of `$RUNLOOP_HOME` or `~/.runloop`; `false` for none. */
  readonly home?: FolderGiven | false
}

/**
 * Copies a stored bundle byte for byte, with the signatures and statements that are attached to it. Its digest stays the same, and what is
 * there already is not sent. It judges nothing: readers of the copy do. If the registry keeps nothing beside a bundle, the bundle alone is
 * copied, and `lost` names what stayed behind.
 *
 * @param from `oci://HOST[:PORT]/REPOSITORY[:TAG][@sha256:HEX]` or `oci-layout:FOLDER[:TAG][@sha256:HEX]`
 * @param to a registry or a layout folder, with a tag of its own or the one of `from`; with a `/` at the end, the repository is called after the agent
 *
 * @example
 * const { reference } = await copy('oci://dev.example/agents/mailer:0.1.0', 'oci://registry.example/agents/')
 *
 * @throws {@link RlpError} `EXISTS` for a tag with other content; `USAGE` for a reference or target that is wrong; `NOT_STORED`, `UNREACHABLE`,
 * `NO_PERMISSION`, `STORE` as the registries are; `CANCELLED`
 */
export async function copyPath(from: string, to: string, options: CopyOptions = {}): Promise<Copied> {
  return runVerb('copy', options, async (given, io) => {
    return copyBundle(
      { path: absolute(from, io.cwd), label: from },
      {
        to: pushTarget(absolute(to, io.cwd), 1, 'copy'),
        force: given.force === true,
        dryRun: given.dryRun === true,
        attach: given.attach !== false,
        ...reachWith(io, homeIn(given, io.cwd)),
      },
    )
  })
}
