// The server of a repository: where its API is, and which other servers it may send us to.
import { readAddress } from '../../format/capability/address-text.ts'
import { hostPortOf } from '../../format/oci/reference.ts'
import type { RegistryPlace } from '../../model/oci.ts'

/** One registry under several names; its API is under one. */
const HUB = ['docker.io', 'index.docker.io', 'registry-1.docker.io']
const HUB_API = 'registry-1.docker.io'

export interface Server {
  /** Without a slash at the end. A loopback server may speak http. */
  readonly origin: string
  readonly isLoopback: boolean
  /** The names under which credentials for it are kept. */
  readonly names: readonly string[]
}

export function serverOf(place: RegistryPlace): Server {
  const isHub = HUB.includes(place.host)
  const isLoopback = isLoopbackHost(place.host)
  const named = hostPortOf(isHub ? { ...place, host: HUB_API } : place)
  return {
    origin: `${isLoopback ? 'http' : 'https'}://${named}`,
    isLoopback,
    names: isHub ? ['https://index.docker.io/v1/', ...HUB] : [hostPortOf(place)],
  }
}

/** @param host as a url spells it */
export function isLoopbackHost(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true
  const address = readAddress(host.replace(/^\[|\]$/g, ''))
  if (address === undefined) return false
  return address.bits === 32 ? address.value >> 24n === 127n : address.value === 1n
}

/** Why a place that the server named may not be asked; undefined if it may. */
export function refusedPlace(url: URL, { isLoopback }: Server): string | undefined {
  if (url.username !== '' || url.password !== '') return 'it holds a user name'
  const isThere = isLoopbackHost(url.hostname)
  // A server elsewhere must not reach what listens on this machine alone.
  if (isThere && !isLoopback) return 'it leads to this machine'
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isThere)) return undefined
  return 'it is not encrypted'
}
