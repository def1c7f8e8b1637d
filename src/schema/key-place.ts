// A key of tools.json → the object of a tool that it belongs into.
import { own } from '../model/own.ts'
import { plainName } from '../text/did-you-mean.ts'
import { ownSchemas } from './generated/schemas.js'
import type { OwnSchema } from './own-schema.ts'

let places: ReadonlyMap<string, string> | undefined

/** `timeout_ms` → `x-rlp`; by key. Keys of a tool itself have no place. */
export function toolKeyPlaces(): ReadonlyMap<string, string> {
  places ??= placesOfKeys()
  return places
}

function placesOfKeys(): Map<string, string> {
  const places = new Map<string, string>()
  const { tool, exec, http } = ownSchemas['tools.v1'].$defs ?? {}
  for (const transport of [exec, http])
    for (const key of keysOf(transport)) if (key !== 'kind') places.set(key, 'transport')
  for (const [place, part] of Object.entries(tool?.properties ?? {}))
    for (const key of keysOf(part as OwnSchema)) places.set(key, place)
  return places
}

function keysOf(schema: OwnSchema | undefined): string[] {
  return Object.keys(schema?.properties ?? {})
}

/** What other systems call the keys of a tool and of its transport, as plain names. */
const SYNONYMS: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries({
    id: 'name toolname slug',
    description: 'summary doc help',
    input_schema: 'parameters schema input args argsschema inputs parametersschema',
    result_schema: 'output outputschema returns response responseschema result outputs',
    requires_confirmation:
      'confirm confirmation needsconfirmation requiresapproval needsapproval approval confirmationrequired ask',
    kind: 'type',
    tokens: 'maxtokens tokenlimit',
    usd: 'maxusd dollars cost',
    url: 'uri endpoint href address',
    method: 'verb httpmethod',
    command: 'cmd program executable binary run bin',
    args: 'arguments argv parameters',
    timeout_ms: 'timeout timeoutseconds timeoutmillis',
    memory_mb: 'memory memorylimit',
  }).map(([key, names]) => [key, new Set(names.split(' '))] as const),
)

/** @param known the keys that an object can have and lacks */
export function synonymOf(key: string, known: readonly string[]): string | undefined {
  const plain = plainName(key)
  return known.find(one => own(SYNONYMS, one)?.has(plain))
}
