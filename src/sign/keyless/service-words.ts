// What went wrong with a service of Sigstore, or with a pipeline → one sentence for each thing that a person can do about it. What was told in confidence is
// in none of them, whatever the service says.

import type { Over } from '../../io/wait/deadline.ts'
import { RlpError } from '../../model/error.ts'
import { MORE_TIME } from '../../model/limits.ts'
import { isTable, own } from '../../model/own.ts'
import { isSystemError } from '../../model/system-error.ts'
import { NotTaken, type ServiceAnswer } from '../../net/ask-service.ts'
import { codeOf, isBrokenConnection, isTlsFailure } from '../../net/connection.ts'
import { repeats } from '../../sigstore/without-secrets.ts'
import { printable } from '../../text/printable.ts'
import type { ServiceQuestion, SigningExchange } from './question.ts'

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
