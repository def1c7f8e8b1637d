// A token of an OIDC issuer → what it claims. It is a JWT whose signature is not checked here: Fulcio does that. No part of it is ever repeated but who it
// is about.

import { parseJson } from '../json/parse.ts'
import { isTable, own } from '../model/own.ts'

/** A longer one is refused, and so is no text at all. */
export const MOST_TOKEN_CHARACTERS = 16_384

export interface IdentityToken {
  /** The token itself: a secret while it is valid. */
  readonly text: string
  readonly issuer: string
  /** Whom it is about, and what its owner proves to know: an email address that the issuer has verified, else its `sub`. */
  readonly subject: string
  readonly isEmail: boolean
  readonly audiences: readonly string[]
  /** Milliseconds since 1970; undefined where it does not say. */
  readonly begins: number | undefined
  readonly ends: number
  /** Parts of it that must not be repeated, whatever a service says. */
  readonly secrets: readonly string[]
}

/** Claims that may be shown: they say who, and not what is secret. */
const SHOWN = ['iss', 'sub', 'email', 'aud']

export type ReadToken =
  | { readonly ok: true; readonly token: IdentityToken }
  | { readonly ok: false; readonly problem: string }

/** @param text with blanks around it, as files and variables have them */
export function readIdentityToken(text: string): ReadToken {
  const token = text.trim()
  if (token === '') return bad('it is empty')
  if (token.length > MOST_TOKEN_CHARACTERS) return bad(`it has more than ${MOST_TOKEN_CHARACTERS} characters`)
  const parts = token.split('.')
  if (parts.length !== 3 || !parts.every(part => /^[A-Za-z0-9_-]+$/.test(part)))
    return bad('it is no JWT: three parts in base64url, with dots between them')
  const parsed = parseJson('token', Buffer.from(parts[1] ?? '', 'base64url'))
  const claims = parsed.ok ? parsed.document.value : undefined
  if (!isTable(claims)) return bad('it is no JWT: its second part is no JSON object')
  const issuer = claimed(claims, 'iss')
  const email = claimed(claims, 'email')
  const sub = claimed(claims, 'sub')
  const isEmail = email !== undefined
  // As Fulcio does it: who logs in by address is called so.
  if (isEmail && ![true, 'true'].includes(own(claims, 'email_verified') as never))
    return bad('its issuer has not verified the email address in it')
  const subject = email ?? sub
  if (issuer === undefined || subject === undefined) return bad('it names no issuer (iss) and subject (sub)')
  const ends = seconds(own(claims, 'exp'))
  if (ends === undefined) return bad('it says no end (exp)')
  return {
    ok: true,
    token: {
      text: token,
      issuer,
      subject,
      isEmail,
      ends,
      begins: seconds(own(claims, 'nbf')),
      audiences: audiencesIn(own(claims, 'aud')),
      secrets: [token, ...hiddenIn(claims)],
    },
  }
}

/** An answer may repeat what a claim says, in place of the token. */
function hiddenIn(claims: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(claims).flatMap(([name, value]) =>
    SHOWN.includes(name) || typeof value !== 'string' ? [] : [value],
  )
}

function claimed(claims: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = own(claims, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function seconds(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 8.64e12
    ? value * 1000
    : undefined
}

function audiencesIn(value: unknown): readonly string[] {
  const listed = Array.isArray(value) ? value : [value]
  return listed.filter(one => typeof one === 'string')
}

function bad(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem }
}
