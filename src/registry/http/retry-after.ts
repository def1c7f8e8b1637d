// An answer that asks for patience → how long to wait before the next try.
import type { IncomingMessage } from 'node:http'

/** A registry may ask to wait no longer than this. */
const MOST_SECONDS = 30

/** In seconds; undefined where it does not ask, or for longer than anybody waits. */
export function waitIn({ statusCode, headers }: IncomingMessage): number | undefined {
  if (statusCode !== 429 && statusCode !== 503) return undefined
  const text = headers['retry-after']
  const seconds =
    text === undefined ? 1 : /^[0-9]{1,5}$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isNaN(seconds) || seconds > MOST_SECONDS ? undefined : Math.max(0, seconds)
}
