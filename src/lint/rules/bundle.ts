// The rules that verification applies too.
import { CONTENT_RULES } from './contents.ts'
import { OUTLINE_RULES } from './outline.ts'
import type { BundleRule } from './rule.ts'

export const BUNDLE_RULES: readonly BundleRule[] = [...OUTLINE_RULES, ...CONTENT_RULES]
