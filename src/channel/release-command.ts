// rlp channel release: drafts the next release of a policy.
import { defineCommand } from '../cli/command.ts'
import { durationTyped } from '../cli/options.ts'
import { namedPath } from '../io/home.ts'
import { UsageError } from '../model/error.ts'
import { digestText } from '../text/digest-text.ts'
import { quoted } from '../text/printable.ts'
import { draftedAnswer } from './answers.ts'
import { draftRelease, type FileToRelease } from './drafting.ts'
import { FOLDER, folderUsed, reportPublishing } from './publish-options.ts'
import { nextLines } from './render-channel.ts'
import { draftedReleaseLines } from './render-draft.ts'

export const command = defineCommand({
  name: 'channel release',
  summary: 'draft the next release of a trust policy',
  positionals: [FOLDER, { name: 'policy', required: true, describe: 'the trust policy' }],
  options: {
    file: {
      type: 'strings',
      placeholder: 'NAME=PATH',
      commas: false,
      describe: 'one more file that hosts get, and what they call it; once for each',
    },
    expires: {
      type: 'string',
      placeholder: 'DURATION',
      default: '30d',
      describe: 'when hosts need a newer release at the latest; at most 90d',
    },
  },
  examples: [
    ['rlp channel release house policy.toml', 'what hosts get, and what it changes'],
    [
      'rlp channel release house policy.toml --file approvals.toml=people.toml --expires 14d',
      'with a file more',
    ],
  ],
  notes:
    'Shows what the policy changes against the present release. Nothing counts until as many people as the root demands have signed it with rlp channel sign. Hosts never go back to an earlier release: release its policy anew.',
  async run(args, io) {
    const use = folderUsed(args.folder, 'release', args, io)
    const expiresSeconds = durationTyped('expires', args.expires)
    const at = (path: string) => ({ path: namedPath(path, io.cwd), label: path })
    const others = args.file.map((typed): FileToRelease => {
      const [, name, path] = /^([^=]+)=(.+)$/.exec(typed) ?? []
      if (name !== undefined && path !== undefined) return { name, ...at(path) }
      throw new UsageError(`Cannot use --file ${quoted(typed)}: it is not NAME=PATH`, {
        field: 'file',
        hint: 'Write what hosts call it, =, and the file: --file approvals.toml=people.toml',
      })
    })
    const now = new Date()
    const how = { ...use, expiresSeconds, now }
    const drafted = await draftRelease(args.folder, at(args.policy), others, how)
    const { contents } = drafted
    const { release } = contents.draft
    return reportPublishing(
      {
        verb: 'release',
        done: `${args.folder}: drafted release ${release?.statement.version}, ${release && digestText(release.digest)}`,
        lines: [...draftedReleaseLines(contents, now), ...nextLines(contents, now)],
        answer: draftedAnswer(drafted, now),
      },
      args,
      io,
    )
  },
})
