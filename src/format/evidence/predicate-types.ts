// The three kinds of statements that this program makes, by the names that in-toto gives them.
import { own } from '../../model/own.ts'

/** What is in a bundle. */
export const BOM_TYPE = 'https://cyclonedx.org/bom'
/** Who built it, and from what. */
export const PROVENANCE_TYPE = 'https://slsa.dev/provenance/v1'
/** Who checked it. */
export const SUMMARY_TYPE = 'https://slsa.dev/verification_summary/v1'

const WORDS: Readonly<Record<string, string>> = {
  [BOM_TYPE]: 'bill of materials',
  [PROVENANCE_TYPE]: 'provenance',
  [SUMMARY_TYPE]: 'verification summary',
}

/** A word for people; the type itself for every other. */
export function predicateWord(type: string): string {
  return own(WORDS, type) ?? type
}
