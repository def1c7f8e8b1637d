// Where a secret may go, as the lists of `secrets_to` name it: hosts with a port, programs, and words (docs/spec/trust-policy.md, K-35;
// docs/spec/judging.md, J-32).
import type { PolicyGrant } from '../policy/families/family.ts'
import { capabilityFamily } from '../policy/families/index.ts'
import { readHostPort, spelledHost } from '../policy/host.ts'
import { isProgramPath } from '../policy/program-path.ts'

/** Where a capability leads that names no place of its own. */
const WORDS: readonly string[] = ['model', 'kb_write', 'fs']

/** Why a text is no place. */
export function placeProblem(text: string): string | undefined {
  if (WORDS.includes(text) || isProgramPath(text)) return undefined
  const host = readHostPort(text)
  if (!('problem' in host)) return host.port === undefined ? `write its port: ${text}:443` : undefined
  return `it is no host with a port, no absolute path of a program, and none of ${WORDS.join(', ')}`
}

/** Each place in the one spelling that is compared. */
export function readList(list: readonly string[]) {
  return new Set(list.map(comparable))
}

export function inBoth(list: readonly string[], other: ReadonlySet<string>): readonly string[] {
  return list.filter(text => other.has(comparable(text)))
}

function comparable(place: string): string {
  const host = readHostPort(place)
  // A word could be the name of a host.
  return 'problem' in host || host.port === undefined ? place : spelledHost(place)
}

/** Whether a grant leads to no other place than those of a list. */
export function mayReach(list: ReadonlySet<string>, { family, scope, isPlainHttp }: PolicyGrant): boolean {
  const place = capabilityFamily(family).ceiling.secretPlace(scope)
  return place === undefined || (isPlainHttp !== true && list.has(place))
}

/** The text of a list that lets a secret go where a grant leads, as the grant is written; undefined if no text does. */
export function secretPlaceFor(grant: PolicyGrant): string | undefined {
  const place = capabilityFamily(grant.family).ceiling.secretPlace(grant.scope)
  return [grant.scope, place].find(
    text => text !== undefined && placeProblem(text) === undefined && mayReach(readList([text]), grant),
  )
}
