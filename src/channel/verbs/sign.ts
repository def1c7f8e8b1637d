// rlp channel sign: adds a signature to what is drafted, after it was shown.
import { CHANNEL_POLICY } from '../../channel-file/statement.ts'
import { signerGiven } from '../../sign/signing-inputs.ts'
import { digestText } from '../../text/digest-text.ts'
import { commandOf, defineVerb } from '../../verb/index.ts'
import { consent } from '../../verb/kinds/consent.ts'
import {
  builtOnFacts,
  type ChannelSigned,
  type ChannelToSign,
  lackingFacts,
  signedAnswer,
  statementsToSign,
} from '../answers.ts'
import { channelFolder, channelUse, SIGNING } from '../inputs.ts'
import { doneText, nameText, nextLines, PUBLISHING } from '../render-channel.ts'
import { toSignLines } from '../render-draft.ts'
import { type DraftsToSign, policyChanges, signDrafts } from '../sign.ts'
import { writtenKeys } from '../signatures.ts'

/**
 * Signs what is drafted, after `maySign` has looked at it. What has all its signatures is complete.
 *
 * @example
 * const { lacking } = await channelSign('house', { key: 'ada', maySign: ({ widened }) => widened.length === 0 })
 * console.log(lacking)
 *
 * @throws {@link RlpError} `NEEDS_ANSWER` where `maySign` does not say yes, and without `afterEnd` once the newest heartbeat has expired, `NOT_FOUND` where nothing is drafted, `USAGE` for a key that may not sign,
 * `EXISTS` for one that has signed, `NOT_VERIFIED` for a draft that hosts would refuse and for one that builds on less than this user has seen,
 * `CANCELLED`
 */
export const verb = defineVerb({
  name: 'channel sign',
  summary: 'sign what is drafted, after looking at it',
  arguments: ['folder'],
  inputs: {
    folder: channelFolder('sign'),
    ...SIGNING,
    /** Whether this may be signed: it is shown what. Without it nothing is signed. */
    maySign: consent<ChannelToSign>({
      name: 'maySign',
      type: '(what: ChannelToSign) => boolean | Promise<boolean>',
      describe: 'sign without a question; never an answer for --after-end',
      look: 'Look at what is drafted',
      question: 'Sign this?',
      otherwise: 'nothing was signed',
      hint: 'Look at what is drafted, then repeat with --yes',
      isTold: true,
    }),
  },
  async run({ folder, afterEnd, maySign, home, now, ...signing }, world) {
    const signer = await signerGiven(signing)
    const use = { ...(await channelUse(world, home)), now, afterEnd }
    const done = await signDrafts(folder, signer, use, what =>
      maySign({
        doing: `sign "${folder}"`,
        shown: toSign(what),
        title: `Channel ${nameText(what.contents.name)}: ${signedText(what)}`,
        lines: toSignLines(what, now),
      }),
    )
    return { ...done, answer: signedAnswer(done, now) }
  },
  answer: ({ answer }): ChannelSigned => answer,
})

function toSign(what: DraftsToSign): ChannelToSign {
  const { signer, release, contents, lacking, builtOn } = what
  const policy = release && contents.draft.files.get(CHANNEL_POLICY)
  const changes = policy && policyChanges(contents.files.get(CHANNEL_POLICY), policy)
  return {
    signer,
    ...statementsToSign(what),
    widened: changes?.widened ?? [],
    narrowed: changes?.narrowed ?? [],
    lacking: lackingFacts(lacking),
    builtOn: builtOnFacts(builtOn),
  }
}

export const command = commandOf(verb, {
  ...PUBLISHING,
  examples: [
    ['rlp channel sign house --key ada', 'looks, asks, signs'],
    ['rlp channel sign house --key ada --yes', 'without the question'],
    ['rlp channel sign house --key ada --after-end 1 --yes', 'after hosts have heard nothing for too long'],
    ['rlp channel sign house --key ssh-agent:ada', 'with a key that stays in the ssh agent'],
  ],
  notes:
    'Says which release and heartbeat it builds on, and refuses if you have seen a newer one, or if the newest heartbeat has expired without --after-end. Shows who may speak then, what is trusted now and was not before, and who is lacking afterwards. What has all its signatures is complete. Each key signs once, and a key of heartbeats signs no release.',
  text({ contents, signed }, { asked: { folder, now }, style }) {
    const done = `${folder}: ${signedText(signed)} signed by ${writtenKeys(contents)(signed.signer)}`
    const complete = completeLines(signed, contents.roots.length, contents.release?.digest)
    return doneText(done, [...complete, ...nextLines(contents, now)], style)
  },
})

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
