// Where a secret may go, as the lists of `secrets_to` name it: hosts with a port, programs, and words (docs/spec/trust-policy.md, K-35;
// docs/spec/judging.md, J-32).
import type { Family } from '../model/policy.ts'
import type { PolicyGrant } from '../policy/families/family.ts'
import { readHostPort } from '../policy/host.ts'
import { isProgramPath } from '../policy/program-path.ts'

/** The word that lets a secret go where a capability leads. */
const WORD_OF: { readonly [F in Family]?: string } = {
  model: 'model',
  kb_write: 'kb_write',
  fs: 'fs',
  fs_rw: 'fs',
}
const WORDS = [...new Set(Object.values(WORD_OF))]

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
  return 'problem' in host || host.port === undefined ? place : `${host.host}:${host.port}`
}

/** Whether a grant leads to no other place than those of a list. */
export function mayReach(list: ReadonlySet<string>, { family, scope, isPlainHttp }: PolicyGrant): boolean {
  if (family === 'exec') return scope !== undefined && list.has(scope)
  if (family === 'net') {
    const host = readHostPort(scope ?? '')
    return isPlainHttp !== true && !('problem' in host) && list.has(`${host.host}:${host.port}`)
  }
  const word = WORD_OF[family]
  return word === undefined || list.has(word)
}

/** The text of a list that lets a secret go where a grant leads; undefined if no text does. */
export function secretPlaceFor(grant: PolicyGrant): string | undefined {
  const text = grant.family === 'net' || grant.family === 'exec' ? grant.scope : WORD_OF[grant.family]
  return text !== undefined && placeProblem(text) === undefined && mayReach(readList([text]), grant)
    ? text
    : undefined
}
