// The two registries of lint rules as one: a rule of scope `bundle` has its line in bundle.ts, one of scope `source` in source.ts.
import type { RuleFamily } from '../../model/finding.ts'
import { BUNDLE_RULES } from './bundle.ts'
import type { Rule } from './rule.ts'
import { SOURCE_RULES } from './source.ts'

/** In the order of the flow. */
const FAMILIES = [
  'files',
  'json',
  'toml',
  'manifest',
  'caps',
  'tools',
  'schema',
  'secrets',
  'wasm',
] as const satisfies readonly RuleFamily[]

/** Every rule there is, those that a caller has to ask for among them. */
export const RULES: readonly Rule[] = FAMILIES.flatMap(family =>
  [...BUNDLE_RULES, ...SOURCE_RULES].filter(({ id }) => id.startsWith(`${family}/`)),
)

/** The rules of a run without further ones. */
export const USUAL_RULES: readonly Rule[] = RULES.filter(({ isOptIn }) => isOptIn !== true)

/** With those that the caller names; a whole family does not name them. */
export function rulesOfRun(settings: readonly { readonly rule: string }[]): readonly Rule[] {
  const named = new Set(settings.map(({ rule }) => rule))
  return RULES.filter(({ id, isOptIn }) => isOptIn !== true || named.has(id))
}
