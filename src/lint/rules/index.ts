// All lint rules. Their lists are made by scripts/list-rules.ts: a rule is in the list of its scope and its step.
import { CONTENT_RULES } from '../generated/contents.ts'
import { OUTLINE_RULES } from '../generated/outline.ts'
import { SOURCE_RULES } from '../generated/source.ts'
import { RULE_FAMILIES, type Rule } from './rule.ts'

const BY_NAME = [...OUTLINE_RULES, ...CONTENT_RULES, ...SOURCE_RULES].sort((a, b) => (a.id < b.id ? -1 : 1))

/** Every rule there is, in the order of families and of names. Some are only asked if a caller names them. */
export const RULES: readonly Rule[] = RULE_FAMILIES.flatMap(family =>
  BY_NAME.filter(({ id }) => id.startsWith(`${family}/`)),
)

/** The rules of a run without further ones. */
export const USUAL_RULES: readonly Rule[] = RULES.filter(({ isOptIn }) => isOptIn !== true)

/** With those that the caller names; a whole family does not name them. */
export function rulesOfRun(settings: readonly { readonly rule: string }[]): readonly Rule[] {
  const named = new Set(settings.map(({ rule }) => rule))
  return RULES.filter(({ id, isOptIn }) => isOptIn !== true || named.has(id))
}
