// The numbers of the statements in docs/spec.
import { statementList } from './format-doc.ts'

/** What writers have to carry out; all other pages are for readers. */
const FOR_WRITERS = 'docs/spec/writing.md'

export const WRITER_STATEMENTS: readonly string[] = numbers(page => page === FOR_WRITERS)

export const READER_STATEMENTS: readonly string[] = numbers(page => page !== FOR_WRITERS)

function numbers(isWanted: (page: string) => boolean): string[] {
  return statementList()
    .filter(({ page }) => isWanted(page))
    .map(({ number }) => number)
}
