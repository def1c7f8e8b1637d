// rlp channel sign: adds a signature to what is drafted, after it was shown.
import { type CommandArgs, defineCommand, type ExitCode, type Io } from '../cli/command.ts'
import { askForYes, mayAsk, type OpenPrompter, openTerminal } from '../cli/interactive.ts'
import { note } from '../cli/render/report.ts'
import { RlpError } from '../model/error.ts'
import { KEY_OPTION, signerCalled } from '../sign/signing-options.ts'
import { digestText } from '../text/digest-text.ts'
import { signedAnswer } from './answers.ts'
import { AFTER_END_OPTION, FOLDER, folderUsed, reportPublishing } from './publish-options.ts'
import { indented, nameText, nextLines } from './render-channel.ts'
import { toSignLines } from './render-draft.ts'
import { type DraftsToSign, signDrafts } from './sign.ts'
import { writtenKeys } from './signatures.ts'

const OPTIONS = {
  key: { ...KEY_OPTION, required: true },
  'after-end': AFTER_END_OPTION,
  yes: { type: 'boolean', alias: 'y', describe: 'sign without a question; never an answer for --after-end' },
} as const

const POSITIONALS = [FOLDER] as const

export const command = defineCommand({
  name: 'channel sign',
  summary: 'sign what is drafted, after looking at it',
  positionals: POSITIONALS,
  options: OPTIONS,
  examples: [
    ['rlp channel sign house --key ada', 'looks, asks, signs'],
    ['rlp channel sign house --key ada --yes', 'without the question'],
    ['rlp channel sign house --key ada --after-end 1 --yes', 'after hosts have heard nothing for too long'],
    ['rlp channel sign house --key ssh-agent:ada', 'with a key that stays in the ssh agent'],
  ],
  notes:
    'Says which release and heartbeat it builds on, and refuses if you have seen a newer one, or if the newest heartbeat has expired without --after-end. Shows who may speak then, what is trusted now and was not before, and who is lacking afterwards. What has all its signatures is complete. Each key signs once, and a key of heartbeats signs no release.',
  run: (args, io) => runChannelSign(args, io, openTerminal),
})

/** @param open asks a person, if there is one */
export async function runChannelSign(
  args: CommandArgs<typeof OPTIONS, typeof POSITIONALS>,
  io: Io,
  open: OpenPrompter,
): Promise<ExitCode> {
  const use = folderUsed(args.folder, 'sign', args, io)
  const now = new Date()
  const signer = await signerCalled(args.key, io)
  const approve = (what: DraftsToSign) => approved(what, now, args, io, open)
  const how = { ...use, now, afterEnd: args.afterEnd }
  const done = await signDrafts(args.folder, signer, how, approve)
  const { contents, signed } = done
  return reportPublishing(
    {
      verb: 'sign',
      done: `${args.folder}: ${signedText(signed)} signed by ${writtenKeys(contents)(signed.signer)}`,
      lines: [
        ...completeLines(signed, contents.roots.length, contents.release?.digest),
        ...nextLines(contents, now),
      ],
      answer: signedAnswer(done, now),
    },
    args,
    io,
  )
}

function signedText({ root, release }: DraftsToSign): string {
  return [root, release]
    .filter(one => one !== undefined)
    .map(({ statement, digest }) => `${statement.kind} ${statement.version} (${digestText(digest)})`)
    .join(' and ')
}

function completeLines({ contents }: DraftsToSign, roots: number, release: string | undefined): string[] {
  const { draft } = contents
  return [
    ...(roots > contents.roots.length ? [`root ${roots} is complete`] : []),
    ...(draft.release !== undefined && draft.release.digest === release
      ? [`release ${draft.release.statement.version} is complete`]
      : []),
  ]
}

/** @throws RlpError NEEDS_ANSWER where no person can be asked, CANCELLED unless the answer is yes */
async function approved(
  what: DraftsToSign,
  now: Date,
  args: CommandArgs<typeof OPTIONS, typeof POSITIONALS>,
  io: Io,
  open: OpenPrompter,
): Promise<void> {
  const title = `Channel ${nameText(what.contents.name)}: ${signedText(what)}`
  const lines = toSignLines(what, now)
  const doing = `sign "${args.folder}"`
  const isAsked = !args.yes && mayAsk(io, { json: args.json, nonInteractive: false })
  if (!isAsked) for (const line of [title, ...indented(lines)]) note(io, args, line)
  if (args.yes) return
  if (!isAsked)
    throw new RlpError('NEEDS_ANSWER', `Cannot ${doing}: no person can be asked`, {
      hint: 'Look at what is drafted, then repeat with --yes',
    })
  const prompter = await open(doing, io)
  prompter.note(lines.join('\n'), title)
  await askForYes(prompter, 'Sign this?', { doing, otherwise: 'nothing was signed', taken: 'yes alone' })
}
