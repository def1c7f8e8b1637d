// A key of tools.json → the object of a tool that it belongs into.
import { ownSchemas } from '../generated/schemas.js'
import type { OwnSchema } from './own-schema.ts'

let places: ReadonlyMap<string, string> | undefined

/** `timeout_ms` → `x-rlp`; by key. Keys of a tool itself have no place. */
export function toolKeyPlaces(): ReadonlyMap<string, string> {
  places ??= new Map(keysOfParts())
  return places
}

function* keysOfParts(): Generator<[key: string, place: string]> {
  const { tool, exec, http } = ownSchemas['tools.v1'].$defs ?? {}
  for (const transport of [exec, http])
    for (const key of keysOf(transport)) if (key !== 'kind') yield [key, 'transport']
  for (const [place, part] of Object.entries(tool?.properties ?? {}))
    for (const key of keysOf(part as OwnSchema)) yield [key, place]
}

function keysOf(schema: OwnSchema | undefined): string[] {
  return Object.keys(schema?.properties ?? {})
}
