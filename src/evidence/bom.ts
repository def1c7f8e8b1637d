// A sound bundle → its CycloneDX bill of materials. Pure, and without a clock: the same bundle and verdict give the same bytes.

import { type Agent, MANIFEST_FILE } from '../model/agent.ts'
import { isTable, own } from '../model/own.ts'
import { VERSION } from '../model/rlp-version.ts'
import { grantsOf } from '../policy/ceiling.ts'
import type { AttestedBundle } from '../statement/statement.ts'
import { bundleIdentity } from '../version/reference.ts'
import { fileComponents } from './bom-files.ts'
import { programComponents, services } from './bom-reach.ts'
import { type BomPart, bomFact, inOrder } from './bom-words.ts'
import { shownJson } from './shown-json.ts'
import type { Sound } from './verified.ts'

export interface BomOptions {
  /** A UTC second for the bill; it has none where this is left out. */
  readonly time?: string | undefined
}

/** A bill of materials after CycloneDX 1.7, as an object whose members are in the order in which they are written. */
export type Bom = Readonly<Record<string, unknown>>

export function bomOf({ agent, report, about }: Sound, { time }: BomOptions = {}): Bom {
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

/** The agent as a whole, as a component of CycloneDX: what it is called, and what it may do. */
function agentComponent(agent: Agent, { file, manifest }: AttestedBundle): BomPart {
  const { name = '', version = '', variant, kind = '' } = agent.manifest ?? {}
  const { policy, tools } = agent
  const licence = licenceOf(agent)
  return {
    type: 'application',
    'bom-ref': 'agent',
    name: variant === undefined ? name : `${name}@${variant}`,
    version,
    ...(file && { hashes: [{ alg: 'SHA-256', content: file.sha256 }] }),
    ...(licence && { licenses: [licence] }),
    properties: [
      bomFact('identity', bundleIdentity(manifest.blake3)),
      bomFact('kind', kind),
      ...(policy === undefined ? [] : inOrder(grantsOf(policy)).map(text => bomFact('capability', text))),
      ...secretsOf(agent).map(id => bomFact('secret', id)),
      ...(tools?.tools.map(({ id }) => bomFact('tool', id)) ?? []),
    ],
  }
}

/** By name: a bundle holds no value of a secret. */
function secretsOf({ policy, tools }: Agent): string[] {
  return inOrder([...(policy?.secrets ?? []), ...(tools?.tools.flatMap(({ secrets }) => secrets) ?? [])])
}

const MOST_CHARACTERS = 1000
const EXPRESSION = /^\(?[A-Za-z0-9][A-Za-z0-9.+-]*(?: (?:AND|OR|WITH) \(?[A-Za-z0-9][A-Za-z0-9.+-]*\)?)*\)?$/

/** `license` of the table [agent]: an SPDX expression, or the name of another licence. */
function licenceOf({ documents }: Agent): object | undefined {
  const root = documents.get(MANIFEST_FILE)?.value
  const table = isTable(root) ? own(root, 'agent') : undefined
  const text = isTable(table) ? own(table, 'license') : undefined
  if (typeof text !== 'string' || text === '' || text.length > MOST_CHARACTERS) return undefined
  return EXPRESSION.test(text)
    ? { expression: text, acknowledgement: 'declared' }
    : { license: { name: text, acknowledgement: 'declared' } }
}
