// A question to a service of Sigstore, or to a pipeline → its answer, or one sentence for each thing that a person can do about it. What was told in
// confidence is in no message, whatever the service says.
import { repeats } from '../../format/keyless/without-secrets.ts'
import { printable } from '../../format/text/printable.ts'
import type { Over } from '../../io/wait/deadline.ts'
import { Deadline } from '../../io/wait/deadline.ts'
import type { FetchTimes } from '../../model/carried.ts'
import { RlpError } from '../../model/error.ts'
import { isTable, own } from '../../model/own.ts'
import { isSystemError } from '../../model/system-error.ts'
import { askService, NotTaken, type ServiceAnswer, type ServiceRequest } from '../../net/ask-service.ts'

/** What all questions about one signature share. */
export interface Exchange {
  /** In the grammar of messages: `sign "dist/mailer-0.1.0.agent.bundle"`. */
  readonly doing: string
  readonly deadline: Deadline
  readonly env: Readonly<Record<string, string | undefined>>
  /** In no message. */
  readonly secrets: readonly string[]
}

export interface Question extends Pick<ServiceRequest, 'method' | 'url' | 'mostBytes'> {
  /** Its name: `Fulcio`. */
  readonly service: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** What to do if it refuses. */
  readonly hint: string
  /** A status that is an answer too. */
  readonly takes?: number
}

/** Of all services together, for one signature. */
const WAIT_MS = 120_000
/** Of one answer. A log of version 2 waits until it has more entries to write. */
const ANSWER_MS = 30_000
const MOST_TRIES = 3
const MOST_SAID = 300
const BROKEN = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ECONNABORTED', 'HPE_INVALID_EOF_STATE']
const TLS = /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|EPROTO)/

/** @param times as the caller allows for registries; the services of Sigstore are waited for no longer */
export function deadlineFor(signal: AbortSignal, times: Partial<FetchTimes> = {}): Deadline {
  return new Deadline(signal, { operationMs: WAIT_MS, ...times, slowMs: Number.POSITIVE_INFINITY })
}

/** @throws RlpError UNREACHABLE, TIMED_OUT, NO_PERMISSION, SIGNER, CANCELLED */
export async function ask(question: Question, exchange: Exchange): Promise<ServiceAnswer> {
  const { deadline } = exchange
  for (let at = 1; ; at++) {
    const answer = await tried(question, exchange, at)
    if (answer !== undefined) {
      const { status } = answer
      if ((status >= 200 && status < 300) || status === question.takes) return answer
      if (at >= MOST_TRIES || !(status === 429 || status >= 500)) throw refused(question, exchange, answer)
    }
    await deadline.pause(200 * 4 ** (at - 1)).catch(() => {
      throw ended(question, exchange, deadline.over)
    })
  }
}

/** Undefined where it may be tried again. */
async function tried(question: Question, exchange: Exchange, at: number): Promise<ServiceAnswer | undefined> {
  const { deadline, env } = exchange
  const soon = deadline.within(ANSWER_MS, 'one answer')
  const { method, url, mostBytes, headers = {}, body } = question
  const sent = { method, url, mostBytes, headers, env, deadline: soon, ...(body !== undefined && { body }) }
  try {
    return await askService(sent)
  } catch (error) {
    if (soon.over !== undefined) throw ended(question, exchange, soon.over)
    if (at < MOST_TRIES && BROKEN.includes(codeOf(error))) return undefined
    throw unreached(question, exchange, error)
  }
}

/** An answer that is not what it should be. @param why a clause: `it is no certificate` */
export function malformed(question: Question, { doing }: Exchange, why: string): RlpError {
  return new RlpError('SIGNER', `Cannot ${doing}: the answer of ${named(question)} is not used: ${why}`, {
    hint: 'Check the address in the signing config, and ask who keeps the service',
  })
}

/** @param why clauses about two clocks */
export function clockOff({ doing }: Exchange, why: string): RlpError {
  return new RlpError('SIGNER', `Cannot ${doing}: ${why}`, {
    hint: 'Set the clock of this machine, then run the command again',
  })
}

export function named({ service, url }: Question): string {
  return `${service} at ${url.host}`
}

function refused(question: Question, exchange: Exchange, { status, bytes }: ServiceAnswer): RlpError {
  const { doing } = exchange
  const said = saidIn(bytes, exchange.secrets)
  const answered = `${named(question)} answered ${status}${said === undefined ? '' : `: ${said}`}`
  if (status === 429 || status >= 500)
    return new RlpError('UNREACHABLE', `Cannot ${doing}: ${answered}`, {
      hint:
        status === 429
          ? 'These were too many requests in a short time. Wait a while'
          : 'The service has a problem of its own. Try again later',
    })
  if (status >= 300 && status < 400)
    return malformed(question, exchange, `it is a redirect (${status}), and none is followed`)
  const code = status === 401 || status === 403 ? 'NO_PERMISSION' : 'SIGNER'
  return new RlpError(code, `Cannot ${doing}: ${answered}`, { hint: question.hint })
}

/** What it says to people; nothing, if that has any of what it was told. */
function saidIn(bytes: Uint8Array, secrets: readonly string[]): string | undefined {
  const text = Buffer.from(bytes).toString('utf8')
  const message = messageIn(text)
  if (message.trim() === '' || repeats(message, secrets)) return undefined
  return printable(message.trim(), MOST_SAID)
}

/** The message of an error in JSON; else the text, unless it is a page. */
function messageIn(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    const message = isTable(value) ? (own(value, 'message') ?? own(value, 'error')) : undefined
    return typeof message === 'string' ? message : ''
  } catch (error) {
    if (error instanceof SyntaxError) return text.trimStart().startsWith('<') ? '' : text
    throw error
  }
}

function unreached(question: Question, { doing }: Exchange, cause: unknown): unknown {
  const where = named(question)
  if (cause instanceof NotTaken)
    return new RlpError(
      cause.why === 'place' ? 'UNREACHABLE' : 'SIGNER',
      `Cannot ${doing}: ${where} is not used: ${cause.message}`,
      { hint: 'Check the address in the signing config, and what this machine looks up for it' },
    )
  const code = codeOf(cause)
  if (!isSystemError(cause) && !TLS.test(code) && !/^(?:HPE_|ERR_)/.test(code)) return cause
  const isTls = TLS.test(code)
  const state = isTls ? `the certificate of ${where} does not hold` : `no connection to ${where}`
  return new RlpError('UNREACHABLE', `Cannot ${doing}: ${state} (${code})`, {
    hint: isTls
      ? 'If the service has an authority of your own, name its certificate in NODE_EXTRA_CA_CERTS'
      : 'Check the network or proxy on the way to it, and whether the service runs',
  })
}

function ended(question: Question, { doing }: Exchange, over: Over | undefined): RlpError {
  if (over?.why !== 'late') return new RlpError('CANCELLED', `Cancelled: cannot ${doing}`)
  return new RlpError(
    'TIMED_OUT',
    `Cannot ${doing}: ${named(question)} took longer than ${over.ms / 1000} s`,
    { hint: 'Try again later. If the services are that slow, allow more time with `fetchTimeoutMs`' },
  )
}

function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}
