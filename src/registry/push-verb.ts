// What the library offers of push: one bundle into a registry or a layout folder.
import { attestationsOf } from '../io/bundle/read-attestations.ts'
import { absolute } from '../io/layout-folder.ts'
import { type LongOptions, type PathGiven, pathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { reachWith } from '../io/wait/reach.ts'
import { type Pushed, pushBundle } from './push.ts'
import { pushTarget, refuseStored } from './push-target.ts'

export interface PushOptions extends LongOptions {
  /** Move a tag that names other content. It is not needed for renewed signatures by the same signers. */
  readonly force?: boolean
  /**
   * What others state about it, to go beside it: the path of such a file, or its bytes. The file beside the bundle,
   * `<bundle>.intoto.jsonl`, where this is left out; false for none.
   */
  readonly attach?: PathGiven | Uint8Array | false
  /** Push a sound bundle without signature. */
  readonly allowUnsigned?: boolean
  /** Look what is there, and store nothing: the answer says what is new. */
  readonly dryRun?: boolean
}

/**
 * Stores a bundle, and gives it its version as the tag. What is there already is not sent again. A new statement by a key takes the place of what
 * this key alone has stated before, in a statement of the same type about the same bundle.
 *
 * @param to `oci://HOST[:PORT]/REPOSITORY[:TAG]` or `oci-layout:FOLDER[:TAG]`; with a `/` at the end, the repository is called after the agent
 *
 * @example
 * const { reference, manifest } = await push('dist/mailer-0.1.0.agent.bundle', 'oci://registry.example/agents/')
 * console.log(reference, manifest)
 *
 * @throws {@link RlpError} `NOT_VERIFIED` for a bundle that is not sound, or is unsigned; `EXISTS` for a tag with other content; `USAGE` for a
 * target that is wrong; `UNREACHABLE`, `NO_PERMISSION`, `STORE` as the registry is; `CANCELLED`
 */
export async function pushPath(bundle: PathGiven, to: string, options: PushOptions = {}): Promise<Pushed> {
  return runVerb('push', options, async (given, io) => {
    const target = targetGiven(bundle, io, 'push')
    refuseStored(target)
    const { attach: named } = given
    const attach =
      named === undefined || named === false
        ? named
        : await attestationsOf('', named instanceof Uint8Array ? named : pathGiven(named, io, 'attach'))
    return pushBundle(target, {
      attach,
      to: pushTarget(absolute(to, io.cwd), 1),
      force: given.force === true,
      allowUnsigned: given.allowUnsigned === true,
      dryRun: given.dryRun === true,
      ...reachWith(io),
    })
  })
}
