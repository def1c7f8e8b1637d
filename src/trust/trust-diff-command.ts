// rlp trust diff: what a policy trusts that another does not, and the other way round, in words.
import { defineCommand } from '../cli/command.ts'
import { report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { namedPath } from '../io/home.ts'
import { EXIT } from '../model/exit-code.ts'
import { compareSources } from './compare-policies.ts'
import { comparedLines } from './render-policy.ts'

export const command = defineCommand({
  name: 'trust diff',
  summary: 'what a trust policy trusts that another does not',
  positionals: [
    { name: 'old', required: true, describe: 'the trust policy that is in use' },
    { name: 'new', required: true, describe: 'the one that is to take its place' },
  ],
  options: {},
  examples: [
    ['rlp trust diff ~/.runloop/trust-policy.toml next.toml', 'before it is put into place'],
    ['rlp trust diff trust-policy.toml next.toml --json', 'for a program'],
  ],
  notes:
    'Compares what the two decide, over all agents that one of them names: comments, the order of lines and the spelling of a list change nothing. What both say of several agents is one line.\n\nExit code 4 if anything is trusted that was not, else 0. With --json, "result.passed" says that nothing more is trusted.',
  async run(args, io) {
    const called = (typed: string) => ({ source: namedPath(typed, io.cwd), label: typed })
    const compared = await compareSources(called(args.old), called(args.new))
    const { passed, isSame } = compared
    report(io, args, {
      tool: 'trust.diff',
      result: compared,
      quiet: isSame ? [] : undefined,
      text: () => {
        const lines = comparedLines(compared, createStyle(io.color))
        return `${lines.length === 0 ? 'both decide alike' : lines.join('\n')}\n`
      },
    })
    return passed ? EXIT.ok : EXIT.denied
  },
})
