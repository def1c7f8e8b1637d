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

export const RULES: readonly Rule[] = FAMILIES.flatMap(family =>
  [...BUNDLE_RULES, ...SOURCE_RULES].filter(({ id }) => id.startsWith(`${family}/`)),
)
