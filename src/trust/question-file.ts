// Answers a file of questions about trust policies, each with the verdict that a policy gives. The agent of a question need not exist.
// Nothing of this host is asked.
import { dirname, resolve } from 'node:path'
import { outline } from '../agent/read-in-turns.ts'
import { attestationsOf } from '../io/bundle/read-attestations.ts'
import { readBundle } from '../io/bundle/read-bundle.ts'
import type { Target } from '../io/find/search-folders.ts'
import { readOwn } from '../io/owner/read-own.ts'
import { Ways } from '../io/owner/ways.ts'
import { turnsOf } from '../io/wait/breathe.ts'
import type { Document } from '../model/document.ts'
import { RlpError } from '../model/error.ts'
import type { ReasonCode } from '../model/reason-codes.ts'
import type { PolicySource, TrustPolicy } from '../model/trust.ts'
import { VERDICTS, type Verdict } from '../model/verdict.ts'
import { behindMarks } from '../state/marks.ts'
import { lineColumn } from '../text/decode.ts'
import { parseToml } from '../toml/parse.ts'
import { floorsFor, isBelow } from '../trust-policy/floors.ts'
import { identityString } from '../trust-policy/identity-string.ts'
import { type PolicyQuestion, type PolicyQuestions, readQuestions } from '../trust-policy/questions.ts'
import { verify } from '../verify/verify.ts'
import { readReference } from '../version/reference.ts'
import { judge, withCeiling } from './judge.ts'
import { keylessFindings } from './keyless/keyless-findings.ts'
import { policyInFile } from './policy-file.ts'
import { roomForStatements } from './room-for-statements.ts'
import { asOf } from './usable-policy.ts'

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
  const answers: PolicyAsked[] = []
  for (const question of questions) {
    const { verdict, code = null } = await answerFor(question, sources, from, signal)
    const isSame = verdict === question.verdict && (question.code === undefined || code === question.code)
    const line = lineColumn(document.text, document.locate(question.at).start).line
    const { name, verdict: wanted, code: wantedCode = null } = question
    answers.push({ line, name, isSame, verdict, code, expected: { verdict: wanted, code: wantedCode } })
  }
  return { passed: answers.every(({ isSame }) => isSame), questions: answers }
}

async function fileOf({ path, label }: Target): Promise<PolicyQuestions & { readonly document: Document }> {
  const bytes = await readOwn(path, new Ways())
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
  const keyless = await keylessFindings(attestations, policies, candidate, turn)
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

interface PolicyAnswer {
  readonly verdict: Verdict
  readonly code: ReasonCode | undefined
}

type About = Extract<PolicyQuestion['about'], { agent: string }>

export function answerTo(
  about: About,
  { dev, installed }: Pick<PolicyQuestion, 'dev' | 'installed'>,
  sources: readonly PolicySource[],
  now: Date,
): PolicyAnswer {
  const policies = sources.map(source => asOf(source, now).policy)
  const usable = policies.filter(policy => policy !== undefined)
  const isSigned = about.signers.length > 0
  const signers = isSigned ? usable.map(policy => judged(policy, about, dev, now)) : [UNSIGNED]
  const before = [
    ...policies.flatMap(policy => (policy === undefined ? UNUSABLE : [])),
    ...signers.filter(({ verdict }) => verdict !== 'policy_denied'),
  ].filter(({ verdict }) => verdict !== 'trusted')
  // A rule is asked only if the signers count in every policy.
  const denied = before.length > 0 ? [] : signers.filter(({ verdict }) => verdict === 'policy_denied')
  const fresh = isSigned ? freshness(about, installed, usable, now) : []
  const order = Object.keys(VERDICTS)
  const [first] = [...before, ...fresh, ...denied].sort(
    (a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict),
  )
  return first ?? TRUSTED
}

const TRUSTED: PolicyAnswer = { verdict: 'trusted', code: undefined }
const UNSIGNED: PolicyAnswer = { verdict: 'unsigned', code: 'no_signature' }
const UNUSABLE: PolicyAnswer = { verdict: 'indeterminate', code: 'trust_policy_unusable' }

function judged(policy: TrustPolicy, about: About, allowDev: boolean, now: Date): PolicyAnswer {
  const { agent, notAfter, caps } = about
  const evidence = { attestations: undefined, manifest: { blake3: '', sha256: '' } }
  const signers = about.signers.map(name => keyOf(policy, name))
  const facts = { signers, manifestDigest: '', agent, notAfter, now, allowDev, evidence }
  const { name = '', variant } = readReference(agent) ?? {}
  const answers = { agent: { name, variant }, caps }
  const { verdict, code } = withCeiling(policy, judge(policy, facts), answers)
  return verdict === 'passed' ? TRUSTED : { verdict, code }
}

function freshness(
  { agent, version, notAfter }: About,
  installed: readonly string[],
  policies: readonly TrustPolicy[],
  now: Date,
): PolicyAnswer[] {
  const isExpired = notAfter !== undefined && now.getTime() > Date.parse(notAfter)
  const isUnder = policies.some(policy => floorsFor(policy, agent).some(floor => isBelow(floor, version)))
  const marks = installed.map(version => ({ version, manifestDigest: null }))
  const behind = behindMarks({ version, manifestDigest: '' }, marks)?.is
  const code = isUnder ? 'below_floor' : behind
  return [
    ...(isExpired ? [{ verdict: 'expired', code: 'expired' } as const] : []),
    ...(code === undefined ? [] : [{ verdict: 'rolled_back', code } as const]),
  ]
}

/** A signer by name signs with the first key that is not revoked, or as the identity. */
function keyOf({ anchors, revokedKeys }: TrustPolicy, name: string): string {
  const { keys = [], identity } = anchors.find(anchor => anchor.name === name) ?? {}
  if (identity !== undefined) return identityString(identity)
  return keys.find(key => !revokedKeys.has(key)) ?? keys[0] ?? name
}
