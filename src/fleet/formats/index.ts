// The registry of formats for many bundles: one file and one line each.
import { formatNamed } from '../../cli/render/report.ts'
import type { FleetFormat } from './format.ts'
import { ndjson } from './ndjson.ts'
import { fleetSarif } from './sarif.ts'
import { text } from './text.ts'

export const FLEET_FORMATS = [text, ndjson, fleetSarif] as const satisfies readonly FleetFormat[]

export type FleetFormatName = (typeof FLEET_FORMATS)[number]['name']

export function fleetFormatOf(name: FleetFormatName = 'text'): FleetFormat {
  return formatNamed<FleetFormat>(FLEET_FORMATS, name)
}

/** What the formats for programs are, for the help. */
export const FLEET_DESCRIBED: string = FLEET_FORMATS.flatMap(one =>
  'describe' in one ? [`${one.name}: ${one.describe}`] : [],
).join('; ')
