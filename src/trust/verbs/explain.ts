// rlp trust explain: what each line of each trust policy says about a bundle, which one decided, and how identities compare with
// certificates.
import { commandOf, defineVerb, needed } from '../../verb/index.ts'
import { bundle, judgedWith } from '../../verify/bundle-inputs.ts'
import { warningLines } from '../../verify/ends-soon.ts'
import { JUDGING, judgingBy, trustPolicy } from '../../verify/judging-inputs.ts'
import { type ExplainedBundle, explain, explainedFacts } from '../explain.ts'
import { renderExplained } from '../render-explained.ts'

/**
 * What each line of each trust policy says about a bundle, and which one decided. It decides nothing itself: {@link verifyBundle} does.
 *
 * @example
 * const { verdict, judgements } = await trustExplain('dist/mailer-0.1.0.agent.bundle', { trustPolicy: 'next.toml' })
 * for (const { lines } of judgements) console.log(verdict, lines)
 *
 * @throws {@link RlpError} `NOT_FOUND`, `USAGE`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'trust explain',
  summary: 'say which line of the trust policy decides about a bundle',
  arguments: ['bundle'],
  inputs: {
    bundle: needed(bundle('a bundle, an unpacked bundle, or a reference to a stored one', 'explain')),
    ...JUDGING,
    trustPolicy: {
      ...trustPolicy,
      typed: {
        type: 'string',
        placeholder: 'FILE',
        describe: 'try another policy in place of ~/.runloop/trust-policy.toml; the system’s still applies',
      },
    },
  },
  isLong: true,
  run: ({ bundle, ...judging }, world) =>
    explain(bundle.target, judgedWith(judgingBy(judging, world), bundle)),
  answer: ({ report, ...explained }): ExplainedBundle => explainedFacts(report, explained),
})

export const command = commandOf(verb, {
  flags: {
    policy: {
      type: 'refused',
      describe: 'the name that --trust-policy had',
      instead: 'Write --trust-policy FILE, as for every other command',
    },
  },
  first: ['policy'],
  examples: [
    ['rlp trust explain mailer-0.1.0.agent.bundle', 'why it is trusted, or why not'],
    [
      'rlp trust explain mailer-0.1.0.agent.bundle --trust-policy next.toml',
      'under a policy that is not in use yet',
    ],
  ],
  notes:
    'This command decides nothing, and its exit code is 0 for every verdict: rlp agent verify is the gate. Each policy has to say yes. Of a keyless signature every member of the identity that it may be is shown, wanted and found.',
  warnings: ({ report }) => warningLines([report]),
  text: ({ report, ...explained }, { style, io }) =>
    renderExplained({ ...report, ...explained }, style, io.columns),
})
