// Sends a request to a service of Sigstore, or to a pipeline. If it fails, one sentence names each thing that a person can do about it.
// Secrets that were sent are in no message, whatever the service answers.
import { Deadline, type Over, operationTimes } from '../../io/wait/deadline.ts'
import type { RegistryAccess } from '../../model/carried.ts'
import { RlpError } from '../../model/error.ts'
import { MORE_TIME } from '../../model/limits.ts'
import { isTable, own } from '../../model/own.ts'
import { isSystemError } from '../../model/system-error.ts'
import { askService, NotTaken, type ServiceAnswer, type ServiceRequest } from '../../net/ask-service.ts'
import { codeOf, isBrokenConnection, isTlsFailure } from '../../net/connection.ts'
import { printable } from '../../text/printable.ts'

/** What all questions about one signature share. */
export interface SigningExchange {
  /** In the grammar of messages: `sign "dist/mailer-0.1.0.agent.bundle"`. */
  readonly doing: string
  readonly deadline: Deadline
  readonly env: Readonly<Record<string, string | undefined>>
  /** In no message. */
  readonly secrets: readonly string[]
}

export interface ServiceQuestion extends Pick<ServiceRequest, 'method' | 'url' | 'mostBytes'> {
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

/**
 * `[registries] timeout` of config.toml holds for these services too.
 * @throws RlpError as {@link operationTimes}
 */
export async function deadlineFor(signal: AbortSignal, access: RegistryAccess): Promise<Deadline> {
  const times = await operationTimes(access, { operationMs: WAIT_MS })
  return new Deadline(signal, { ...times, slowMs: Number.POSITIVE_INFINITY })
}

/** @throws RlpError UNREACHABLE, TIMED_OUT, NO_PERMISSION, SIGNER, CANCELLED */
export async function serviceAnswer(
  question: ServiceQuestion,
  exchange: SigningExchange,
): Promise<ServiceAnswer> {
  const { deadline } = exchange
  for (let at = 1; ; at++) {
    const answer = await tried(question, exchange, at)
    if (answer !== undefined) {
      const { status } = answer
      if ((status >= 200 && status < 300) || status === question.takes) return answer
      if (at >= MOST_TRIES || !(status === 429 || status >= 500))
        throw serviceRefused(question, exchange, answer)
    }
    await deadline.pause(200 * 4 ** (at - 1)).catch(() => {
      throw serviceEnded(question, exchange, deadline.over)
    })
  }
}

/** Undefined where it may be tried again. */
async function tried(
  question: ServiceQuestion,
  exchange: SigningExchange,
  at: number,
): Promise<ServiceAnswer | undefined> {
  const { deadline, env } = exchange
  const soon = deadline.within(ANSWER_MS, 'one answer')
  const { method, url, mostBytes, headers = {}, body } = question
  const sent = { method, url, mostBytes, headers, env, deadline: soon, body }
  try {
    return await askService(sent)
  } catch (error) {
    if (soon.over !== undefined) throw serviceEnded(question, exchange, soon.over)
    if (at < MOST_TRIES && isBrokenConnection(codeOf(error))) return undefined
    throw serviceUnreached(question, exchange, error)
  }
}

const MOST_SAID = 300

/** An answer that is not what it should be. @param why a clause: `it is no certificate` */
export function answerMalformed(
  question: ServiceQuestion,
  { doing }: SigningExchange,
  why: string,
): RlpError {
  return new RlpError(
    'SIGNER',
    `Cannot ${doing}: the answer of ${serviceNamed(question)} is not used: ${why}`,
    {
      hint: 'Check the address in the signing config, and ask who keeps the service',
    },
  )
}

/** @param why clauses about two clocks */
/** An answer that is JSON; undefined if it is not. */
export function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

export function clockOff({ doing }: SigningExchange, why: string): RlpError {
  return new RlpError('SIGNER', `Cannot ${doing}: ${why}`, {
    hint: 'Set the clock of this machine, then run the command again',
  })
}

export function serviceNamed({ service, url }: ServiceQuestion): string {
  return `${service} at ${url.host}`
}

export function serviceRefused(
  question: ServiceQuestion,
  exchange: SigningExchange,
  { status, bytes }: ServiceAnswer,
): RlpError {
  const { doing } = exchange
  const said = saidIn(bytes, exchange.secrets)
  const answered = `${serviceNamed(question)} answered ${status}${said === undefined ? '' : `: ${said}`}`
  if (status === 429 || status >= 500)
    return new RlpError('UNREACHABLE', `Cannot ${doing}: ${answered}`, {
      hint:
        status === 429
          ? 'These were too many requests in a short time. Wait a while'
          : 'The service has a problem of its own. Try again later',
    })
  if (status >= 300 && status < 400)
    return answerMalformed(question, exchange, `it is a redirect (${status}), and none is followed`)
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

export function serviceUnreached(
  question: ServiceQuestion,
  { doing }: SigningExchange,
  cause: unknown,
): unknown {
  const where = serviceNamed(question)
  if (cause instanceof NotTaken)
    return new RlpError(
      cause.why === 'place' ? 'UNREACHABLE' : 'SIGNER',
      `Cannot ${doing}: ${where} is not used: ${cause.message}`,
      { hint: 'Check the address in the signing config, and what this machine looks up for it' },
    )
  const code = codeOf(cause)
  const isTls = isTlsFailure(code)
  const isConnection = isSystemError(cause) || isBrokenConnection(code) || /^(?:HPE_|ERR_)/.test(code)
  if (!isTls && !isConnection) return cause
  const state = isTls ? `the certificate of ${where} does not hold` : `no connection to ${where}`
  return new RlpError('UNREACHABLE', `Cannot ${doing}: ${state} (${code})`, {
    hint: isTls
      ? 'If the service has an authority of your own, name its certificate in NODE_EXTRA_CA_CERTS'
      : 'Check the network or proxy on the way to it, and whether the service runs',
  })
}

export function serviceEnded(
  question: ServiceQuestion,
  { doing }: SigningExchange,
  over: Over | undefined,
): RlpError {
  if (over?.why !== 'late') return new RlpError('CANCELLED', `Cancelled: cannot ${doing}`)
  return new RlpError(
    'TIMED_OUT',
    `Cannot ${doing}: ${serviceNamed(question)} took longer than ${over.ms / 1000} s`,
    { hint: `Try again later. If the services are that slow, ${MORE_TIME}` },
  )
}

/** So many characters in a row are no coincidence, and too few to be of use. */
const WINDOW = 8

export function repeats(text: string, secrets: readonly string[]): boolean {
  const known = new Set<string>()
  for (const secret of secrets)
    for (let at = 0; at + WINDOW <= secret.length; at++) known.add(secret.slice(at, at + WINDOW))
  for (const said of spellings(text))
    for (let at = 0; at + WINDOW <= said.length; at++) if (known.has(said.slice(at, at + WINDOW))) return true
  return false
}

/** As it is, and with its escapes undone. */
function spellings(text: string): readonly string[] {
  const plain = text.replaceAll(/[\s\u200b]+/g, '')
  const decoded = plain.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  const base64 = plain.match(/[A-Za-z0-9+/_=-]{12,}/g) ?? []
  const inside = base64.map(one => Buffer.from(one.replaceAll('=', ''), 'base64').toString('latin1'))
  const backwards = [...plain].reverse().join('')
  return [text, plain, decoded, backwards, ...inside]
}
