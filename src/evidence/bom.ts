// An accepted bundle → its CycloneDX bill of materials. Pure, and without a clock: the same bundle and verdict give the same bytes.

import type { AttestedBundle } from '../format/evidence/statement.ts'
import type { VerifiedBundle } from '../model/bundle.ts'
import { VERSION } from '../model/rlp-version.ts'
import { agentComponent } from './bom-agent.ts'
import { fileComponents } from './bom-files.ts'
import { programComponents, services } from './bom-reach.ts'
import { bomFact } from './bom-words.ts'
import { shownJson } from './shown-json.ts'

export interface BomOptions {
  /** A UTC second for the bill; it has none where this is left out. */
  readonly time?: string | undefined
}

/** A bill of materials after CycloneDX 1.7, as an object whose members are in the order in which they are written. */
export type Bom = Readonly<Record<string, unknown>>

export function bomOf(bundle: VerifiedBundle, about: AttestedBundle, { time }: BomOptions = {}): Bom {
  const { agent, report } = bundle
  const root = agentComponent(agent, about)
  const files = fileComponents(agent)
  const programs = programComponents(agent)
  const hosts = services(agent)
  const dependsOn = [...files, ...programs, ...hosts].map(one => one['bom-ref'])
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.7.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.7',
    version: 1,
    metadata: {
      ...(time !== undefined && { timestamp: time }),
      lifecycles: [{ phase: 'post-build' }],
      tools: { components: [{ type: 'application', name: 'rlp', version: VERSION }] },
      component: root,
      properties: [
        bomFact('verdict', report.verdict),
        ...report.skipped.map(text => bomFact('not-checked', text)),
      ],
    },
    components: [...files, ...programs],
    services: hosts,
    dependencies: [{ ref: root['bom-ref'], dependsOn }],
  }
}

/** The text that is printed. A statement has the same members, compact. */
export function bomText(bom: Bom): string {
  return shownJson(bom)
}
