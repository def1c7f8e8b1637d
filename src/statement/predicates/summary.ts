// Who checked a bundle: a verification summary in SLSA's form.
import { NOTHING_NAMED, type Predicate } from './predicate.ts'

export const SUMMARY = {
  type: 'https://slsa.dev/verification_summary/v1',
  word: 'verification summary',
  ...NOTHING_NAMED,
} as const satisfies Predicate<never>
