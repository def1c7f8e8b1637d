// Judges the output of a program made for agentcli, by agentcli's rules, and turns it into what the model reads.

import { own } from '../model/own.ts'
import { collapseSpace, isJson, jsonString, respaced, trimSpace } from './go-json.ts'

export interface AgentcliAnswer {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

/** One thing to change, or that is only unusual. */
interface AnswerRemark {
  readonly weight: 'problem' | 'remark'
  readonly message: string
  readonly fix: string
}

interface CheckedAgentcliAnswer {
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

/** UTF-8 bytes of an error text. */
const MAX_ERROR_BYTES = 1000
/** UTF-8 bytes of a tool message in the transcript. */
const MAX_MESSAGE_BYTES = 8192
const TOO_LARGE = '{"truncated":true,"reason":"large-tool-output"}'

/**
 * Returns the tool message that agentcli gives to a model for the output of a program and its end, byte for byte. Only white space in JSON strings
 * differs: it is data and stays. More than 8192 bytes become a note, unless `debug` is set.
 *
 * @example
 * toAgentcliContent({ exitCode: 0, stdout: '{"now":\n 12}\n', stderr: '' }) // '{"now": 12}'
 * toAgentcliContent({ exitCode: 1, stdout: '', stderr: 'no such zone' }) // '{"error":"no such zone"}'
 */
export function toAgentcliContent(
  end: ToolEnd,
  { debug = false }: { readonly debug?: boolean } = {},
): string {
  return transcriptContent(contentOf(end), debug)
}

/** The same at its full length. */
function contentOf(end: ToolEnd): string {
  const outcome = outcomeOf(end)
  return outcome.ok ? successContent(outcome.stdout) : failureContent(outcome.error)
}

/**
 * One line for the model. White space between JSON tokens collapses, as upstream; inside strings it is data and stays. Other text
 * collapses everywhere.
 */
export function successContent(stdout: string): string {
  const text = trimSpace(stdout)
  if (text === '') return '{}'
  return isJson(text) ? respaced(text, ' ') : collapseSpace(text)
}

/** `{"error":"…"}`, cut to 1000 bytes at a character's end. */
export function failureContent(error: string): string {
  const { read } = new TextEncoder().encodeInto(error, new Uint8Array(MAX_ERROR_BYTES))
  return `{"error":${jsonString(error.slice(0, read))}}`
}

/** A tool message as it is sent: a long one is replaced by a note, except in debug mode. */
export function transcriptContent(content: string, isDebug: boolean): string {
  return isDebug || Buffer.byteLength(content) <= MAX_MESSAGE_BYTES ? content : TOO_LARGE
}

/** Why an output is not the one line of JSON that agentcli asks for; undefined if it is. */
export function outputProblem(stdout: string): string | undefined {
  const line = stdout.replace(/\r?\n$/, '')
  if (trimSpace(line) === '') return 'the tool printed nothing'
  if (/[\r\n]/.test(line)) return 'the tool printed more than one line'
  return isJson(line) ? undefined : 'the tool printed something else than JSON'
}

export interface ToolEnd {
  /** True if the program was stopped because its time was up. */
  readonly timedOut?: boolean
  /** Null when a signal ended it. */
  readonly exitCode: number | null
  readonly signal?: string | null
  readonly stdout: string
  readonly stderr: string
}

type AgentcliOutcome = (
  | { readonly ok: true; readonly stdout: string }
  | { readonly ok: false; readonly error: string }
) & {
  /** -1 when unknown or ended by a signal. */
  readonly auditExit: number
}

/** Names of signals as Go prints them. */
const SIGNALS: Readonly<Record<string, string>> = {
  SIGHUP: 'hangup',
  SIGINT: 'interrupt',
  SIGQUIT: 'quit',
  SIGILL: 'illegal instruction',
  SIGTRAP: 'trace/breakpoint trap',
  SIGABRT: 'aborted',
  SIGBUS: 'bus error',
  SIGFPE: 'floating point exception',
  SIGKILL: 'killed',
  SIGUSR1: 'user defined signal 1',
  SIGSEGV: 'segmentation fault',
  SIGUSR2: 'user defined signal 2',
  SIGPIPE: 'broken pipe',
  SIGALRM: 'alarm clock',
  SIGTERM: 'terminated',
}

/** A timeout wins over stderr, stderr over the status; a successful tool's stderr is ignored. */
export function outcomeOf({ timedOut, exitCode, signal, stdout, stderr }: ToolEnd): AgentcliOutcome {
  if (timedOut) return { ok: false, error: 'tool timed out', auditExit: -1 }
  if (exitCode === 0) return { ok: true, stdout, auditExit: 0 }
  const status =
    exitCode === null
      ? `signal: ${own(SIGNALS, signal ?? '') ?? signal ?? 'unknown'}`
      : `exit status ${exitCode}`
  return { ok: false, error: stderr === '' ? status : stderr, auditExit: exitCode ?? -1 }
}
