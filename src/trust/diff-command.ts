// rlp trust diff: what a policy trusts that another does not, and the other way round, in words.
import { resolve } from 'node:path'
import { defineCommand, type Io } from '../cli/command.ts'
import { report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { expandHome } from '../io/home.ts'
import { RlpError } from '../model/error.ts'
import { EXIT } from '../model/exit-code.ts'
import type { TrustPolicy } from '../model/trust.ts'
import type { PolicyDifference } from './compare/compare-by-agent.ts'
import { comparePolicies } from './compare/compare-policies.ts'
import { policyInFile } from './policy-file.ts'
import { comparedLines } from './render-compared.ts'

export const command = defineCommand({
  name: 'trust diff',
  summary: 'what a trust policy trusts that another does not',
  positionals: [
    { name: 'old', required: true, describe: 'the trust policy of before' },
    { name: 'new', required: true, describe: 'the one that is to take its place' },
  ],
  options: {},
  examples: [
    ['rlp trust diff ~/.runloop/trust-policy.toml next.toml', 'before it is put into place'],
    ['rlp trust diff trust-policy.toml next.toml --json', 'for a program'],
  ],
  notes:
    'Compares what the two decide, over all agents that one of them names: comments, the order of lines and the spelling of a list change nothing. What both say of several agents is one line.\n\nExit code 4 if anything is trusted that was not, else 0. With --json, "result.passed" says that nothing is.',
  async run(args, io) {
    const [before, after] = await Promise.all([
      policyCalled(args.old, args.old, args.new, io),
      policyCalled(args.new, args.old, args.new, io),
    ])
    const compared = comparePolicies(before, after)
    const { widened, narrowed } = compared
    const passed = widened.length === 0
    report(io, args, {
      tool: 'trust.diff',
      result: {
        passed,
        same: passed && narrowed.length === 0,
        widened: widened.map(toJson),
        narrowed: narrowed.map(toJson),
      },
      text: () => {
        const lines = comparedLines(compared, createStyle(io.color))
        return `${lines.length === 0 ? 'both decide alike' : lines.join('\n')}\n`
      },
    })
    return passed ? EXIT.ok : EXIT.denied
  },
})

function toJson({ agents, but, says }: PolicyDifference) {
  return { agents: agents ?? null, but, says }
}

/** @throws RlpError NOT_FOUND, or LINT_FAILED for one that decides nothing */
async function policyCalled(typed: string, old: string, other: string, io: Io): Promise<TrustPolicy> {
  const { policy, problems, digest } = await policyInFile(resolve(io.cwd, expandHome(typed)))
  if (policy !== undefined) return policy
  const isThere = digest !== undefined
  throw new RlpError(
    isThere ? 'LINT_FAILED' : 'NOT_FOUND',
    `Cannot compare "${old}" with "${other}": ${problems[0]}`,
    { hint: isThere ? 'Correct the line; docs/trust.md explains the file' : 'Check the path' },
  )
}
