// A stored bundle, read whole, with the keys that have signed it in it or beside it.
import { readBundle } from '../io/bundle/read-bundle.ts'
import type { Deadline } from '../io/wait/deadline.ts'
import { RlpError } from '../model/error.ts'
import type { Descriptor } from '../model/oci.ts'
import { addedSigners } from '../verify/merge-added.ts'
import { lookInto } from '../verify/sound.ts'
import type { Verification } from '../verify/verify.ts'
import { plainLayer } from './open-carried.ts'
import type { Sending } from './push-target.ts'
import { readAdded } from './read-added.ts'
import type { Store } from './store.ts'

/** A bundle that was read whole, with the keys that have signed it. */
export interface WithSigners {
  readonly verification: Verification
  /** In it or beside it. */
  readonly signers: readonly string[]
}

interface Reading {
  readonly label: string
  readonly doing: Sending
  readonly deadline: Deadline
  readonly store: Store
  readonly layer: Descriptor
  /** Of the manifest to which more signatures may be attached; undefined if those do not matter. */
  readonly digest: string | undefined
}

/** @throws RlpError STORE if not all that is attached can be read; as a store says */
export async function readWithSigners({
  store,
  layer,
  digest,
  label,
  deadline,
  doing,
}: Reading): Promise<WithSigners> {
  const candidate = await readBundle(plainLayer(store.read(layer), label), {
    keep: 'parsed',
    label,
    signal: deadline.signal,
    size: layer.size,
  })
  const { error } = candidate.refusal ?? {}
  if (error !== undefined) throw error
  const verification = await lookInto(candidate, deadline.signal)
  const added = digest === undefined ? undefined : await readAdded(store, digest, deadline)
  if (added?.incomplete !== undefined)
    throw new RlpError(
      'STORE',
      `Cannot ${doing} to a tag that is taken: what is attached to ${label} was not read whole: ${added.incomplete}`,
      { hint: 'Run the command again, or ask who keeps the registry' },
    )
  return { verification, signers: [...signingKeys(verification), ...addedSigners({ ...candidate, added })] }
}

/** The keys that have signed a sound bundle. */
export function signingKeys({ report }: Verification): string[] {
  return report.signatures.map(({ keyid }) => keyid)
}
