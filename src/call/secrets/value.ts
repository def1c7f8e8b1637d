// Checks a secret's value: length, UTF-8, no NUL.

import type { SecretAnswer } from '../../model/secret.ts'
import { SHORTEST_SECRET } from '../../secret/secret-mask.ts'

/** Bytes of one value: keys and certificates with their chain are smaller. */
export const MOST_SECRET_BYTES = 64 * 1024

/** One newline at the end is dropped, because editors and `echo` add it. Everything else is part of the value. */
export function secretValue(bytes: Uint8Array): SecretAnswer {
  if (bytes.length > MOST_SECRET_BYTES) return unusable(`is longer than ${MOST_SECRET_BYTES} bytes`)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    // The decoder throws this for text that is not UTF-8.
    if (error instanceof TypeError) return unusable('is not UTF-8')
    throw error
  }
  const value = text.replace(/\r?\n$/, '')
  // A NUL would end the variable that passes the secret to a program.
  if (value.includes('\0')) return unusable('holds NUL')
  if (value.length < SHORTEST_SECRET)
    return unusable(`has fewer than ${SHORTEST_SECRET} characters, which cannot be kept out of logs`)
  return { ok: true, value }
}

export function unusable(problem: string, hint?: string): SecretAnswer {
  return { ok: false, reason: 'secret_unusable', problem, hint }
}

export function unknown(problem: string, hint?: string): SecretAnswer {
  return { ok: false, reason: 'secret_unknown', problem, hint }
}
