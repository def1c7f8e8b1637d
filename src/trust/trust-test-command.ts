// rlp trust test: questions about a trust policy, each with the verdict that it has to give; asked before the policy is rolled out.
import { defineCommand } from '../cli/command.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { namedPath } from '../io/home.ts'
import { EXIT } from '../model/exit-code.ts'
import { printable } from '../text/printable.ts'
import { askPolicies } from './question-file.ts'

export const command = defineCommand({
  name: 'trust test',
  summary: 'ask a trust policy questions, and compare the verdicts',
  positionals: [{ name: 'file', required: true, describe: 'a file of questions, as tests/policy.toml' }],
  options: {
    policy: {
      type: 'string',
      placeholder: 'FILE',
      describe: 'ask this policy in place of those that the file names',
    },
  },
  examples: [
    ['rlp trust test tests/policy.toml', 'before a policy is rolled out'],
    ['rlp trust test tests/policy.toml --policy next.toml', 'the same questions, another policy'],
  ],
  notes:
    'Policies that are in use on this host are not asked, and neither marks nor overrides of it: the file says all. Exit code 1 if a verdict or a code differs.',
  async run(args, io) {
    const at = (typed: string) => namedPath(typed, io.cwd)
    const policy = args.policy === undefined ? undefined : at(args.policy)
    const tested = await askPolicies({ path: at(args.file), label: args.file }, policy, io.signal)
    const { passed, questions } = tested
    report(io, args, {
      tool: 'trust.test',
      result: tested,
      quiet: passed ? [] : undefined,
      text: () => {
        const style = createStyle(io.color)
        const lines = questions.map(({ line, name, isSame, verdict, code, expected }) => {
          const words = wordsOf(verdict, code)
          if (isSame) return `${style.green(SYMBOLS.ok)} ${printable(name)}: ${words}`
          const wanted = wordsOf(expected.verdict, expected.code)
          return `${style.red(SYMBOLS.bad)} ${printable(`${args.file}:${line}`)}: ${printable(name)}: ${words}, and not ${wanted}`
        })
        return `${lines.join('\n')}\n`
      },
    })
    return passed ? EXIT.ok : EXIT.bundle
  },
})

function wordsOf(verdict: string, code: string | null): string {
  return code === null ? verdict : `${verdict} (${printable(code)})`
}
