// An identity of a trust policy and what a certificate says → member by member, whether it is that one (docs/spec/keyless.md, Y-6). Pure. Texts are
// equal or not: no prefix, no case, no pattern but the one `*` at the end of a ref.
import type { Identity, IdentityMember } from '../model/anchor.ts'
import type { CertificateFacts, ComparedMember } from '../model/keyless.ts'
import { USUAL_TRIGGERS } from './identities.ts'

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
export function workflowIn({ issuer = '', config, source, ref }: CertificateFacts): string | undefined {
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
