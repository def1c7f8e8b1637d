// A key of tools.json → the object of a tool that it belongs into.
import { ownSchemas } from '../generated/schemas.js'
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
