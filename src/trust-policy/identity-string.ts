// An identity ↔ what marks, locks, reports and revocations call it: `oidc:<issuer>?` and what its anchor names, in one order, percent-encoded
// (docs/spec/trust-policy.md, K-18).

import { IDENTITY_MEMBERS, type Identity, type IdentityMember } from '../model/anchor.ts'
import { percentDecoded } from '../text/percent.ts'

export function identityString({ issuer, ...members }: Identity): string {
  const said = IDENTITY_MEMBERS.flatMap(key => {
    const value = members[key]
    return value === undefined ? [] : `${key}=${encodeURIComponent(value)}`
  })
  return `oidc:${issuer}?${said.join('&')}`
}

/** Whether it is meant as one. */
export function isMeantAsIdentity(text: string): boolean {
  return text.startsWith('oidc:')
}

/** Whether it is one, or the beginning of one by whole members, in the one spelling that is compared. */
export function isIdentityString(text: string): boolean {
  return readIdentityString(text) !== undefined
}

/** The issuer and members that such a text names. They need not be enough for an anchor. Undefined for any other text. */
export function readIdentityString(text: string): Identity | undefined {
  // Members are percent-encoded, so the last question mark is the one before them.
  const at = text.lastIndexOf('?')
  const issuer = text.slice('oidc:'.length, at)
  if (!/^https:\/\/[^\s/]\S*$/.test(issuer)) return undefined
  const members: { [member in IdentityMember]?: string } = {}
  for (const part of text.slice(at + 1).split('&')) {
    const [name, value = ''] = part.split('=')
    const member = IDENTITY_MEMBERS.find(one => one === name)
    const decoded = percentDecoded(value)
    if (member === undefined || !decoded) return undefined
    members[member] = decoded
  }
  // A text with another beginning, with a member twice or with more in one is not the one that these members make.
  const identity = { issuer, ...members }
  return identityString(identity) === text ? identity : undefined
}

/** Whether a revoked text names a signer: all of it, or its beginning by whole members. */
export function namesIdentity(revoked: string, signer: string): boolean {
  return revoked === signer || (isMeantAsIdentity(revoked) && signer.startsWith(`${revoked}&`))
}
