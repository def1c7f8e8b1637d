// What the library lists of a repository: its versions. rlp agent list does it with a reference.
import { defineVerb, needed } from '../../verb/index.ts'
import { reachBy } from '../../verb/kinds/registry.ts'
import { folderOrNone } from '../../verify/judging-inputs.ts'
import { givenStored } from '../inputs.ts'
import { type ListedVersions, versionsAt } from '../stored-versions.ts'

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
export const verb = defineVerb({
  name: 'listVersions',
  summary: 'list the versions in a repository',
  arguments: ['from'],
  inputs: {
    from: needed(givenStored('list')),
    /** The folder whose config.toml may name a mirror, in place of `$RUNLOOP_HOME` or `~/.runloop`; `false` for none. */
    home: folderOrNone,
  },
  async run({ from, home }, world): Promise<ListedVersions> {
    return versionsAt(from, reachBy(world, home))
  },
})
