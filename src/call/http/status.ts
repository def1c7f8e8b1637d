// An unsuccessful status → its failure (docs/running-http.md has the table).
import { STATUS_CODES } from 'node:http'
import type { RunRefusal } from '../../model/run.ts'

type Meaning = Pick<RunRefusal, 'kind' | 'retryable'>

const FINAL: Meaning = { kind: 'execution_error', retryable: false }
/** The requested thing does not exist. */
const ABSENT: Meaning = { kind: 'not_found' }
const TOO_SLOW: Meaning = { kind: 'timeout' }
const LATER: Meaning = { kind: 'unavailable' }

/**
 * For statuses not listed: a 4xx or an unknown one will not succeed later, a 5xx may. The arguments have passed `input_schema`, so 400
 * and 422 are not `invalid_args`: caller, author or server may be wrong.
 */
const MEANINGS: ReadonlyMap<number, Meaning> = new Map([
  [404, ABSENT],
  [408, TOO_SLOW],
  [410, ABSENT],
  [425, LATER],
  [429, LATER],
  [501, FINAL],
  [502, LATER],
  [503, LATER],
  [504, TOO_SLOW],
  [505, FINAL],
])

/** Seconds. An upper limit for what a server says. */
const LONGEST_WAIT = 24 * 60 * 60

/**
 * @param piece of the body, fit to be shown; empty if there is none
 * @param retryAfter the header
 */
export function statusFailure(status: number, piece: string, retryAfter: string | undefined): RunRefusal {
  const isServers = status >= 500 && status <= 599
  const meaning = MEANINGS.get(status) ?? (isServers ? { kind: 'execution_error' } : FINAL)
  const wait = secondsOf(retryAfter, Date.now())
  const name = STATUS_CODES[status]
  const why = status === 401 || status === 403 ? '; its secrets may be wrong, or may not do this' : ''
  return {
    ...meaning,
    message: `The server answered ${status}${name === undefined ? '' : ` ${name}`}${why}${piece === '' ? '' : `: ${piece}`}`,
    extra: { status, ...(wait !== undefined && { retry_after: wait }) },
  }
}

/** `Retry-After` (RFC 9110 §10.2.3) in whole seconds from now; undefined if it is unreadable. */
export function secondsOf(retryAfter: string | undefined, now: number): number | undefined {
  const text = retryAfter?.trim() ?? ''
  const seconds = /^[0-9]+$/.test(text) ? Number(text) : (dateOf(text) - now) / 1000
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(Math.ceil(seconds), 0), LONGEST_WAIT)
}

/** `Date.parse` accepts nearly anything; only the current form is read. */
function dateOf(text: string): number {
  return /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$/.test(text)
    ? Date.parse(text)
    : Number.NaN
}
