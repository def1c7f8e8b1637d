// A SLSA provenance predicate → the fields that a trust policy may name, and the commit.
import type { AttestedStatement } from '../../model/attestation.ts'
import { isTable, own } from '../../model/own.ts'

export interface ProvenanceFields {
  readonly builder: string | undefined
  /** Undefined also where two places name different sources. */
  readonly source: string | undefined
  /** Of the source; undefined also where it is not named, or with two commits. */
  readonly commit: string | undefined
}

export function provenanceFields({ predicate }: AttestedStatement): ProvenanceFields {
  const outside = at(predicate, 'buildDefinition', 'externalParameters')
  // Ours and GitLab's have `source`; GitHub's have the repository of the workflow.
  const sources = [at(outside, 'source'), at(outside, 'workflow', 'repository')].filter(
    one => one !== undefined,
  )
  const [first] = sources
  const source = sources.every(one => one === first) ? asText(first) : undefined
  return {
    builder: asText(at(predicate, 'runDetails', 'builder', 'id')),
    source,
    commit: source === undefined ? undefined : commitOf(predicate, source),
  }
}

/** The dependency that is the source: its uri is the source, or `git+`, the source, and perhaps `@` and a ref. */
function commitOf(predicate: unknown, source: string): string | undefined {
  const listed = at(predicate, 'buildDefinition', 'resolvedDependencies')
  const commits = (Array.isArray(listed) ? listed : []).flatMap((one: unknown) => {
    const uri = asText(at(one, 'uri')) ?? ''
    const isSource = [source, `git+${source}`].some(name => uri === name || uri.startsWith(`${name}@`))
    return isSource ? (asText(at(one, 'digest', 'gitCommit')) ?? []) : []
  })
  return new Set(commits).size === 1 ? commits[0] : undefined
}

function at(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((held, name) => (isTable(held) ? own(held, name) : undefined), value)
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
