// The server of a repository: where its API is, and which other servers it may send us to.
import type { OciReference, RegistryPlace } from '../../model/oci.ts'
import { hostPortOf } from '../../oci/reference.ts'
import { addressFacts, namesThisMachine } from '../../policy/address.ts'

/** One registry under several names; its API is under one. */
const HUB = ['docker.io', 'index.docker.io', 'registry-1.docker.io']
const HUB_API = 'registry-1.docker.io'

export interface Server {
  /** Without a slash at the end. A server on this machine may speak http. */
  readonly origin: string
  /** By its name, until it is connected to. */
  readonly isHere: boolean
  /** The names under which credentials for it are kept. */
  readonly names: readonly string[]
}

export function serverOf(place: RegistryPlace): Server {
  const isHub = HUB.includes(place.host)
  const isHere = namesThisMachine(place.host)
  const named = hostPortOf(isHub ? { ...place, host: HUB_API } : place)
  return {
    origin: `${isHere ? 'http' : 'https'}://${named}`,
    isHere,
    names: isHub ? ['https://index.docker.io/v1/', ...HUB] : [hostPortOf(place)],
  }
}

/** Whether an url leads to the server itself, with no user name of its own. */
export function isOfServer(url: URL, { origin }: Server): boolean {
  return url.origin === new URL(origin).origin && !namesUser(url)
}

function namesUser({ username, password }: URL): boolean {
  return username !== '' || password !== ''
}

/** Why a place that the server named may not be asked; undefined if it may, as far as its name tells. */
export function refusedPlace(url: URL, { isHere }: Server): string | undefined {
  if (namesUser(url)) return 'it holds a user name'
  const isThere = namesThisMachine(url.hostname)
  // A server elsewhere must not reach what listens on this machine alone.
  if (isThere && !isHere) return 'it leads to this machine'
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isThere)) return undefined
  return 'it is not encrypted'
}

/** An address that a name led to, and that is not connected to. */
export class NotDialled extends Error {
  readonly code = 'ERR_NOT_DIALLED'
}

/**
 * The same for an address that is about to be dialled: a name says nothing of where it leads.
 * @throws NotDialled
 */
export function checkAddress(address: string, url: URL, server: Server): void {
  const { is, isHere, reach } = addressFacts(address)
  const leads = `${url.hostname} leads to ${address}, ${is}`
  if (url.protocol === 'http:') {
    if (!isHere) throw new NotDialled(`${leads}; plain http is spoken to this machine alone`)
  } else if (!server.isHere && !isOfServer(url, server) && (isHere || reach === 'never')) {
    throw new NotDialled(`${leads}; only a registry on this machine may name such a place`)
  }
}

/** The repository of another place, if it is one of the same registry. */
export function repositoryBeside(here: RegistryPlace, there: OciReference['place']): string | undefined {
  const isBeside =
    there.in === 'registry' && hostPortOf(there) === hostPortOf(here) && there.repository !== here.repository
  return isBeside ? there.repository : undefined
}
