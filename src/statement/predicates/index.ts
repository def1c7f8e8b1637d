// The registry of the kinds of statements that this program makes: one file and one line each. A policy may require any other type too; of
// those nothing but the type is compared.
import type { AttestedStatement } from '../../model/attestation.ts'
import { own } from '../../model/own.ts'
import type { ComparedField } from '../../model/trust.ts'
import { BOM } from './bom.ts'
import type { Predicate, StatedFields, StatedOrigins } from './predicate.ts'
import { PROVENANCE } from './provenance.ts'
import { SUMMARY } from './summary.ts'

export const PREDICATES = { bom: BOM, provenance: PROVENANCE, summary: SUMMARY } as const satisfies Record<
  string,
  Predicate
>

/** In JSON a document of the kind is called so. */
export type PredicateName = keyof typeof PREDICATES

/** The names that people are shown of a statement of each kind, and null for what it does not name. */
export type ShownFields = {
  readonly [N in PredicateName as Shown<N> extends never ? never : N]: Readonly<
    Record<Shown<N>, string | null>
  >
}
type Shown<N extends PredicateName> = (typeof PREDICATES)[N]['shown'][number]

const ALL: readonly Predicate[] = Object.values(PREDICATES)

function predicateOf(type: string): Predicate | undefined {
  return ALL.find(one => one.type === type)
}

/** A word for people; the type itself for every other. */
export function predicateWord(type: string): string {
  return predicateOf(type)?.word ?? type
}

/** What a statement names that a trust policy may compare. */
export function comparedFields({
  predicateType,
  predicate,
}: AttestedStatement): Partial<StatedFields<ComparedField>> {
  return predicateOf(predicateType)?.fields(predicate) ?? {}
}

/** Everything that a statement names as what was built. A certificate may know better. */
export function statedOrigins({ predicateType, predicate }: AttestedStatement): StatedOrigins {
  return predicateOf(predicateType)?.origins?.(predicate) ?? { sources: [], refs: [] }
}

/** The types whose statements may be required to name something. */
export function typesWith(field: ComparedField): readonly string[] {
  return ALL.filter(({ compared }) => compared.includes(field)).map(({ type }) => type)
}

/** What people are shown of a statement, under the name of its kind. Nothing of most kinds. */
export function shownFields({ predicateType, predicate }: AttestedStatement): Partial<ShownFields> {
  const found = Object.entries<Predicate>(PREDICATES).find(([, { type }]) => type === predicateType)
  if (found === undefined) return {}
  const [name, { shown, fields }] = found
  if (shown.length === 0) return {}
  const named = fields(predicate)
  return { [name]: Object.fromEntries(shown.map(field => [field, own(named, field) ?? null])) }
}

/** The same as a list, for people. */
export function shownIn(
  fields: Partial<ShownFields>,
): readonly (readonly [field: string, text: string | null])[] {
  return Object.keys(PREDICATES).flatMap(name =>
    Object.entries<string | null>(
      own(fields as Readonly<Record<string, Record<string, string | null>>>, name) ?? {},
    ),
  )
}
