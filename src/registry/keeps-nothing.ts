// The error of a registry that keeps nothing beside a bundle: it lacks the referrers API, and the tag that stands for it.
import { RlpError } from '../model/error.ts'
import type { Store } from './store.ts'

/** What the error is about, for commands that attach. */
export const KEEPS_NOTHING = 'this registry keeps no signatures or statements beside a bundle'

const ELSEWHERE = 'rlp agent copy takes the bundle to a registry or layout folder that keeps them'

/** @param doing `sign "oci://…"` */
export function keepsNothing(doing: string, hint: string = ELSEWHERE): RlpError {
  return new RlpError('STORE', `Cannot ${doing}: ${KEEPS_NOTHING}`, { hint })
}

/**
 * Asks before a key or an identity is used: a signature that cannot be kept would be public for nothing.
 * @param digest of a manifest that is there
 * @throws RlpError STORE
 */
export async function refuseKeepingNothing(
  store: Store,
  digest: string,
  doing: string,
  hint?: string,
): Promise<void> {
  const { keepsMore } = await store.attachedTo(digest, 1)
  if (!keepsMore) throw keepsNothing(doing, hint)
}
