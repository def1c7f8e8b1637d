// The registry of formats for many bundles: one file and one line each.
import type { FleetFormat } from './format.ts'
import { ndjson } from './ndjson.ts'
import { fleetSarif } from './sarif.ts'
import { text } from './text.ts'

export const FLEET_FORMATS = [text, ndjson, fleetSarif] as const satisfies readonly FleetFormat[]

export type FleetFormatName = (typeof FLEET_FORMATS)[number]['name']

/** The first one is for people, and is taken where none was named. */
export function fleetFormatOf(name: FleetFormatName | undefined): FleetFormat {
  return FLEET_FORMATS.find(one => one.name === name) ?? FLEET_FORMATS[0]
}

/** What the formats for programs are, for the help. */
export const FLEET_DESCRIBED: string = FLEET_FORMATS.flatMap(one =>
  'describe' in one ? [`${one.name}: ${one.describe}`] : [],
).join('; ')
