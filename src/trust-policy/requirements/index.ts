// The registry of what [require] and [[require]] may say: one file and one line for each field.

import { tightens } from '../../agent/agent-pattern.ts'
import type { Anchor } from '../../model/anchor.ts'
import type { Pointer } from '../../model/document.ts'
import { own, ownMembers } from '../../model/own.ts'
import type { RequiredLine } from '../../model/report.ts'
import type { Require, Requirements } from '../../model/trust.ts'
import type { TableReader } from '../../toml/closed-table.ts'
import { countSigners, maySign } from '../anchors.ts'
import { coveredAgents } from './agents.ts'
import { anchors } from './anchors.ts'
import { attestations } from './attestations.ts'
import { expiresWithin } from './expires-within.ts'
import type { Form, OfPolicy, Requirement, RequirementContext } from './field.ts'
import { enoughSigners, signatures } from './signatures.ts'
import { signers } from './signers.ts'

/** In the order in which they are judged: the first that is not met gives the code. */
export const REQUIREMENTS = {
  agents: coveredAgents,
  anchors,
  signers,
  signatures,
  expiresWithin,
  attestations,
} as const satisfies {
  readonly [F in keyof Requirements]-?: Requirement<Requirements[F]>
}

type Name = keyof Requirements
type Value = Requirements[Name]
const FIELDS = Object.entries(REQUIREMENTS) as readonly (readonly [name: Name, field: Requirement<Value>])[]

/** Undefined if it is missing. */
export function readRequire(
  reader: TableReader,
  value: unknown,
  named: Omit<OfPolicy, 'signers'>,
): Require | undefined {
  if (value === undefined) return undefined
  const policy = { ...named, signers: countSigners([...named.anchors.values()].filter(maySign)) }
  if (!Array.isArray(value)) return readEntry(reader, value, ['require'], 'table', policy)
  if (value.length === 0) reader.wrong(['require'], 'a list of requirements is not empty')
  return value.map((one: unknown, index) => readEntry(reader, one, ['require', index], 'entry', policy))
}

function readEntry(
  reader: TableReader,
  value: unknown,
  at: Pointer,
  form: Form,
  policy: OfPolicy,
): Requirements {
  const table = reader.table(value, at)
  const fields = FIELDS.filter(([, { forms }]) => forms.includes(form))
  reader.closed(
    table,
    fields.map(([, { key }]) => key),
    at,
  )
  const read = fields.flatMap(([name, { key, read }]) => {
    const required = read(reader, own(table, key), [...at, key], policy)
    return required === undefined ? [] : [[name, required]]
  })
  return Object.fromEntries(read) as unknown as Requirements
}

/** A requirement with its place in the policy. */
interface PlacedRequirement {
  readonly entry: Requirements
  readonly at: Pointer
}

export function placedRequirements(require: Require | undefined): PlacedRequirement[] {
  if (require === undefined) return []
  if (!isRequirementList(require)) return [{ entry: ownMembers(require), at: ['require'] }]
  return require.map((entry, index) => ({ entry: ownMembers(entry), at: ['require', index] }))
}

/** Those that an agent has to meet, `name` or `name@variant`. */
export function requirementsFor(require: Require | undefined, agent: string): PlacedRequirement[] {
  return placedRequirements(require).filter(({ entry: { agents } }) => {
    return agents === undefined || agents.some(pattern => tightens(pattern, agent))
  })
}

export function isRequirementList(require: Require): require is readonly Requirements[] {
  return Array.isArray(require)
}

/** A line for each thing that is required. One signer has to count also where nothing is. */
export function requiredLines(
  placed: readonly PlacedRequirement[],
  context: RequirementContext,
): RequiredLine[] {
  if (placed.length === 0) {
    const line = enoughSigners(1, context, ['anchors'])
    return line.says === 'for' ? [] : [line]
  }
  return placed.flatMap(({ entry, at }) =>
    FIELDS.flatMap(([name, field]) => field.judge(entry[name], context, [...at, field.key])),
  )
}

/** The keys of an entry, and their values as TOML text. */
export function requirementEntries(of: Requirements): Readonly<Record<string, string | undefined>> {
  const entry = ownMembers(of)
  return Object.fromEntries(FIELDS.map(([name, { key, literal }]) => [key, literal(entry[name])]))
}

export function requirementWords(entry: Requirements): string {
  return FIELDS.flatMap(([name, { shown }]) => shown(entry[name], entry) || []).join('; ')
}

/** What some entries require of an agent and others do not: each in words for people. */
export function requiredBeyond(
  entries: readonly Requirements[],
  than: readonly Requirements[],
  named: (name: string) => string,
): string[] {
  return FIELDS.flatMap(([, { beyond }]) => [...beyond(entries, than, named)])
}

/** Why an anchor cannot go, as a clause; undefined if it can. @param left anchors without it */
export function lostWithout(
  require: Require | undefined,
  anchor: string,
  left: readonly Anchor[],
): string | undefined {
  for (const { entry } of placedRequirements(require))
    for (const [name, { lost }] of FIELDS) {
      const why = lost(entry[name], anchor, left)
      if (why !== undefined) return why
    }
  return undefined
}
