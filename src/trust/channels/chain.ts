// The roots of a channel, one proving the next. Pure.
import type { ChannelRoot, SignedStatement } from '../../model/channel.ts'
import { nextRootProblem, pinnedRootProblem, type RefusedStatement } from './advance.ts'

/** Why a root does not prove the next, from the one that is pinned on; undefined if each does. There is one root at least. */
export function chainProblem(
  [first, ...others]: readonly [SignedStatement<ChannelRoot>, ...SignedStatement<ChannelRoot>[]],
  pinned: string,
): RefusedStatement | undefined {
  let before = first
  let refused = pinnedRootProblem(first, pinned)
  for (const root of others) {
    refused ??= nextRootProblem(before, root)
    before = root
  }
  return refused
}
