// secrets_to: the hosts, programs and words that a secret may go to, if a signer may grant it. It is judged against all that policy.caps
// grants, because a program may combine it (docs/spec/trust-policy.md, K-34 to K-36; docs/spec/judging.md, J-32). Names are compared by the
// variables that they look up (J-33): another spelling of a name is no way around its list.
import type { Pointer } from '../../model/document.ts'
import { own } from '../../model/own.ts'
import { policyGrants } from '../../policy/ceiling.ts'
import type { PolicyGrant } from '../../policy/families/family.ts'
import { capabilityFamily } from '../../policy/families/index.ts'
import { readHostPort, spelledHost } from '../../policy/host.ts'
import { isProgramPath } from '../../policy/program-path.ts'
import { secretPlaces } from '../../policy/secret-id.ts'
import type { TableReader } from '../../toml/closed-table.ts'
import { listLiteral, tableLiteral } from '../../toml/write.ts'
import { type GrantField, templateProblem, withAgent } from './field.ts'

type Places = Readonly<Record<string, readonly string[]>>

export const secretsTo = {
  decides: 'what',
  key: 'secrets_to',
  none: undefined,
  read(reader, value, at) {
    if (value === undefined) return undefined
    const places = Object.entries(reader.table(value, at)).map(([secret, list]) => {
      const problem = templateProblem(secret)
      if (problem !== undefined) reader.wrong([...at, secret], problem, 'key')
      return [secret, readPlaces(reader, list, [...at, secret])]
    })
    return Object.fromEntries(places) as Places
  },
  consistent(value, { allowCaps }, reader, at) {
    const allowed = new Set(allowCaps === 'any' ? ['secrets'] : allowCaps)
    for (const secret of Object.keys(value ?? {})) {
      if (allowed.has('secrets') || allowed.has(`secrets:${secret}`)) continue
      reader.wrong(
        [...at, secret],
        `allow_caps does not allow this secret: add "secrets:${secret.slice(0, 60)}" to it`,
        'key',
      )
    }
  },
  literal: value =>
    value &&
    tableLiteral(
      Object.fromEntries(Object.entries(value).map(([secret, list]) => [secret, listLiteral(list)])),
    ),
  typed(given, refuse) {
    if (!Array.isArray(given) || given.length === 0) return undefined
    const places = new Map<string, string[]>()
    for (const text of given as readonly string[]) {
      const [secret = '', place = ''] = text.split(/=(.*)/s)
      const problem = secret === '' ? 'write SECRET=PLACE' : (templateProblem(secret) ?? placeProblem(place))
      if (problem !== undefined) throw refuse(problem, text)
      places.set(secret, [...(places.get(secret) ?? []), place])
    }
    return Object.fromEntries(places)
  },
  grown(old, more) {
    if (old === undefined || more === undefined) return old ?? more
    const grown = new Map(Object.entries(old))
    for (const [secret, list] of Object.entries(more)) {
      // A list of its own, beside that of the same secret under another name, would allow only what is in both.
      const known = namesOf(old, [secret])
      for (const name of known.length === 0 ? [secret] : known)
        grown.set(name, [...new Set([...(grown.get(name) ?? []), ...list])])
    }
    return Object.fromEntries(grown)
  },
  isWide: () => false,
  flag: 'secret-to',
  option: {
    type: 'strings',
    placeholder: 'SECRET=PLACE',
    describe: 'where a secret may go, as vendor/key=api.vendor.example:443',
  },
  shown: value =>
    Object.entries(value ?? {})
      .map(([secret, list]) => `secrets:${secret} only to ${list.join(', ') || 'nothing'}`)
      .join(', '),
  allows(value, caps) {
    const lists = namesOf(value ?? {}, caps.secrets).map(name => readList(own(value ?? {}, name) ?? []))
    return grant => lists.every(list => mayReach(list, grant))
  },
  filled(value, name) {
    if (value === undefined) return undefined
    const filled = new Map<string, readonly string[]>()
    for (const [secret, list] of Object.entries(value)) {
      const own = withAgent(secret, name)
      const other = filled.get(own)
      // Both lists hold, as for two names of one secret.
      filled.set(own, other === undefined ? list : inBoth(list, readList(other)))
    }
    return Object.fromEntries(filled)
  },
  // A secret that is not named may go anywhere.
  more: (value = {}, than) =>
    Object.entries(than ?? {}).flatMap(([secret, places]) => {
      const list = own(value, secret)
      if (list === undefined) return [`secrets:${secret} to every place`]
      const known = readList(places)
      return [...readList(list)].filter(one => !known.has(one)).map(one => `secrets:${secret} to ${one}`)
    }),
  askedBy: () => undefined,
  unsaid({ secrets, ...caps }, there) {
    const value = there?.secretsTo ?? {}
    return namesOf(value, secrets).flatMap(secret => {
      const list = readList(own(value, secret) ?? [])
      const beyond = policyGrants({ secrets, ...caps }).filter(grant => !mayReach(list, grant))
      return beyond.map(grant => {
        const place = secretPlaceFor(grant)
        return {
          text: `Not in the rule: ${grant.text} beside secrets:${secret}, which secrets_to lets go to other places only`,
          ...(place !== undefined && { words: ['--secret-to', `${secret}=${place}`] }),
        }
      })
    })
  },
} as const satisfies GrantField<Places | undefined>

function readPlaces(reader: TableReader, value: unknown, at: Pointer): readonly string[] {
  return reader.texts(value, at, placeProblem)
}

/** The names that are one secret with one of `secrets`. */
function namesOf(value: Places, secrets: readonly string[]): readonly string[] {
  const places = new Set(secrets.flatMap(secretPlaces))
  return Object.keys(value).filter(name => secretPlaces(name).some(place => places.has(place)))
}

/** Where a capability leads that names no place of its own. */
const WORDS: readonly string[] = ['model', 'kb_write', 'fs']

/** Why a text is no place. */
function placeProblem(text: string): string | undefined {
  if (WORDS.includes(text) || isProgramPath(text)) return undefined
  const host = readHostPort(text)
  if (!('problem' in host)) return host.port === undefined ? `write its port: ${text}:443` : undefined
  return `it is no host with a port, no absolute path of a program, and none of ${WORDS.join(', ')}`
}

/** Each place in the one spelling that is compared. */
function readList(list: readonly string[]) {
  return new Set(list.map(comparable))
}

function inBoth(list: readonly string[], other: ReadonlySet<string>): readonly string[] {
  return list.filter(text => other.has(comparable(text)))
}

function comparable(place: string): string {
  const host = readHostPort(place)
  // A word could be the name of a host.
  return 'problem' in host || host.port === undefined ? place : spelledHost(place)
}

/** Whether a grant leads to no other place than those of a list. */
function mayReach(list: ReadonlySet<string>, { family, scope, isPlainHttp }: PolicyGrant): boolean {
  const place = capabilityFamily(family).ceiling.secretPlace(scope)
  return place === undefined || (isPlainHttp !== true && list.has(place))
}

/** The text of a list that lets a secret go where a grant leads, as the grant is written; undefined if no text does. */
function secretPlaceFor(grant: PolicyGrant): string | undefined {
  const place = capabilityFamily(grant.family).ceiling.secretPlace(grant.scope)
  return [grant.scope, place].find(
    text => text !== undefined && placeProblem(text) === undefined && mayReach(readList([text]), grant),
  )
}
