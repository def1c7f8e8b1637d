// rlp trust list: the signers that count here, what each may grant, and what is revoked, each with file and line.
import { Ways } from '../../io/owner/ways.ts'
import { EXIT } from '../../model/exit-code.ts'
import { commandOf, defineVerb } from '../../verb/index.ts'
import { folderOrNone, trustPolicy } from '../../verify/judging-inputs.ts'
import { listedPolicy, type TrustListed } from '../listed-policy.ts'
import { policyHandedIn } from '../policy-file.ts'
import { readTrustPolicies } from '../read-trust.ts'
import { renderPolicy } from '../render-policy.ts'

/**
 * The trust policies that apply: the system's, the user's or the one that is given in its place, and those of channels.
 *
 * @example
 * const { policies } = await trustList()
 * for (const { path, policy } of policies) console.log(path, policy?.anchors.map(({ name }) => name))
 *
 * @throws {@link RlpError} `USAGE`, `CANCELLED`; a policy that cannot be used is in the answer, with its problems
 */
export const verb = defineVerb({
  name: 'trust list',
  summary: 'show whose signatures count, and what each signer may grant',
  inputs: {
    /** A trust policy in place of the user's own, `~/.runloop/trust-policy.toml`. */
    trustPolicy,
    /** In place of `$RUNLOOP_HOME` or `~/.runloop`; `false` for the system's policies alone. */
    home: folderOrNone,
  },
  async run({ trustPolicy, home }, world) {
    const given = trustPolicy === undefined ? undefined : await policyHandedIn(trustPolicy)
    const places = { trustPolicy: given, home: home ?? (await world.home()) }
    const sources = await readTrustPolicies(places, new Ways())
    return { sources, now: new Date() }
  },
  answer: ({ sources, now }): TrustListed => ({ policies: sources.map(source => listedPolicy(source, now)) }),
})

export const command = commandOf(verb, {
  examples: [
    ['rlp trust list', 'all policies that apply, with lines'],
    ['rlp trust list --json', 'for a program'],
  ],
  notes:
    'Where there are two policies, the system’s and the user’s, a bundle has to pass both.\n\nExit code 3: a policy is malformed, others may write it, or its valid_until is past. It decides nothing until that is corrected.',
  text: ({ sources, now }, { style, io }) =>
    sources.map(source => renderPolicy(source, now, style, io.columns)).join('\n'),
  note: ({ sources }) =>
    sources.length === 0
      ? 'There is no trust policy: no signature counts. rlp trust add begins one'
      : undefined,
  exit: ({ sources, now }) =>
    sources.some(source => !listedPolicy(source, now).isUsable) ? EXIT.machine : EXIT.ok,
})
