// rlp trust test: questions about a trust policy, each with the verdict that it has to give; asked before the policy is rolled out.
import { SYMBOLS } from '../../cli/render/style.ts'
import { EXIT } from '../../model/exit-code.ts'
import { printable } from '../../text/printable.ts'
import { commandOf, defineVerb, needed } from '../../verb/index.ts'
import { labelledFile } from '../../verb/kinds/paths.ts'
import { askedPolicy } from '../policy-inputs.ts'
import { askPolicies, type TrustTested } from '../question-file.ts'

/**
 * Asks trust policies the questions of a file, and compares the verdicts. Nothing that is in use on this host is asked.
 *
 * @example
 * const { passed } = await trustTest('tests/policy.toml', { policy: 'next.toml' })
 * if (!passed) throw new Error('the policy decides something else')
 *
 * @throws {@link RlpError} `NOT_FOUND`, `NOT_EDITABLE` for a file that holds no questions, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'trust test',
  summary: 'ask a trust policy questions, and compare the verdicts',
  arguments: ['file'],
  inputs: {
    file: needed(labelledFile('a file of questions, as tests/policy.toml', { doing: 'read' })),
    policy: askedPolicy('ask this policy in place of those that the file names'),
  },
  run: ({ file, policy }, { signal }): Promise<TrustTested> => askPolicies(file, policy?.source, signal),
})

export const command = commandOf(verb, {
  examples: [
    ['rlp trust test tests/policy.toml', 'before a policy is rolled out'],
    ['rlp trust test tests/policy.toml --policy next.toml', 'the same questions, another policy'],
  ],
  notes:
    'Policies that are in use on this host are not asked, and neither marks nor overrides of it: the file says all. Exit code 1 if a verdict or a code differs.',
  quiet: ({ passed }) => (passed ? [] : undefined),
  text({ questions }, { asked, style }) {
    const lines = questions.map(({ line, name, isSame, verdict, code, expected }) => {
      const words = wordsOf(verdict, code)
      if (isSame) return `${style.green(SYMBOLS.ok)} ${printable(name)}: ${words}`
      const wanted = wordsOf(expected.verdict, expected.code)
      return `${style.red(SYMBOLS.bad)} ${printable(`${asked.file.label}:${line}`)}: ${printable(name)}: ${words}, and not ${wanted}`
    })
    return `${lines.join('\n')}\n`
  },
  exit: ({ passed }) => (passed ? EXIT.ok : EXIT.bundle),
})

function wordsOf(verdict: string, code: string | null): string {
  return code === null ? verdict : `${verdict} (${printable(code)})`
}
