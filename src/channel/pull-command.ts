// rlp channel pull: a channel from where it is published into a folder, to work on it.
import { defineCommand } from '../cli/command.ts'
import { REGISTRY_OPTIONS } from '../cli/registry-access.ts'
import { isOciReference } from '../format/oci/scheme.ts'
import { UsageError } from '../model/usage-error.ts'
import { FOLDER, folderUsed, reportPublishing } from './publish-options.ts'
import { pullChannel } from './pull.ts'
import { publishedLines } from './render-channel.ts'

export const command = defineCommand({
  name: 'channel pull',
  summary: 'fetch a trust channel with its drafts into a folder, to work on it',
  positionals: [
    {
      name: 'from',
      required: true,
      complete: 'none',
      describe: 'oci://HOST/REPOSITORY or oci-layout:FOLDER, without a tag',
    },
    FOLDER,
  ],
  options: {
    force: {
      type: 'boolean',
      describe: 'take the draft that is there in the place of another one in the folder',
    },
    ...REGISTRY_OPTIONS,
  },
  examples: [
    ['rlp channel pull oci://registry.example/trust/house house', 'from a registry'],
    ['rlp channel pull oci-layout:published house', 'from a folder'],
  ],
  notes:
    'Each root has to prove the next. What the folder has and the place has not, stays: signatures on one draft are joined. In a new folder compare the digest of the root with the one that the others tell you.',
  async run(args, io) {
    const use = folderUsed(args.folder, 'pull', args, io)
    if (!isOciReference(args.from))
      throw new UsageError(`Cannot pull from "${args.from}": it is no reference`, {
        field: 'from',
        hint: 'Write oci://HOST[:PORT]/REPOSITORY or oci-layout:FOLDER',
      })
    const now = new Date()
    const { contents, isChanged, dropped } = await pullChannel(args.from, args.folder, use, {
      force: args.force,
    })
    return reportPublishing(
      {
        ...{ verb: 'pull', contents, now },
        done: `${args.folder}: ${isChanged ? 'pulled' : 'nothing new'}`,
        lines: publishedLines(contents, now),
        facts: { changed: isChanged, dropped },
        warnings: dropped.map(what => `the draft of ${what} that was in ${args.folder} is gone`),
      },
      args,
      io,
    )
  },
})
