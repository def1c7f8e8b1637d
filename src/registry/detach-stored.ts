// Deletes signatures and statements that are attached to a stored bundle. The caller has read each of them whole.
import { RlpError } from '../model/error.ts'
import type { AttachedFacts } from './attached-facts.ts'
import type { Store } from './store.ts'

/** One that is attached no longer. */
export interface DetachedOne extends AttachedFacts {
  /** False if the registry forbids deletion: nothing lists it any more, and its bytes stay. */
  readonly deleted: boolean
}

/**
 * A tag would lead nowhere without its manifest, and some registries delete the tag too: what a tag names is left alone.
 * @param store opened to write and to delete
 * @param doing `detach from "oci://…"`
 * @throws RlpError STORE for one that a tag names, or that the registry keeps; as a store says
 */
export async function detachStored(
  store: Store,
  subject: string,
  wanted: readonly AttachedFacts[],
  doing: string,
): Promise<readonly DetachedOne[]> {
  if (wanted.length === 0) return []
  return store.changing(async () => {
    const tagged = await store.tagged()
    for (const { digest } of wanted) {
      const tag = tagged.get(digest)
      if (tag !== undefined)
        throw new RlpError('STORE', `Cannot ${doing}: the tag ${tag} names ${digest}`, {
          hint: 'Someone has given it a tag of its own. Remove that tag first, where the registry is administered',
        })
    }
    const done: DetachedOne[] = []
    for (const one of wanted) {
      const deleted = await store.detach(one.digest, subject)
      if (!deleted && (await isListed(store, one.digest, subject))) throw forbidden(doing, one.digest)
      const { digest, kind, type, signers } = one
      done.push({ digest, kind, type, signers, deleted })
    }
    return done
  })
}

async function isListed(store: Store, digest: string, subject: string): Promise<boolean> {
  const { manifests } = await store.attachedTo(subject, Number.POSITIVE_INFINITY)
  return manifests.some(one => one.digest === digest)
}

function forbidden(doing: string, digest: string): RlpError {
  return new RlpError(
    'STORE',
    `Cannot ${doing}: the registry forbids deletion (405), and lists ${digest} itself`,
    {
      hint: `Delete the manifest ${digest} where the registry is administered, or ask its operator to allow deletion`,
    },
  )
}
