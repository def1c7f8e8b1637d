// A SLSA provenance predicate → the two fields that a trust policy may name.
import type { AttestedStatement } from '../../model/attestation.ts'
import { isTable, own } from '../../model/own.ts'

export interface ProvenanceFields {
  readonly builder: string | undefined
  /** Undefined also where two places name different sources. */
  readonly source: string | undefined
}

export function provenanceFields({ predicate }: AttestedStatement): ProvenanceFields {
  const outside = at(predicate, 'buildDefinition', 'externalParameters')
  // Ours and GitLab's have `source`; GitHub's have the repository of the workflow.
  const sources = [at(outside, 'source'), at(outside, 'workflow', 'repository')].filter(
    one => one !== undefined,
  )
  const [source] = sources
  return {
    builder: asText(at(predicate, 'runDetails', 'builder', 'id')),
    source: sources.every(one => one === source) ? asText(source) : undefined,
  }
}

function at(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((held, name) => (isTable(held) ? own(held, name) : undefined), value)
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
