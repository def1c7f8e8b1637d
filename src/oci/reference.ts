// Reads oci://HOST[:PORT]/REPOSITORY[:TAG][@sha256:HEX] and oci-layout:FOLDER[:TAG][@sha256:HEX]. A registry is a carrier and must not
// hand over another agent under a name, so a reference implies which agent it leads to. For a wrong reference, the one that may be meant
// is guessed.
import { promisedReference, type Reference } from '../agent/agent-name.ts'
import { unwrappedName } from '../bundle/wrappers/index.ts'
import type { OciReference, RegistryPrefix } from '../model/oci.ts'
import type { Reading } from '../model/reading.ts'
import { readHostPort } from '../policy/host.ts'
import { type Expectation, exactly } from '../version/reference.ts'
import { hasVersionForm, isVersion } from '../version/version.ts'
import { DIGEST, SCHEME } from './scheme.ts'

const PART = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*'
const REPOSITORY = new RegExp(`^${PART}(?:/${PART})*$`)
/** The list of what is attached to a manifest, where a registry lacks the referrers API. Other programs add a suffix for each kind. */
const REFERRERS_TAG = /^sha256-[0-9a-f]{64}(?:\.[A-Za-z0-9_.-]*)?$/
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/
/** Of host, port and repository together. */
const LONGEST_NAME = 255

export function readOciReference(text: string): Reading<OciReference> {
  const scheme = SCHEME.exec(text)?.[0]
  if (scheme === undefined) return { problem: 'it does not begin with oci:// or oci-layout:' }
  if (scheme !== scheme.toLowerCase()) return { problem: `${scheme} is written in lower case` }
  if (/[\u0000-\u0020\u007f]/.test(text)) return { problem: 'it holds white space or a control character' }
  const [name = '', digest, ...more] = text.slice(scheme.length).split('@')
  const isLayout = scheme === 'oci-layout:'
  if (!isLayout) {
    if (more.length > 0 || (digest !== undefined && !DIGEST.test(digest)))
      return { problem: 'after @ comes sha256: and 64 hex digits in lower case, and nothing else' }
    return inRegistry(name, digest)
  }
  // A folder may be called anything: only what can be nothing else is taken for a digest.
  const end = /^(.*)@(sha256:.*)$/s.exec(text.slice(scheme.length))
  if (end === null) return inLayout(text.slice(scheme.length), undefined)
  const [, folder = '', pinned = ''] = end
  if (!DIGEST.test(pinned)) return { problem: 'after @sha256: come 64 hex digits in lower case' }
  return inLayout(folder, pinned)
}

const NO_REPOSITORY = 'it names no repository: write oci://HOST/REPOSITORY'

function inRegistry(name: string, digest: string | undefined): Reading<OciReference> {
  const slash = name.indexOf('/')
  if (slash === -1) return { problem: NO_REPOSITORY }
  const read = readHostPort(name.slice(0, slash))
  if ('problem' in read) return read
  if (!URL.canParse(`https://${read.host}/`)) return { problem: 'no server can have this name' }
  const [, path = '', tag] = /^([^:]*)(?::(.*))?$/s.exec(name.slice(slash + 1)) ?? []
  const isPrefix = path.endsWith('/') && tag === undefined && digest === undefined
  const repository = isPrefix ? path.slice(0, -1) : path
  if (repository === '') return { problem: NO_REPOSITORY }
  const problem = repositoryProblem(repository, name.slice(0, slash)) ?? tagProblem(tag)
  if (problem !== undefined) return { problem }
  if (isPrefix)
    return { problem: 'with "/" at its end it means every repository below it, and not one bundle' }
  return { value: { place: { in: 'registry', ...read, repository }, tag, digest } }
}

/** Whether a text means every repository of a registry, or every one below the parts that it names. It may still be wrong. */
export function isOciPrefix(text: string): boolean {
  return text.startsWith('oci://') && text.endsWith('/')
}

export function readOciPrefix(text: string): Reading<RegistryPrefix> {
  if (!isOciPrefix(text)) return { problem: 'it is not oci://HOST/ or oci://HOST/PARTS/' }
  // Any repository below it shows whether the rest is right.
  const read = readOciReference(`${text}a`)
  if ('problem' in read) return read
  const { place } = read.value
  if (place.in === 'layout') throw new TypeError('oci:// is no layout')
  const { host, port, repository } = place
  return { value: { in: 'registry', host, port, parts: repository.split('/').slice(0, -1) } }
}

/** In the one spelling that reads back as the same. */
export function ociPrefixText(prefix: RegistryPrefix): string {
  return `oci://${hostPortOf(prefix)}/${prefix.parts.map(part => `${part}/`).join('')}`
}

function inLayout(name: string, digest: string | undefined): Reading<OciReference> {
  const colon = name.lastIndexOf(':')
  const after = name.slice(colon + 1)
  // `C:\store` and `a:b/store` are folders.
  const hasTag = colon !== -1 && !/[/\\]/.test(after)
  const [folder, tag] = hasTag ? [name.slice(0, colon), after] : [name, undefined]
  if (folder === '') return { problem: 'it names no folder: write oci-layout:FOLDER' }
  const problem = tagProblem(tag)
  return problem === undefined ? { value: { place: { in: 'layout', folder }, tag, digest } } : { problem }
}

/** What is wrong with the name of a repository, or undefined. */
export function repositoryProblem(repository: string, hostPort: string): string | undefined {
  if (!REPOSITORY.test(repository))
    return 'a repository has parts of lower-case letters and digits, with ".", "_", "__" or hyphens between them, separated by /'
  return hostPort.length + 1 + repository.length > LONGEST_NAME
    ? `host and repository have more than ${LONGEST_NAME} characters`
    : undefined
}

/** What is wrong with a tag, or undefined; without one nothing is. */
function tagProblem(tag: string | undefined): string | undefined {
  if (tag === undefined) return undefined
  if (isReferrersTag(tag)) return 'this tag leads to what is attached to a bundle, and to no bundle'
  if (TAG.test(tag)) return undefined
  if (TAG.test(tag.replace('+', '_'))) return 'a tag has no "+"; it has "_" where the version has "+"'
  return 'a tag has at most 128 letters, digits, "_", "." and "-", and begins with neither of the last two'
}

/** Whether a tag leads to what is attached to a manifest, and never to a bundle. */
export function isReferrersTag(tag: string): boolean {
  return REFERRERS_TAG.test(tag)
}

/** Whether a reference leaves open which bundle is meant. */
export function isWholeRepository(text: string): boolean {
  const read = readOciReference(text)
  return 'value' in read && read.value.tag === undefined && read.value.digest === undefined
}

/** In the one spelling that reads back as the same. */
export function ociReferenceText({ place, tag, digest }: OciReference): string {
  return `${placeText(place)}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`
}

/** Without tag and digest. */
export function placeText(place: OciReference['place']): string {
  return place.in === 'layout'
    ? `oci-layout:${place.folder}`
    : `oci://${hostPortOf(place)}/${place.repository}`
}

export function hostPortOf({
  host,
  port,
}: {
  readonly host: string
  readonly port: number | undefined
}): string {
  return port === undefined ? host : `${host}:${port}`
}

/** The tag of a version; a tag has no `+`. Undefined if no tag holds it. */
export function tagOfVersion(version: string): string | undefined {
  const tag = version.replace('+', '_')
  return TAG.test(tag) ? tag : undefined
}

/** The last part of the repository of an agent. It fits the grammar of repositories or not: see {@link repositoryProblem}. */
export function repositoryPart({
  name,
  variant,
}: {
  readonly name: string
  readonly variant?: string | undefined
}): string {
  return variant === undefined ? name : `${name}.${variant}`
}

/** The agent that a repository promises by its last part. */
function agentOfRepository(repository: string): Reference | undefined {
  const last = repository.slice(repository.lastIndexOf('/') + 1)
  const parts = last.split('.')
  return parts.length > 2 ? undefined : promisedReference(parts.join('@'))
}

/** Undefined where the reference implies neither an agent nor a version. */
export function impliedBy({ place, tag }: OciReference): Expectation | undefined {
  // Also a version that no bundle can have: then none is the one that the tag promises.
  const promised = tag === undefined ? '' : versionIn(tag)
  const version = hasVersionForm(promised) ? promised : undefined
  const versions = version === undefined ? undefined : exactly(version)
  const agent = place.in === 'registry' ? agentOfRepository(place.repository) : undefined
  if (agent === undefined && versions === undefined) return undefined
  return { name: agent?.name, variant: agent?.variant, versions }
}

/** What was asked for in words, with the version of the reference where the words name none. */
export function withImplied(asked: Expectation, implied: Expectation | undefined): Expectation {
  return { ...asked, versions: asked.versions ?? implied?.versions }
}

/** The version that a tag stands for; undefined for other tags. */
export function versionOfTag(tag: string): string | undefined {
  const version = versionIn(tag)
  return isVersion(version) ? version : undefined
}

function versionIn(tag: string): string {
  return tag.replace('_', '+')
}

/** `docker://` is how skopeo writes it; docker, podman and oras write nothing before the host. */
const OTHERS = /^(?:docker|oras):\/\//i

/** Undefined for what may as well be a path: the first part of it has to look like a host. */
export function meantReference(text: string): string | undefined {
  if (SCHEME.test(text) || unwrappedName(text).endsWith('.agent.bundle')) return undefined
  const isNamed = OTHERS.test(text)
  const rest = text.replace(OTHERS, '')
  const host = rest.slice(0, Math.max(rest.indexOf('/'), 0))
  const isHost = host === 'localhost' || /[.:]/.test(host)
  const read = isNamed || isHost ? readOciReference(`oci://${rest.replace(/\/$/, '')}`) : undefined
  return read !== undefined && 'value' in read ? ociReferenceText(read.value) : undefined
}

/** Turns a reference that is refused for its tag into the one that may be meant. Returns undefined if the tag is not at fault. */
export function meantTag(text: string): string | undefined {
  const [digest = ''] = /@sha256:[0-9a-f]{64}$/.exec(text) ?? []
  const [, place = '', tag = ''] = /^(.*):([^/:@]*)$/s.exec(text.slice(0, text.length - digest.length)) ?? []
  const [, hex] = /^sha256-([0-9a-f]{64})/.exec(tag) ?? []
  const meant =
    hex === undefined ? `${place}:${tag.replace('+', '_')}${digest}` : `${place}${digest || `@sha256:${hex}`}`
  const read = readOciReference(meant)
  return meant !== text && 'value' in read ? ociReferenceText(read.value) : undefined
}

/** @param otherwise where no place in a registry can be meant */
export function meantHint(text: string, otherwise: string): string {
  const meant = meantReference(text)
  return meant === undefined ? otherwise : `Did you mean ${meant}?`
}
