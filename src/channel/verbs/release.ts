// rlp channel release: drafts the next release of a policy.
import { namedPath } from '../../io/home.ts'
import { type PathGiven, targetGiven } from '../../io/library/caller.ts'
import { UsageError } from '../../model/error.ts'
import { isTable } from '../../model/own.ts'
import { digestText } from '../../text/digest-text.ts'
import { quoted } from '../../text/printable.ts'
import { type At, checked, commandOf, defineVerb, type Input, needed } from '../../verb/index.ts'
import { type ChannelChanged, draftedAnswer } from '../answers.ts'
import { draftRelease, type FileToRelease } from '../drafting.ts'
import { CHANNEL, channelFolder, channelUse, lastingFor } from '../inputs.ts'
import { doneText, nextLines, PUBLISHING } from '../render-channel.ts'
import { draftedReleaseLines } from '../render-draft.ts'

type FilesGiven = Readonly<Record<string, PathGiven>>

const givenFiles = checked(
  (given): given is FilesGiven => isTable(given),
  'an object with a path for each name',
)

const policy: Input<PathGiven, Omit<FileToRelease, 'name'>> = {
  type: 'PathGiven',
  typed: { type: 'string', describe: 'the trust policy' },
  fromTyped: fileTyped,
  fromGiven: (given, { world }) => targetGiven(given, world, 'release'),
}

const files: Input<FilesGiven, readonly FileToRelease[]> = {
  type: '{ readonly [name: string]: PathGiven }',
  typed: {
    flag: 'file',
    type: 'strings',
    placeholder: 'NAME=PATH',
    commas: false,
    describe: 'one more file that hosts get, and what they call it; once for each',
  },
  absent: () => [],
  fromTyped: (typed: readonly string[], at: At) =>
    typed.map(one => {
      const [, name, path] = /^([^=]+)=(.+)$/.exec(one) ?? []
      if (name !== undefined && path !== undefined) return { name, ...fileTyped(path, at) }
      throw new UsageError(`Cannot use --file ${quoted(one)}: it is not NAME=PATH`, {
        field: 'file',
        hint: 'Write what hosts call it, =, and the file: --file approvals.toml=people.toml',
      })
    }),
  fromGiven: (given, at) =>
    Object.entries(givenFiles(given, at)).map(([name, path]) => ({
      name,
      ...targetGiven(path, at.world, 'release'),
    })),
}

function fileTyped(label: string, { world }: At) {
  return { path: namedPath(label, world.cwd), label }
}

/**
 * Drafts the next release of a trust policy. It counts once enough people have signed it.
 *
 * @example
 * const { draft, lacking } = await channelRelease('house', 'policy.toml')
 * console.log(draft.release?.version, lacking)
 *
 * @throws {@link RlpError} `LINT_FAILED` for a policy that no host would take, `NOT_VERIFIED` for a release that would last too long, `USAGE` for names of
 * files, `NOT_FOUND`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'channel release',
  summary: 'draft the next release of a trust policy',
  arguments: ['folder', 'policy'],
  inputs: {
    folder: channelFolder('release'),
    policy: needed(policy),
    /** Further files that hosts get, by what hosts call them. */
    files,
    /** When hosts need a newer release at the latest; 30 days where this is left out, at most 90. */
    expiresSeconds: lastingFor(
      'when hosts need a newer release at the latest; at most 90d',
      'expires',
      '30d',
    ),
    ...CHANNEL,
  },
  async run({ folder, policy, files, expiresSeconds, now }, world) {
    const use = await channelUse(world)
    const drafted = await draftRelease(folder, policy, files, { ...use, expiresSeconds, now })
    return { ...drafted, answer: draftedAnswer(drafted, now) }
  },
  answer: ({ answer }): ChannelChanged => answer,
})

export const command = commandOf(verb, {
  ...PUBLISHING,
  examples: [
    ['rlp channel release house policy.toml', 'what hosts get, and what it changes'],
    [
      'rlp channel release house policy.toml --file approvals.toml=people.toml --expires 14d',
      'with a file more',
    ],
  ],
  notes:
    'Shows what the policy changes against the present release. Nothing counts until as many people as the root demands have signed it with rlp channel sign. Hosts never go back to an earlier release: release its policy anew.',
  text({ contents }, { asked: { folder, now }, style }) {
    const { release } = contents.draft
    const done = `${folder}: drafted release ${release?.statement.version}, ${release && digestText(release.digest)}`
    return doneText(done, [...draftedReleaseLines(contents, now), ...nextLines(contents, now)], style)
  },
})
