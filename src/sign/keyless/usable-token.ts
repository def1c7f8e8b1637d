// A token as it was found → one that Fulcio can take, or why it is not sent at all.

import { RlpError } from '../../model/error.ts'
import { type IdentityToken, readIdentityToken } from '../../sigstore/identity-token.ts'
import { quoted } from '../../text/printable.ts'
import { utcSecond } from '../../text/time.ts'
import type { SigningExchange } from './question.ts'
import { clockOff } from './service-words.ts'
import { AUDIENCE, type TokenText } from './token-sources.ts'

/** Clocks differ so much without being wrong. */
export const SKEW_MS = 60_000

/** @throws RlpError WRONG_FILE_TYPE for what is no token for Fulcio, SIGNER for one that has ended or not begun */
export function usableToken({ text, where }: TokenText, exchange: SigningExchange, now: Date): IdentityToken {
  const { doing } = exchange
  const refuse = (state: string, hint: string) =>
    new RlpError('WRONG_FILE_TYPE', `Cannot ${doing}: the identity token ${where} is not used: ${state}`, {
      hint,
    })
  const read = readIdentityToken(text)
  if (!read.ok) throw refuse(read.problem, 'Hand over the token of an OIDC issuer as it is, and nothing else')
  const { token } = read
  if (!token.audiences.includes(AUDIENCE)) {
    const { audiences } = token
    const found = audiences.length === 0 ? 'no audience' : quoted(audiences.join(', '), 200)
    throw refuse(
      `it is for ${found}, and not for "${AUDIENCE}"`,
      `Ask the issuer for a token for ${AUDIENCE}`,
    )
  }
  const here = utcSecond(now)
  if (token.ends <= now.getTime())
    throw new RlpError(
      'SIGNER',
      `Cannot ${doing}: the identity token ${where} ended at ${utcSecond(new Date(token.ends))}, and the clock of this machine says ${here}`,
      { hint: 'Get a new one right before you sign. If the clock is wrong, set it' },
    )
  if (token.begins !== undefined && token.begins > now.getTime() + SKEW_MS)
    throw clockOff(
      exchange,
      `the identity token ${where} begins at ${utcSecond(new Date(token.begins))}, and the clock of this machine says ${here}`,
    )
  return token
}
