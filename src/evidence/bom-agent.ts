// The agent as a whole, as a component of CycloneDX: what it is called, and what it may do.
import { grantsOf } from '../format/capability/ceiling.ts'
import type { AttestedBundle } from '../format/evidence/statement.ts'
import { type Agent, MANIFEST_FILE } from '../model/agent.ts'
import { isTable, own } from '../model/own.ts'
import { type BomPart, bomFact, inOrder } from './bom-words.ts'

export function agentComponent(agent: Agent, { file, manifest }: AttestedBundle): BomPart {
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
      bomFact('identity', `blake3:${manifest.blake3}`),
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
