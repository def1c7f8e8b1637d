// rlp trust test: questions about a trust policy, each with the verdict that it has to give; asked before the policy is rolled out.
import { dirname, resolve } from 'node:path'
import { defineCommand, type Io } from '../cli/command.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { outline } from '../format/agent/read-agent.ts'
import { lineColumn } from '../format/text/decode.ts'
import { printable } from '../format/text/printable.ts'
import { parseToml } from '../format/toml/parse.ts'
import { type PolicyQuestion, type PolicyQuestions, readQuestions } from '../format/trust/questions.ts'
import { attestationsOf } from '../io/bundle/read-attestations.ts'
import { readBundle } from '../io/bundle/read-bundle.ts'
import { expandHome } from '../io/home.ts'
import { readOwn } from '../io/owner/read-own.ts'
import type { Document } from '../model/document.ts'
import { RlpError } from '../model/error.ts'
import { EXIT } from '../model/exit-code.ts'
import type { PolicySource } from '../model/trust.ts'
import { verify } from '../verify/verify.ts'
import { answerTo, type PolicyAnswer } from './answer.ts'
import { keylessOf } from './keyless/keyless-of.ts'
import { policyInFile } from './policy-file.ts'

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
    const path = resolve(io.cwd, expandHome(args.file))
    const { document, policies, questions } = await fileOf(path, args.file)
    const from = dirname(path)
    const paths =
      args.policy === undefined
        ? policies.map(one => resolve(from, one))
        : [resolve(io.cwd, expandHome(args.policy))]
    const sources = await Promise.all(paths.map(policyInFile))
    const asked: Asked[] = []
    for (const question of questions) {
      const { verdict, code = null } = await answerFor(question, sources, from, io)
      const isSame = verdict === question.verdict && (question.code === undefined || code === question.code)
      const line = lineColumn(document.text, document.locate(question.at).start).line
      const { name, verdict: wanted, code: wantedCode = null } = question
      asked.push({ line, name, isSame, verdict, code, expected: { verdict: wanted, code: wantedCode } })
    }
    const differing = asked.filter(({ isSame }) => !isSame)
    report(io, args, {
      tool: 'trust.test',
      result: { passed: differing.length === 0, questions: asked },
      text: () => {
        const style = createStyle(io.color)
        const lines = asked.map(({ line, name, isSame, verdict, code, expected }) => {
          const words = wordsOf(verdict, code)
          if (isSame) return `${style.green(SYMBOLS.ok)} ${printable(name)}: ${words}`
          const wanted = wordsOf(expected.verdict, expected.code)
          return `${style.red(SYMBOLS.bad)} ${printable(`${args.file}:${line}`)}: ${printable(name)}: ${words}, and not ${wanted}`
        })
        return `${lines.join('\n')}\n`
      },
    })
    return differing.length === 0 ? EXIT.ok : EXIT.bundle
  },
})

interface Asked {
  readonly line: number
  readonly name: string
  readonly isSame: boolean
  readonly verdict: string
  readonly code: string | null
  readonly expected: { readonly verdict: string; readonly code: string | null }
}

function wordsOf(verdict: string, code: string | null): string {
  return code === null ? verdict : `${verdict} (${printable(code)})`
}

async function fileOf(
  path: string,
  label: string,
): Promise<PolicyQuestions & { readonly document: Document }> {
  const bytes = await readOwn(path)
  if (bytes === undefined)
    throw new RlpError('NOT_FOUND', `Cannot read "${label}": no such file`, { hint: 'Check the path' })
  const parsed = parseToml(label, bytes)
  const refuse = (line: number, message: string) =>
    new RlpError('NOT_EDITABLE', `Cannot ask ${label}: line ${line}: ${message}`, {
      hint: 'docs/trust.md#try-it shows a file of questions',
    })
  if (!parsed.ok) {
    const { offset = 0, message } = parsed.problem
    throw refuse(lineColumn(parsed.text ?? '', offset).line, message)
  }
  const { document } = parsed
  const read = readQuestions(document)
  if (!('problems' in read)) return { ...read, document }
  const [first] = read.problems
  const start = first === undefined ? 0 : document.locate(first.pointer, first.part).start
  throw refuse(lineColumn(document.text, start).line, first?.message ?? '')
}

async function answerFor(
  question: PolicyQuestion,
  policies: readonly PolicySource[],
  from: string,
  io: Io,
): Promise<PolicyAnswer> {
  const now = question.clock === undefined ? new Date() : new Date(question.clock)
  const { about, dev, installed } = question
  if ('agent' in about) return answerTo(about, question, policies, now)
  const path = resolve(from, about.bundle)
  const given = about.attestations && resolve(from, about.attestations)
  const attestations = await attestationsOf(path, given)
  const unsigned = attestations?.keyless !== undefined
  const label = about.bundle
  const candidate = await readBundle(path, { keep: 'parsed', signal: io.signal, label, unsigned })
  const bundle = outline(candidate)
  const doing = `judging "${label}"`
  const keyless = await keylessOf(attestations, policies, candidate, doing, io.signal)
  const marks = installed.map(version => ({ agent: '', version, manifestDigest: null, keys: [] }))
  const trust = {
    ...{ policies, allowDev: dev, now, overrides: [] },
    marks: { marks, wasSigned: marks.length > 0 },
    ...{ attestations, keyless },
  }
  const { report } = verify(bundle, { expect: 'any', trust })
  return { verdict: report.verdict, code: report.reasons[0]?.code }
}
