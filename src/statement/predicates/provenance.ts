// Who built a bundle, and from what: a SLSA provenance, with the fields that a trust policy may name, and the commit.
import { valueAt } from '../../json/pointer.ts'
import type { Predicate, StatedFields, StatedOrigins } from './predicate.ts'

type Field = 'builder' | 'source' | 'commit'

export const PROVENANCE = {
  type: 'https://slsa.dev/provenance/v1',
  word: 'provenance',
  shown: ['builder', 'source', 'commit'],
  compared: ['builder', 'source'],
  fields,
  origins,
} as const satisfies Predicate<Field>

/** The source is undefined also where two places name different ones; the commit where the source is, or with two commits. */
function fields(predicate: Readonly<Record<string, unknown>>): StatedFields<Field> {
  const { sources } = origins(predicate)
  const [first] = sources
  const source = sources.every(one => one === first) ? asText(first) : undefined
  return {
    builder: asText(valueAt(predicate, ['runDetails', 'builder', 'id'])),
    source,
    commit: source === undefined ? undefined : commitOf(predicate, source),
  }
}

/** Ours and GitLab's have `source`; GitHub's have the repository of the workflow, and its ref. */
function origins(predicate: Readonly<Record<string, unknown>>): StatedOrigins {
  const outside = valueAt(predicate, ['buildDefinition', 'externalParameters'])
  const named = (...values: readonly unknown[]) => values.filter(one => one !== undefined)
  return {
    sources: named(valueAt(outside, ['source']), valueAt(outside, ['workflow', 'repository'])),
    refs: named(valueAt(outside, ['workflow', 'ref'])),
  }
}

/** The dependency that is the source: its uri is the source, or `git+`, the source, and perhaps `@` and a ref. */
function commitOf(predicate: unknown, source: string): string | undefined {
  const listed = valueAt(predicate, ['buildDefinition', 'resolvedDependencies'])
  const commits = (Array.isArray(listed) ? listed : []).flatMap((one: unknown) => {
    const uri = asText(valueAt(one, ['uri'])) ?? ''
    const isSource = [source, `git+${source}`].some(name => uri === name || uri.startsWith(`${name}@`))
    return isSource ? (asText(valueAt(one, ['digest', 'gitCommit'])) ?? []) : []
  })
  return new Set(commits).size === 1 ? commits[0] : undefined
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
