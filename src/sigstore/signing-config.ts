// A signing config of Sigstore → the services that sign now. `cosign signing-config create` writes such a file (SigningConfig, version 0.2).

import { parseJson } from '../json/parse.ts'
import { isTable, own } from '../model/own.ts'
import { namesThisMachine } from '../policy/address.ts'
import { quoted } from '../text/printable.ts'

export interface SigningServices {
  /** Where certificates are asked for. */
  readonly fulcio: URL
  /** The log; undefined if only a time stamp proves the time. */
  readonly rekor: { readonly url: URL; readonly version: 1 | 2 } | undefined
  /** The time stamp authority: the whole address. */
  readonly tsa: URL | undefined
}

type ReadSigningConfig =
  | { readonly ok: true; readonly services: SigningServices }
  | { readonly ok: false; readonly problem: string }

const CONFIG_TYPE = 'application/vnd.dev.sigstore.signingconfig.v0.2+json'
const MOST_SERVICES = 64
const MOST_URL = 2048
const STAMP_PATH = '/api/v1/timestamp'

/** The public instance of Sigstore. The promise of its log proves the time. */
export const PUBLIC_SERVICES: SigningServices = {
  fulcio: new URL('https://fulcio.sigstore.dev'),
  rekor: { url: new URL('https://rekor.sigstore.dev'), version: 1 },
  tsa: undefined,
}

interface Service {
  readonly url: URL
  readonly version: number
  readonly start: number
  readonly end: number
}

/** @param now services that have ended, or have not begun, are left out */
export function readSigningConfig(bytes: Uint8Array, now: Date): ReadSigningConfig {
  const parsed = parseJson('signing config', bytes)
  if (!parsed.ok) return bad(`it is no JSON: ${parsed.problem.message}`)
  const { value } = parsed.document
  if (!isTable(value)) return bad('it is not an object')
  if (own(value, 'mediaType') !== CONFIG_TYPE) return bad(`its mediaType is not ${CONFIG_TYPE}`)
  const problems: string[] = []
  const chosen = (name: string, config: string | undefined, versions: readonly number[]) => {
    const one = choose(value, { name, config, versions }, now)
    if ('problem' in one) problems.push(one.problem)
    return 'service' in one ? one.service : undefined
  }
  const ca = chosen('caUrls', undefined, [1])
  const log = chosen('rekorTlogUrls', 'rekorTlogConfig', [1, 2])
  const stamps = chosen('tsaUrls', 'tsaConfig', [1])
  const [problem] = problems
  if (problem !== undefined) return bad(problem)
  if (ca === undefined) return bad('it names no certificate authority (caUrls)')
  if (log === undefined && stamps === undefined)
    return bad('it names neither a log (rekorTlogUrls) nor a time stamp authority (tsaUrls)')
  if (log?.version === 2 && stamps === undefined)
    return bad('its log is Rekor 2, which proves no time, and it names no time stamp authority (tsaUrls)')
  const rekor = log && ({ url: log.url, version: log.version === 2 ? 2 : 1 } as const)
  return { ok: true, services: { fulcio: ca.url, rekor, tsa: stamps && stampUrl(stamps.url) } }
}

interface Wanted {
  readonly name: string
  readonly config: string | undefined
  readonly versions: readonly number[]
}

type Chosen = { readonly problem: string } | { readonly service: Service | undefined }

/** One of them: of those that are valid now, the highest version that we speak, and of these the newest. */
function choose(
  root: Readonly<Record<string, unknown>>,
  { name, config, versions }: Wanted,
  now: Date,
): Chosen {
  const listed = own(root, name) ?? []
  if (!Array.isArray(listed) || listed.length > MOST_SERVICES)
    return { problem: `its ${name} is no list of at most ${MOST_SERVICES} services` }
  if (listed.length === 0) return { service: undefined }
  const selector = config === undefined ? undefined : own(root, config)
  const isOne = selector === undefined || (isTable(selector) && asksForOne(selector))
  if (!isOne) return { problem: `its ${config} asks for more than one service; rlp uses one (ANY)` }
  const read = listed.map(one => serviceIn(one))
  const wrong = read.find(one => 'problem' in one)
  if (wrong !== undefined && 'problem' in wrong) return { problem: `a service in ${name} ${wrong.problem}` }
  const usable = read
    .flatMap(one => ('problem' in one ? [] : [one]))
    .filter(({ version, start, end }) => versions.includes(version) && start <= +now && +now <= end)
    .sort((a, b) => b.version - a.version || b.start - a.start)
  const [service] = usable
  if (service !== undefined) return { service }
  return { problem: `no service in ${name} is valid now and of version ${versions.join(' or ')}` }
}

function asksForOne(selector: Readonly<Record<string, unknown>>): boolean {
  const how = own(selector, 'selector') ?? 'ANY'
  return how === 'ANY' || (how === 'EXACT' && (own(selector, 'count') ?? 1) === 1)
}

function serviceIn(value: unknown): Service | { readonly problem: string } {
  if (!isTable(value)) return { problem: 'is not an object' }
  const text = own(value, 'url')
  const url = typeof text === 'string' ? urlOf(text) : undefined
  if (url === undefined)
    return {
      problem: `has no address that is used, ${quoted(String(text))}: https, or http on this machine`,
    }
  const version = own(value, 'majorApiVersion') ?? 1
  if (typeof version !== 'number') return { problem: 'has a majorApiVersion that is no number' }
  const period = own(value, 'validFor') ?? {}
  const start = isTable(period) ? moment(own(period, 'start'), Number.NEGATIVE_INFINITY) : undefined
  const end = isTable(period) ? moment(own(period, 'end'), Number.POSITIVE_INFINITY) : undefined
  if (start === undefined || end === undefined) return { problem: 'has a validFor without readable times' }
  return { url, version, start, end }
}

function moment(value: unknown, otherwise: number): number | undefined {
  if (value === undefined || value === null) return otherwise
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

/** The token of who signs goes there: only encrypted, or nowhere. */
export function urlOf(text: string): URL | undefined {
  if (text.length > MOST_URL || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const isPlain = url.protocol === 'http:' && namesThisMachine(url.hostname)
  if (url.username !== '' || url.password !== '' || url.hash !== '') return undefined
  return url.protocol === 'https:' || isPlain ? url : undefined
}

/** Signing configs name the whole address; other programs write the host alone. */
function stampUrl(url: URL): URL {
  return url.pathname === '/' ? new URL(STAMP_PATH, url) : url
}

function bad(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem }
}
