// rlp trust diff: what a policy trusts that another does not, and the other way round, in words.
import { EXIT } from '../../model/exit-code.ts'
import { commandOf, defineVerb, needed } from '../../verb/index.ts'
import { compareSources, type TrustDiffed } from '../compare-policies.ts'
import { askedPolicy } from '../policy-inputs.ts'
import { comparedLines } from '../render-policy.ts'

/**
 * What a trust policy trusts that another does not, and the other way round.
 *
 * @example
 * const { widened } = await trustDiff('trust-policy.toml', 'next.toml')
 * for (const { agents, says } of widened) console.log(agents, says)
 *
 * @throws {@link RlpError} `NOT_FOUND`, `LINT_FAILED` for a policy that decides nothing, `USAGE`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'trust diff',
  summary: 'what a trust policy trusts that another does not',
  arguments: ['before', 'after'],
  inputs: {
    before: needed(askedPolicy('the trust policy that is in use', { flag: 'old' })),
    after: needed(askedPolicy('the one that is to take its place', { flag: 'new' })),
  },
  run: ({ before, after }): Promise<TrustDiffed> => compareSources(before, after),
})

export const command = commandOf(verb, {
  examples: [
    ['rlp trust diff ~/.runloop/trust-policy.toml next.toml', 'before it is put into place'],
    ['rlp trust diff trust-policy.toml next.toml --json', 'for a program'],
  ],
  notes:
    'Compares what the two decide, over all agents that one of them names: comments, the order of lines and the spelling of a list change nothing. What both say of several agents is one line.\n\nExit code 4 if anything is trusted that was not, else 0. With --json, "result.passed" says that nothing more is trusted.',
  quiet: ({ isSame }) => (isSame ? [] : undefined),
  text(compared, { style }) {
    const lines = comparedLines(compared, style)
    return `${lines.length === 0 ? 'both decide alike' : lines.join('\n')}\n`
  },
  exit: ({ passed }) => (passed ? EXIT.ok : EXIT.denied),
})
