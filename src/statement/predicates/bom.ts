// What is in a bundle: a bill of materials in CycloneDX.
import { NOTHING_NAMED, type Predicate } from './predicate.ts'

export const BOM = {
  type: 'https://cyclonedx.org/bom',
  word: 'bill of materials',
  ...NOTHING_NAMED,
} as const satisfies Predicate<never>
