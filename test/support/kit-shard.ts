// Answers a shard vector of the conformance kit by rlp's own rule.
import type { shardEntryOf } from '../../fixtures/conformance/kit.ts'
import { isPart, shardIndex, shardText } from '../../src/fleet/shard.ts'

/** A line of `run.mjs --shards --lines`. */
export type ShardLine = Pick<ReturnType<typeof shardEntryOf>, 'target' | 'of'>

export function answerToShard({ target, of }: ShardLine) {
  const isDivided = isPart({ index: 1, of })
  return { verdict: isDivided ? shardText({ index: shardIndex(target, of), of }) : 'refused', codes: [] }
}
