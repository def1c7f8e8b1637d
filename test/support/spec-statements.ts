// The numbers of the statements in docs/spec.
import { statementList } from './format-doc.ts'

/** What writers have to carry out; all other pages are for readers. */
const FOR_WRITERS = 'docs/spec/writing.md'
/** What hosts that follow trust channels have to carry out: their vectors are others than those of bundles. */
const OF_CHANNELS = 'docs/spec/trust-channels.md'

/** What programs have to carry out that divide a list. */
const OF_SHARDS = 'docs/spec/shards.md'

export const WRITER_STATEMENTS: readonly string[] = numbers(page => page === FOR_WRITERS)

export const READER_STATEMENTS: readonly string[] = numbers(
  page => page !== FOR_WRITERS && page !== OF_CHANNELS && page !== OF_SHARDS,
)

export const CHANNEL_STATEMENTS: readonly string[] = numbers(page => page === OF_CHANNELS)

export const SHARD_STATEMENTS: readonly string[] = numbers(page => page === OF_SHARDS)

function numbers(isWanted: (page: string) => boolean): string[] {
  return statementList()
    .filter(({ page }) => isWanted(page))
    .map(({ number }) => number)
}
