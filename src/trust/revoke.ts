// A key, an identity, a bundle, or what a signer had brought in → the policy in which it never counts again.

import type { Target } from '../io/find/search-folders.ts'
import { RlpError, UsageError } from '../model/error.ts'
import type { AnchorOf } from '../sign/keys.ts'
import { plural } from '../text/words.ts'
import { isDay } from '../trust-policy/revoked.ts'
import { anchorsInDocument } from './edit.ts'
import { carryOutEdit, type EditedPolicy, type Editing, openPolicy } from './edit-policy.ts'
import { type Audited, auditedBundles, namesNoAnchor, revokedMeant } from './to-revoke.ts'

interface Revoking {
  /** As a person names it. */
  readonly what: string
  readonly reason: string | undefined
  /** A day. */
  readonly since: string | undefined
  /** The signer's new key, as a person names it. */
  readonly replacedBy: string | undefined
  /** An audit log: each bundle that it has as accepted with a signature of the signer is revoked, and not the signer. */
  readonly fromAudit: Target | undefined
}

/** @throws RlpError USAGE; NOT_FOUND where nothing was accepted with a signature of the signer; as reading does */
export async function revoke(asked: Revoking, editing: Editing, anchorOf: AnchorOf): Promise<EditedPolicy> {
  const { reason, since, replacedBy, fromAudit } = asked
  if (since !== undefined && !isDay(since)) {
    throw new UsageError(`Cannot revoke since "${since}": it is not a day`, {
      field: 'since',
      hint: 'Write for example 2026-11-01',
    })
  }
  const policy = await openPolicy(editing)
  const named = await revokedMeant(asked.what, policy.document, anchorOf, editing.io)
  const found = fromAudit === undefined ? undefined : await broughtIn(named, fromAudit, asked, editing)
  const what = found?.bundles.map(({ identity }) => identity) ?? named
  const isBundle = what.some(one => one.startsWith('blake3:'))
  if (isBundle && replacedBy !== undefined)
    throw new UsageError('Cannot say by what a bundle is replaced: only keys are replaced', {
      field: 'replacedBy',
      hint: 'Leave `replacedBy` out',
    })
  const next = replacedBy === undefined ? undefined : await anchorOf(replacedBy)
  const change = { do: 'revoke', what, reason, since, replacedBy: next } as const
  const unnamed = namesNoAnchor(what, anchorsInDocument(policy.document))
  const said = found?.bundles.map(({ agent, identity }) => `${agent}, ${identity}`) ?? unnamed
  return carryOutEdit(policy, { change, said: [said ?? []].flat() })
}

/** What a signer had brought in, by an audit log. */
async function broughtIn(
  signers: readonly string[],
  log: Target,
  { what, since }: Revoking,
  { io, tell }: Editing,
): Promise<Audited> {
  if (signers.some(one => one.startsWith('blake3:')))
    throw new UsageError(`Cannot revoke what "${what}" had brought in: it is no signer`, {
      field: 'what',
      hint: 'Name a signer of the policy, a key or an identity',
    })
  if (since !== undefined)
    throw new UsageError(`Cannot revoke what "${what}" had brought in since a day: that is about a key`, {
      field: 'since',
      hint: 'Revoke the key by itself, with `since`',
    })
  const found = await auditedBundles(log, signers, io.signal)
  const { bundles, unread } = found
  if (unread > 0) tell?.(`${plural(unread, 'line')} of ${log.label} could not be read, and may be about more`)
  if (bundles.length > 0) return found
  throw new RlpError(
    'NOT_FOUND',
    `Cannot revoke from "${log.label}": no bundle was accepted with a signature of ${what}`,
    {
      hint: 'Name the log of the host where they were accepted; rotated logs are files of their own',
    },
  )
}
