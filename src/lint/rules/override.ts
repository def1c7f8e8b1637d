// The rules that check an override as if it were a policy.caps.
import { OUTLINE_RULES } from '../generated/outline.ts'
import { capsContradiction } from './caps/contradiction.ts'
import { capsDuplicateGrant } from './caps/duplicate-grant.ts'
import { capsEntry } from './caps/entry.ts'
import { capsShape } from './caps/shape.ts'
import { capsUnknownFamily } from './caps/unknown-family.ts'
import { capsWhiteSpace } from './caps/white-space.ts'
import type { Rule } from './rule.ts'

export const OVERRIDE_RULES: readonly Rule[] = [
  ...OUTLINE_RULES.filter(({ id }) => id.startsWith('toml/')),
  capsShape,
  capsEntry,
  capsUnknownFamily,
  capsDuplicateGrant,
  capsWhiteSpace,
  capsContradiction,
]
