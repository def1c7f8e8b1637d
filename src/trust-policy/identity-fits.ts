// Compares an identity of a trust policy with a certificate, member by member (docs/spec/keyless.md, Y-6), and proposes the identity to
// write into a policy: by ids, never by names. Pure. Texts are equal or not: the only pattern is the one `*` at the end of a ref. Whether
// the certificate is proven is decided elsewhere.
import type { Identity, IdentityMember } from '../model/anchor.ts'
import type { CertificateFacts, ComparedMember } from '../model/keyless.ts'
import { printable } from '../text/printable.ts'
import { identityProblems, identityRows, USUAL_TRIGGERS } from './identity-members.ts'

const GITHUB = 'https://token.actions.githubusercontent.com'
const GITLAB = 'https://gitlab.com'

/** Whether the certificate is one of this identity. */
export function fitsIdentity(identity: Identity, facts: CertificateFacts): boolean {
  return compareIdentity(identity, facts).every(({ fits }) => fits)
}

/** Whether it may be one: what names the signer is the same. */
export function claimsIdentity({ issuer, repository_id, email, subject }: Identity, facts: CertificateFacts) {
  return (
    facts.issuer === issuer &&
    (repository_id === undefined || facts.repository_id === repository_id) &&
    (email === undefined || facts.email === email) &&
    (subject === undefined || facts.uri === subject)
  )
}

export function compareIdentity(identity: Identity, facts: CertificateFacts): ComparedMember[] {
  const exact = (member: string, wanted: string | undefined, found: string | undefined) =>
    wanted === undefined ? [] : [{ member, wanted, found, fits: found === wanted }]
  return [
    ...exact('issuer', identity.issuer, facts.issuer),
    ...exact('repository_id', identity.repository_id, facts.repository_id),
    ...exact('owner_id', identity.owner_id, facts.owner_id),
    ...(identity.workflow === undefined ? [] : [workflow(identity.workflow, identity.issuer, facts)]),
    ...(identity.ref === undefined ? [] : [ref(identity.ref, facts.ref)]),
    ...exact('environment', identity.environment, facts.environment),
    ...exact('runner', identity.runner, facts.runner),
    ...(identity.repository_id === undefined ? [] : [trigger(identity.trigger, facts.trigger)]),
    ...(identity.repository_id === undefined ? [] : builder(identity, facts)),
    ...exact('email', identity.email, facts.email),
    ...(identity.subject === undefined ? [] : subject(identity.subject, facts)),
  ]
}

function ref(wanted: string, found: string | undefined): ComparedMember {
  return { member: 'ref', wanted, found, fits: isRef(wanted, found) }
}

/** @param wanted it may end in one `*` */
export function isRef(wanted: string, found: string | undefined): boolean {
  return wanted.endsWith('*') ? found?.startsWith(wanted.slice(0, -1)) === true : found === wanted
}

/** The path in the repository of the file that said what the job does; undefined where it was of another repository, or at another ref. */
function workflowIn({ issuer = '', config, source, ref }: CertificateFacts): string | undefined {
  if (config === undefined || source === undefined || ref === undefined) return undefined
  // The longer one first: a path does not begin with a slash.
  for (const between of [...betweenFor(issuer)].reverse()) {
    const [before, after] = [`${source}${between}`, `@${ref}`]
    if (!config.startsWith(before) || !config.endsWith(after)) continue
    const path = config.slice(before.length, -after.length)
    if (path !== '') return path
  }
  return undefined
}

/** What is between the repository and the path of a workflow. */
function betweenFor(issuer: string): readonly string[] {
  return issuer === GITHUB ? ['/'] : issuer === GITLAB ? ['//'] : ['/', '//']
}

/** The file in the repository, at the ref that was built: nothing else may have said what the job does. */
function workflow(wanted: string, issuer: string, { config, source, ref }: CertificateFacts): ComparedMember {
  const at = (one: string) => `${source}${one}${wanted}@${ref}`
  const fits = source !== undefined && ref !== undefined && betweenFor(issuer).some(one => config === at(one))
  return { member: 'workflow', wanted, found: config, fits }
}

/** Without one in the policy, who starts it may write to the repository: anybody may comment on it, or ask for a change. */
function trigger(wanted: string | undefined, found: string | undefined): ComparedMember {
  const fits = wanted === undefined ? USUAL_TRIGGERS.some(one => one === found) : found === wanted
  return { member: 'trigger', wanted: wanted ?? USUAL_TRIGGERS.join(' or '), found, fits }
}

/** What signed is the workflow itself, or the reusable one that the policy names with its digest. */
function builder({ builder, builder_digest }: Identity, facts: CertificateFacts): ComparedMember[] {
  const { signer, config, signer_digest } = facts
  if (builder === undefined) {
    const fits = signer !== undefined && signer === config
    return [{ member: 'builder', wanted: config ?? 'the workflow itself', found: signer, fits }]
  }
  const found = signer?.includes('@') ? signer.slice(0, signer.indexOf('@')) : undefined
  return [
    { member: 'builder', wanted: builder, found, fits: found === builder },
    {
      member: 'builder_digest',
      wanted: builder_digest ?? '',
      found: signer_digest,
      fits: signer_digest === builder_digest,
    },
  ]
}

/** The subject of a certificate that names a repository leaves out which workflow signed. */
function subject(wanted: string, { uri, repository_id }: CertificateFacts): ComparedMember[] {
  const member: IdentityMember = 'subject'
  return [{ member, wanted, found: uri, fits: uri === wanted && repository_id === undefined }]
}

type Proposed = { readonly identity: Identity } | { readonly problem: string }

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
