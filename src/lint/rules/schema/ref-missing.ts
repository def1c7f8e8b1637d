import type { Agent } from '../../../model/agent.ts'
import { own } from '../../../model/own.ts'
import { isSchemaFile } from '../../../schema/reference.ts'
import { isSchemaObject } from '../../../schema/walk.ts'
import { probablyMeant } from '../../../text/did-you-mean.ts'
import { quoteText } from '../../../text/quote.ts'
import type { BundleRule } from '../rule.ts'
import type { SchemaReference } from '../schema-refs.ts'
import { placeIn } from '../schemas.ts'

export const schemaRefMissing: BundleRule = {
  id: 'schema/ref-missing',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a reference has no target in the bundle',
  why: 'What should be checked there is unknown: a validator refuses the whole schema, or takes the reference for "anything".',
  fix: 'Correct the reference, or add what it names.',
  looks: 'reference',
  check({ agent, reference }, report) {
    const { from, found, outcome } = reference
    if (outcome.is !== 'missing') return
    const meant = meantBy(reference, agent)
    report({
      ...placeIn(from, found.pointer),
      message: `The reference ${quoteText(found.ref)} ${outcome.why}`,
      fix: meant === undefined ? outcome.fix : `Did you mean ${quoteText(meant, 100)}?`,
    })
  },
}

/** The most names that are compared: a person writes no more. */
const MOST_NAMES = 200

function meantBy({ from, found, outcome }: SchemaReference, agent: Agent): string | undefined {
  if (outcome.is !== 'missing') return undefined
  const { path } = outcome
  if (path !== undefined) {
    const files: string[] = []
    for (const file of agent.documents.keys())
      if (isSchemaFile(file) && files.push(file) > MOST_NAMES) return undefined
    return didYouMeanFile(path, files, found.ref)
  }
  const [, start = '', name = ''] = /^(#\/(?:\$defs|definitions)\/)([^/]*)$/.exec(found.ref) ?? []
  const table = isSchemaObject(from.schema) ? own(from.schema, start.slice(2, -1)) : undefined
  const names = typeof table === 'object' && table !== null ? Object.keys(table) : []
  const meant = from.isSound && names.length <= MOST_NAMES ? probablyMeant(name, names) : undefined
  return meant === undefined ? undefined : start + meant
}

function didYouMeanFile(path: string, files: readonly string[], written: string): string | undefined {
  const meant = probablyMeant(
    path.slice('schemas/'.length),
    files.map(file => file.slice('schemas/'.length)),
  )
  if (meant === undefined) return undefined
  // As it was written: from the top, or from a file in schemas/.
  return written.startsWith('schemas/') ? `schemas/${meant}` : meant
}
