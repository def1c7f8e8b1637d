// A file of questions about trust policies → each with the verdict that a policy gives. Nothing of this host is asked.
import { dirname, resolve } from 'node:path'
import { outline } from '../agent/read-in-turns.ts'
import { attestationsOf } from '../io/bundle/read-attestations.ts'
import { readBundle } from '../io/bundle/read-bundle.ts'
import type { Target } from '../io/find/search-folders.ts'
import { readOwn } from '../io/owner/read-own.ts'
import { turnsOf } from '../io/wait/breathe.ts'
import type { Document } from '../model/document.ts'
import { RlpError } from '../model/error.ts'
import type { PolicySource } from '../model/trust.ts'
import { lineColumn } from '../text/decode.ts'
import { parseToml } from '../toml/parse.ts'
import { type PolicyQuestion, type PolicyQuestions, readQuestions } from '../trust-policy/questions.ts'
import { verify } from '../verify/verify.ts'
import { answerTo, type PolicyAnswer } from './answer.ts'
import { keylessOf } from './keyless/keyless-of.ts'
import { policyInFile } from './policy-file.ts'
import { roomForStatements } from './room-for-statements.ts'

/** A question, and what a policy has answered. */
export interface PolicyAsked {
  readonly line: number
  readonly name: string
  readonly isSame: boolean
  readonly verdict: string
  readonly code: string | null
  readonly expected: { readonly verdict: string; readonly code: string | null }
}

export interface TrustTested {
  /** Whether every verdict and code is the expected one. */
  readonly passed: boolean
  readonly questions: readonly PolicyAsked[]
}

/**
 * @param policy in place of those that the file names: an absolute path, or what was read already
 * @throws RlpError NOT_FOUND, NOT_EDITABLE for a file that holds no questions
 */
export async function askPolicies(
  file: Target,
  policy: string | PolicySource | undefined,
  signal: AbortSignal,
): Promise<TrustTested> {
  const { document, policies, questions } = await fileOf(file)
  const from = dirname(file.path)
  const given = policy === undefined ? policies.map(one => resolve(from, one)) : [policy]
  const sources = await Promise.all(given.map(one => (typeof one === 'string' ? policyInFile(one) : one)))
  const asked: PolicyAsked[] = []
  for (const question of questions) {
    const { verdict, code = null } = await answerFor(question, sources, from, signal)
    const isSame = verdict === question.verdict && (question.code === undefined || code === question.code)
    const line = lineColumn(document.text, document.locate(question.at).start).line
    const { name, verdict: wanted, code: wantedCode = null } = question
    asked.push({ line, name, isSame, verdict, code, expected: { verdict: wanted, code: wantedCode } })
  }
  return { passed: asked.every(({ isSame }) => isSame), questions: asked }
}

async function fileOf({ path, label }: Target): Promise<PolicyQuestions & { readonly document: Document }> {
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
  signal: AbortSignal,
): Promise<PolicyAnswer> {
  const now = question.clock === undefined ? new Date() : new Date(question.clock)
  const { about, dev, installed } = question
  if ('agent' in about) return answerTo(about, question, policies, now)
  const path = resolve(from, about.bundle)
  const given = about.attestations && resolve(from, about.attestations)
  const came = await attestationsOf(path, given)
  const unsigned = came?.keyless !== undefined
  const label = about.bundle
  const candidate = await readBundle(path, { keep: 'parsed', signal, label, unsigned })
  const turn = turnsOf(`judging "${label}"`, signal)
  const bundle = await outline(candidate, turn)
  const attestations = came && (await roomForStatements(came, policies, candidate.files, turn))
  const keyless = await keylessOf(attestations, policies, candidate, turn)
  const marks = installed.map(version => ({ agent: '', version, manifestDigest: null, keys: [] }))
  const trust = {
    policies,
    allowDev: dev,
    now,
    overrides: [],
    marks: { marks, wasSigned: marks.length > 0 },
    attestations,
    keyless,
  }
  const { report } = await verify(bundle, { expect: 'any', trust }, turn)
  return { verdict: report.verdict, code: report.reasons[0]?.code }
}
