// The output of a program made for agentcli, and its exit → whether it keeps agentcli's rules, and what the model reads.
import { contentOf, MAX_ERROR_BYTES, outputProblem, transcriptContent } from './content.ts'

export interface AgentcliAnswer {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

/** One thing to change, or that is only unusual. */
export interface AnswerRemark {
  readonly weight: 'problem' | 'remark'
  readonly message: string
  readonly fix: string
}

export interface CheckedAgentcliAnswer {
  readonly ok: boolean
  /** The tool message that the model gets. */
  readonly content: string
  readonly remarks: readonly AnswerRemark[]
  /** The value of a success; undefined if it is not JSON, and for a failure. */
  readonly result: unknown
}

const ONE_LINE = 'Print one line of JSON on standard output, and everything else on standard error'
const ONE_ERROR = 'Print {"error":"what went wrong"} as one line on standard error'

/** Never throws. */
export function checkAgentcliAnswer(answer: AgentcliAnswer): CheckedAgentcliAnswer {
  const { stdout, stderr, exitCode } = answer
  const ok = exitCode === 0
  const content = contentOf(answer)
  const remarks = ok ? ofSuccess(stdout, stderr) : ofFailure(stdout, stderr, exitCode)
  if (transcriptContent(content, false) !== content)
    remarks.push({
      weight: 'remark',
      message: `The model does not read it: its ${Buffer.byteLength(content)} bytes are too many for a tool message`,
      fix: 'Offer filters and ranges, so that an answer keeps within 8192 bytes',
    })
  const result = ok && outputProblem(stdout) === undefined ? (JSON.parse(stdout) as unknown) : undefined
  return { ok, content, remarks, result }
}

function ofSuccess(stdout: string, stderr: string): AnswerRemark[] {
  const remarks: AnswerRemark[] = []
  const problem = outputProblem(stdout)
  if (problem !== undefined) remarks.push({ weight: 'problem', message: sentence(problem), fix: ONE_LINE })
  else if (errorOf(stdout) !== undefined)
    remarks.push({
      weight: 'problem',
      message: 'It says "error" on standard output and ends with status 0: that is a success',
      fix: `${ONE_ERROR}, and end with another status`,
    })
  if (stderr.trim() !== '')
    remarks.push({
      weight: 'remark',
      message: 'Standard error is not read, because the status is 0',
      fix: 'Put what the model should know into the result',
    })
  return remarks
}

function ofFailure(stdout: string, stderr: string, exitCode: number): AnswerRemark[] {
  const remarks: AnswerRemark[] = []
  const note = (weight: AnswerRemark['weight'], message: string, fix: string) => {
    remarks.push({ weight, message, fix })
  }
  const problem = outputProblem(stderr)
  if (stderr.trim() === '')
    note('problem', `Standard error is empty: the model reads "exit status ${exitCode}"`, ONE_ERROR)
  else if (problem !== undefined) note('problem', `${sentence(problem)} on standard error`, ONE_ERROR)
  else if (errorOf(stderr) === undefined)
    note('problem', 'Its line on standard error has no "error" with a text', ONE_ERROR)
  if (stdout.trim() !== '')
    note('remark', `Standard output is not read, because the status is ${exitCode}`, ONE_ERROR)
  if (Buffer.byteLength(stderr) > MAX_ERROR_BYTES)
    note('remark', `Its error is cut after ${MAX_ERROR_BYTES} bytes`, 'Say it in fewer words')
  return remarks
}

/** The text of `{"error": …}`, in an output that `outputProblem` accepts. */
function errorOf(line: string): string | undefined {
  const value: unknown = JSON.parse(line)
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'error')) return undefined
  const error: unknown = Reflect.get(value, 'error')
  return typeof error === 'string' && error.trim() !== '' ? error : undefined
}

function sentence(problem: string): string {
  return problem.charAt(0).toUpperCase() + problem.slice(1)
}
