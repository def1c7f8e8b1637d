// What a certificate says → the identity to write into a trust policy, or why none is proposed. By ids, never by names; and never one that the certificate
// would not fit. That it is proven is asked elsewhere.
import type { Identity } from '../model/anchor.ts'
import type { CertificateFacts } from '../model/keyless.ts'
import { printable } from '../text/printable.ts'
import { compareIdentity, workflowIn } from './identity-fits.ts'
import { identityProblems, identityRows } from './identity-members.ts'

export type Proposed = { readonly identity: Identity } | { readonly problem: string }

/** Characters of one member: people do not read a longer one. */
const MOST = 300

export function proposedIdentity(facts: CertificateFacts): Proposed {
  const identity = identityIn(facts)
  if (identity === undefined)
    return { problem: 'its certificate names no workflow of its own repository, no email address and no URI' }
  const rows = identityRows(identity)
  const strange = rows.find(([, text]) => text.length > MOST || printable(text) !== text)
  if (strange !== undefined)
    return {
      problem: `the ${strange[0]} of its certificate is too long, or has characters that are not seen`,
    }
  // In a policy a * would be a pattern.
  const starred = rows.find(([name, text]) => text.includes('*') && text !== proposedRef(facts.ref, name))
  const [wrong] = identityProblems(
    rows.map(([name]) => name),
    identity,
  )
  if (starred !== undefined || wrong !== undefined)
    return {
      problem: `a policy cannot name its identity: ${wrong?.message ?? `its ${starred?.[0]} has a *`}`,
    }
  const other = compareIdentity(identity, facts).find(({ fits }) => !fits)
  if (other === undefined) return { identity }
  const found = other.found === undefined ? 'nothing' : printable(other.found, MOST)
  return { problem: `its ${other.member} is ${found}, and not ${printable(other.wanted, MOST)}` }
}

function identityIn(facts: CertificateFacts): Identity | undefined {
  const { issuer, repository_id, owner_id, ref, environment, runner, email, uri } = facts
  if (issuer === undefined) return undefined
  if (repository_id === undefined) {
    if (email !== undefined) return { issuer, email }
    return uri === undefined ? undefined : { issuer, subject: uri }
  }
  const workflow = workflowIn(facts)
  const wanted = proposedRef(ref)
  if (workflow === undefined || wanted === undefined) return undefined
  return {
    issuer,
    repository_id,
    ...(owner_id !== undefined && { owner_id }),
    workflow,
    ref: wanted,
    ...(environment !== undefined && { environment }),
    ...(runner !== undefined && { runner }),
    ...builderIn(facts),
  }
}

/** A reusable workflow says what the job does, so that the policy names it with its commit. */
function builderIn({ signer, config, signer_digest }: CertificateFacts) {
  const at = signer?.indexOf('@') ?? -1
  if (signer === undefined || signer === config || at < 0 || signer_digest === undefined) return {}
  return { builder: signer.slice(0, at), builder_digest: signer_digest }
}

/** Releases are tagged one after the other, so of a tag the beginning is proposed that is before its number. */
function proposedRef(ref: string | undefined, name = 'ref'): string | undefined {
  if (ref === undefined || name !== 'ref' || ref.includes('*')) return undefined
  const [, kind = '', before = '', digit] = /^(refs\/tags\/)([^0-9]*)([0-9])?/.exec(ref) ?? []
  return before === '' || digit === undefined ? ref : `${kind}${before}*`
}
