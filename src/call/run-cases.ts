// An agent that is opened, and the cases of its folder → what each case came to. Each is a call like any other.
import { serialize } from '../contract/serialize.ts'
import type { Target } from '../io/find/find-agents.ts'
import { isSameData } from '../json/same-data.ts'
import { own } from '../model/own.ts'
import { compileSchema } from '../schema/compile.ts'
import { resolverIn } from '../schema/reference.ts'
import type { OpenAgent } from './callable.ts'
import { caseFilesOf } from './case-files.ts'
import type { CallRecord } from './context.ts'
import type { Expected, ToolCase } from './read-cases.ts'
import { type CallSession, recordedCall } from './session.ts'

export interface CaseResult {
  /** Below the agent's folder. */
  readonly file: string
  readonly name: string
  readonly tool: string
  /** One sentence without a full stop; undefined if the case is fulfilled. */
  readonly problem: string | undefined
  readonly durationMs: number
}

export interface TestedAgent {
  /** As the caller called it. */
  readonly agent: string
  readonly results: readonly CaseResult[]
}

/** One after the other, in the order of files and of the cases in them. @throws RlpError for a file that holds no cases */
export async function testAgent(
  target: Target,
  opened: OpenAgent,
  session: CallSession,
  signal: AbortSignal,
): Promise<TestedAgent> {
  const results: CaseResult[] = []
  for (const { path, cases } of await caseFilesOf(target)) {
    for (const one of cases) {
      if (signal.aborted) break
      const record = await callOnce(one, opened, session, signal)
      const { name, tool, expected } = one
      const problem = await problemOf(record, expected, opened)
      results.push({ file: path, name, tool, problem, durationMs: Math.round(record.durationMs) })
    }
  }
  return { agent: target.label, results }
}

export async function callOnce(
  { tool, arguments: given }: Pick<ToolCase, 'tool' | 'arguments'>,
  opened: OpenAgent,
  session: CallSession,
  signal: AbortSignal,
): Promise<CallRecord> {
  return recordedCall(session, session.contextFor(opened), { tool, text: serialize(given), signal })
}

async function problemOf(
  { envelope: shown, whole }: CallRecord,
  expected: Expected,
  { agent }: OpenAgent,
): Promise<string | undefined> {
  const envelope = whole ?? shown
  if (expected.is === 'failure') {
    if (envelope.ok) return `it answered ${brief(envelope.result)}, and a failure is expected`
    const wrong = Object.entries(expected.members).find(([name, value]) => own(envelope, name) !== value)
    if (wrong === undefined) return undefined
    return `its failure has the ${wrong[0]} ${brief(own(envelope, wrong[0]))}, expected is ${brief(wrong[1])}: ${envelope.message}`
  }
  if (!envelope.ok) return `it failed (${envelope.kind}): ${envelope.message}`
  if (expected.is === 'answer') {
    if (isSameData(envelope.result, expected.value)) return undefined
    return `it answered ${brief(envelope.result)}, expected is ${brief(expected.value)}`
  }
  const compiled = await compileSchema(expected.schema, resolverIn({}, agent.fileAt))
  if (!compiled.ok) return `answer_schema cannot be used: ${compiled.problems[0]?.message ?? ''}`
  const violation = compiled.check(envelope.result)
  return violation && `its answer ${brief(envelope.result)} does not fit answer_schema: ${violation.message}`
}

/** More does not help in one line; `rlp tool call` shows all. */
const MOST = 160

function brief(value: unknown): string {
  const text = value === undefined ? 'nothing' : serialize(value)
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text
}
